"""Pictures of GET-3D: what is hidden is hidden, what is drawn is what was planned, legible, and the same every time."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import trimesh
from matplotlib.text import Text
from trimesh.transformations import rotation_matrix

from get3d import shut
from get3d.draw import draw, picture
from get3d.draw_scene import Eye, image
from get3d.html import figure, html
from get3d.planner import Get3D
from grasp import InvalidValue, Plan, Reason, Refusal, View, words
from grasp.frames import invert, pose_top_down, transform_points
from grasp.plan import Grasp, Metrics
from grasp.solids import closing_sign
from wrench import Contacts


def on_table(mesh, turn=0.4):
    mesh.apply_transform(rotation_matrix(turn, [0, 0, 1]))
    mesh.apply_translation([0.03, -0.02, -mesh.bounds[0, 2]])
    return View.from_mesh(mesh.vertices, mesh.faces)


BLOCK = on_table(trimesh.creation.box((0.08, 0.05, 0.06)))
LARGE = on_table(trimesh.creation.box((0.2, 0.2, 0.1)))  # wider than the gripper opens
BARE = View.from_cloud(np.ones((5, 3)))


@pytest.fixture(scope="module", params=["get", "two_narrow", "two_wide"])
def planner(request):
    return few(request.param)


@pytest.fixture(scope="module")
def get():
    return few("get")


def few(gripper):
    whole = Get3D.preset(gripper=gripper)
    return replace(whole, sampling=replace(whole.sampling, candidates=40))


def rng():
    return np.random.default_rng(5)


# ---- the scene -------------------------------------------------------------------------------------------------------


def triangles(mesh):
    return np.asarray(mesh.vertices), np.asarray(mesh.faces)


def looking(towards, half=0.1):
    eye = Eye.from_direction(towards, np.zeros((2, 3)) + [[0], [1e-6]], 1.0, 0.0)
    return Eye(eye.axes, np.full(2, -half), np.full(2, half))


@pytest.mark.parametrize("towards", [(0, 0, 1), (1, 0, 0), (0.3, -0.5, 0.4), (0, -1, 0.2)])
def test_an_eye_is_upright_and_right_handed(towards):
    axes = Eye.from_direction(towards, np.eye(3), 1.5, 0.1).axes
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.linalg.det(axes) == pytest.approx(1) and axes[0, 2] == pytest.approx(0) and axes[1, 2] >= -1e-12
    np.testing.assert_allclose(np.cross(axes[2], towards), 0, atol=1e-12)


def test_everything_is_in_sight():
    points = np.random.default_rng(0).normal(size=(50, 3))
    eye = Eye.from_direction([1, 2, 1], points, 0.7, 0.2)
    assert (eye.flat(points) > eye.low).all() and (eye.flat(points) < eye.high).all()
    width, height = eye.high - eye.low
    assert width / height == pytest.approx(0.7)


def test_a_box_covers_its_shadow():
    """Cauchy: the shadow of a convex body along u has the area of half the sum of face areas times |n . u|."""
    sides, eye = np.array([0.08, 0.05, 0.06]), looking([0.3, -0.5, 0.4])
    seen = image(eye, (400, 400), triangles(trimesh.creation.box(sides)), None)
    faces = np.prod(sides) / sides
    assert seen[..., 3].mean() * 0.2**2 == pytest.approx(faces @ np.abs(eye.axes[2]), rel=5e-3)


def test_a_thing_in_front_hides_and_glass_only_tints_what_is_behind_it():
    eye, box = looking([0, 0, 1]), lambda z: triangles(trimesh.creation.box((0.1, 0.1, 0.01)).apply_translation([0, 0, z]))
    alone, behind, front = (image(eye, (60, 60), box(0.0), other) for other in (None, box(-0.05), box(0.05)))
    np.testing.assert_array_equal(alone, behind)
    inside = np.s_[25:35, 25:35]
    assert (front[inside][..., 2] != alone[inside][..., 2]).all() and (front[inside][..., 3] == 1).all()
    assert (front[:10, :10, 3] == 0).all()


# ---- the shut gripper ------------------------------------------------------------------------------------------------


def test_each_jaw_stops_at_its_first_contact(get):
    for grasp in get.plan(BLOCK, rng()).grasps:
        own = transform_points(invert(grasp.T_table_gripper), shut.pads(grasp, get.gripper))[:, 0, 0]
        contact = transform_points(invert(grasp.T_table_gripper), grasp.contacts.points)[:, 0]
        late = closing_sign(get.gripper) * (contact - own)
        for jaw in (closing_sign(get.gripper) > 0, closing_sign(get.gripper) < 0):
            assert late[jaw & grasp.contacts.made].min() == pytest.approx(0, abs=1e-9)
        assert late[grasp.contacts.made].max() <= get.gripper.tolerance + 1e-9


def test_a_jaw_without_contact_stays_and_fingers_stand_behind_their_pads(get):
    points = np.array([[-0.02, -0.015, 0.0], [0, 0, 0], [0, 0, 0]])
    contacts = Contacts(points, np.array([[1.0, 0, 0]] * 3), np.array([True, False, False]))
    grasp = Grasp(pose_top_down([0, 0], 0.0, 0.0), 0.06, contacts, "face", Metrics())
    np.testing.assert_allclose(shut.travel(grasp, get.gripper), [0.01, 0.01, 0])
    vertices, faces = shut.body(grasp, get.gripper)
    fingers = vertices.reshape(-1, 8, 3)[:3]
    thick = get.gripper.finger_thickness
    np.testing.assert_allclose(fingers[..., 0].min(1), [-0.02 - thick, -0.02 - thick, 0.03])
    np.testing.assert_allclose(fingers[..., 0].max(1), [-0.02, -0.02, 0.03 + thick])
    for box in trimesh.Trimesh(vertices, faces, process=False).split():
        assert box.is_watertight and box.volume > 0  # faces look outwards


def test_a_drawn_cone_is_the_friction_cone():
    normal = np.array([0.6, 0, 0.8])
    vertices, faces = shut.cone(np.ones(3), normal, 0.75, 0.01)
    rim = vertices[1:] - vertices[0]
    np.testing.assert_allclose(rim @ normal, 0.01)
    np.testing.assert_allclose(np.linalg.norm(rim - 0.01 * normal, axis=1), 0.0075)
    assert faces.max() == len(vertices) - 1


# ---- the picture -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("view", "kind"), [(BLOCK, Plan), (LARGE, Refusal), (BARE, Refusal)])
def test_every_answer_has_a_picture_and_always_the_same(get, tmp_path, view, kind):
    result = get.plan(view, rng())
    assert isinstance(result, kind)
    for name in ("a.png", "b.png"):
        draw(result, view, get, tmp_path / name)
    first = (tmp_path / "a.png").read_bytes()
    assert first.startswith(b"\x89PNG") and first == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize("view", [BLOCK, LARGE, BARE])
def test_no_text_lies_over_another_or_outside(planner, view):
    drawn = picture(planner.plan(view, rng()), view, planner)
    drawn.draw_without_rendering()
    unseen = [text for axes in drawn.axes for text in ticks_not_drawn(axes)]
    texts = [text for text in drawn.findobj(Text) if text.get_visible() and text.get_text() and text not in unseen]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    assert [(a, b) for (a, one), (b, two) in combinations(boxes, 2) if one.overlaps(two)] == []
    inside = drawn.bbox.padded(1)
    assert [name for name, box in boxes if not (inside.contains(*box.min) and inside.contains(*box.max))] == []


def ticks_not_drawn(axes):
    """Return tick labels beyond the ends of their axis, or of axes that are switched off; Matplotlib calls them visible."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not axes.axison or not low <= tick.get_loc() <= high:
                yield from (tick.label1, tick.label2)


def said(result, view, planner):
    return " ".join(text.get_text().replace("\n", " ") for text in picture(result, view, planner).findobj(Text))


def test_the_picture_says_what_it_must(get):
    plan = get.plan(BLOCK, rng())
    text = said(plan, BLOCK, get)
    for line in (words.placing(plan.best), words.worth(plan.best, get.judge.confidence), words.conventions(plan)):
        assert line in text
    for word in ("wide jaw", "narrow jaw", "friction cone", "centre of mass", "from above", "height above the table"):
        assert word in text
    for reason, count in plan.funnel.rejected.items():
        assert f"{count}  {reason.sentence}" in text


def test_a_refusal_says_why_and_how_near_it_was(get):
    refusal = get.plan(LARGE, rng())
    text = said(refusal, LARGE, get)
    assert refusal.reason is Reason.TOO_WIDE and "the gripper opens 95.0 mm" in text
    assert refusal.reason.sentence in text and refusal.detail in text


def test_a_tilted_approach_is_said():
    pose = pose_top_down([0, 0], 0.3, 0.05)
    contacts = Contacts(np.zeros((3, 3)), np.array([[1.0, 0, 0]] * 3), np.ones(3, bool))
    level = Grasp(pose, 0.05, contacts, "face", Metrics())
    tilted = replace(level, T_table_gripper=pose @ rotation_matrix(np.radians(12), [0, 1, 0]))
    assert "tilted" not in words.placing(level) and "tilted by 12.0 deg" in words.placing(tilted)


# ---- the page --------------------------------------------------------------------------------------------------------


def test_the_page_is_one_file_without_a_network_and_always_the_same(get, tmp_path):
    plan = get.plan(BLOCK, rng())
    for name in ("a.html", "b.html"):
        html(plan, BLOCK, get, tmp_path / name)
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page == (tmp_path / "b.html").read_text(encoding="utf-8")
    assert "<script src=" not in page and "Plotly.newPlot" in page and words.conventions(plan) in page


def test_the_page_shows_every_grasp_and_the_first_at_once(get):
    plan = get.plan(BLOCK, rng())
    shapes = figure(plan, BLOCK, get).data
    for rank, grasp in enumerate(plan.grasps, start=1):
        group = [shape for shape in shapes if shape.legendgroup == str(rank)]
        assert {shape.visible for shape in group} == {True if rank == 1 else "legendonly"}
        assert sum(bool(shape.showlegend) for shape in group) == 1
        dots = group[-1]
        expected = grasp.contacts.points[grasp.contacts.made] * 1e3
        np.testing.assert_allclose(np.column_stack([dots.x, dots.y, dots.z]), expected)


def test_a_page_needs_a_mesh(get):
    with pytest.raises(InvalidValue, match=r"view\.mesh"):
        figure(get.plan(BLOCK, rng()), BARE, get)
