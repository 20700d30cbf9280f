"""Pictures: what is drawn is what was planned, legible, and the same every time."""

from itertools import combinations

import numpy as np
import pytest
import shapely
from matplotlib.text import Text
from scipy.spatial import ConvexHull

from get2d import Get2D, draw
from get2d.backdrop import orthophoto
from get2d.draw import picture
from get2d.draw_scene import pads
from get2d.draw_wrench import wrenches
from grasp import Camera, Grasp, Metrics, Plan, Refusal, View
from grasp.circles import circles
from grasp.frames import pose_top_down
from wrench import Contacts

OUTLINE = shapely.Polygon(
    [(-0.05, -0.02), (0.05, -0.02), (0.05, 0.02), (-0.05, 0.02)],
    [[(-0.04, -0.01), (-0.02, -0.01), (-0.02, 0.01), (-0.04, 0.01)]],
)
BLOCK = View.from_polygon(OUTLINE)
DISC = View.from_polygon(shapely.Point(0, 0).buffer(0.055))  # wider than the gripper opens
EMPTY = View.from_mask(np.zeros((40, 60), bool), 1000)


def rng():
    return np.random.default_rng(5)


@pytest.fixture(scope="module", params=["get", "two_narrow", "two_wide"])
def planner(request):
    return Get2D.preset(gripper=request.param)


@pytest.fixture(scope="module")
def get():
    return Get2D.preset()


def test_pads_touch_where_the_contacts_are(planner):
    seen = circles(planner.gripper)
    for grasp in planner.plan(BLOCK, rng()).grasps:
        start, closed = pads(grasp, seen)
        made = grasp.contacts.made
        assert np.allclose((grasp.contacts.points - closed)[made], (seen.radius * grasp.contacts.normals)[made], atol=1e-12)
        clear = [OUTLINE.distance(shapely.Point(*centre)) for centre in start]
        assert min(clear) >= seen.radius - 1e-9
        across = np.linalg.norm(start[seen.wide].mean(0) - start[~seen.wide].mean(0))
        assert across == pytest.approx(grasp.opening + 2 * seen.radius)


def test_a_pad_that_touches_nothing_comes_as_far_as_the_first_of_its_jaw(get):
    """Wide jaw below, closing along y: x is to its right, so the first pad, at offset -15 mm, stands at x = -15 mm."""
    points = np.array([[-0.015, -0.01], [0, 0], [0, 0.02]])
    contacts = Contacts(points, np.array([[0, 1.0], [0, 1], [0, -1]]), np.array([True, False, True]))
    grasp = Grasp(pose_top_down([0, 0], np.pi / 2, 0.0), 0.06, contacts, "edge", Metrics())
    start, closed = pads(grasp, circles(get.gripper))
    assert np.allclose(start, [[-0.015, -0.035], [0.015, -0.035], [0, 0.035]])
    assert np.allclose(closed, [[-0.015, -0.015], [0.015, -0.015], [0, 0.025]])


@pytest.mark.parametrize("quality", ["paper", "released"])
def test_drawn_wrench_space_has_the_epsilon_it_says(quality):
    plan = Get2D.preset(quality=quality).plan(BLOCK, rng())
    for grasp in plan.grasps:
        points = wrenches(grasp, plan.conventions)[grasp.contacts.made].reshape(-1, 3)
        assert -ConvexHull(points).equations[:, -1].max() == pytest.approx(grasp.metrics.epsilon, abs=1e-9)


@pytest.mark.parametrize(("view", "kind"), [(BLOCK, Plan), (DISC, Refusal), (EMPTY, Refusal)])
def test_every_answer_has_a_picture_and_always_the_same(get, tmp_path, view, kind):
    result = get.plan(view, rng())
    assert isinstance(result, kind)
    for name in ("a.png", "b.png"):
        draw(result, view, get, tmp_path / name)
    first = (tmp_path / "a.png").read_bytes()
    assert first.startswith(b"\x89PNG")
    assert first == (tmp_path / "b.png").read_bytes()


def drawn(view, planner):
    result = planner.plan(view, rng())
    evaluated = planner.candidates(view, rng()) if result.funnels else None
    return result, picture(result, evaluated, view, planner)


@pytest.mark.parametrize("view", [BLOCK, DISC, EMPTY])
def test_no_text_lies_over_another_or_outside(planner, view):
    _, figure = drawn(view, planner)
    figure.draw_without_rendering()
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text() and text.axes is not None]
    flat = [text for text in texts if text.axes.name != "3d"] + figure.texts
    boxes = {text.get_text(): text.get_window_extent() for text in flat}
    assert [(a, b) for a, b in combinations(boxes, 2) if boxes[a].overlaps(boxes[b])] == []
    inside = figure.bbox.padded(1)
    assert [name for name, box in boxes.items() if not (inside.contains(*box.min) and inside.contains(*box.max))] == []


def test_picture_says_what_it_must(get):
    plan, figure = drawn(BLOCK, get)
    said = " ".join(text.get_text() for text in figure.findobj(Text))
    best = plan.best
    for word in (f"opening {best.opening * 1e3:.1f} mm", f"{best.metrics.epsilon:.4f}", "convention paper", "95% interval"):
        assert word in said
    for word in ("wide jaw", "friction cone", "centre of mass", "torque / scale", "origin", " mm above the table"):
        assert word in said
    for reason, count in plan.funnel.rejected.items():
        assert f"{count}  {reason.sentence}" in said


def test_refusal_says_why_and_how_near_it_was(get):
    refusal, figure = drawn(DISC, get)
    said = " ".join(text.get_text().replace("\n", " ") for text in figure.findobj(Text))
    for word in (refusal.reason.sentence, refusal.detail, "the gripper opens 95.0 mm"):
        assert word in said


def seen_and_expected(view, planner, height):
    """Return which pixels of the backdrop show the object, and which should."""
    bounds = (-0.07, 0.07, -0.05, 0.05)
    image = orthophoto(view, planner.perception, height, bounds)
    rows, columns = image.shape[:2]
    x = np.linspace(bounds[0], bounds[1], columns + 1)[:-1] + 0.07 / columns
    y = np.linspace(bounds[3], bounds[2], rows + 1)[:-1] - 0.05 / rows
    return image, shapely.contains_xy(OUTLINE, *np.meshgrid(x, y))


def test_backdrop_of_a_mask_lies_under_its_outline(get):
    u, v = np.meshgrid(np.arange(300), np.arange(200))
    mask = shapely.contains_xy(OUTLINE, (u - 149.5) / 2000, (99.5 - v) / 2000)
    image, expected = seen_and_expected(View.from_mask(mask, 2000), get, 0.0)
    assert np.mean((image[..., 0] < 230) == expected) > 0.99


def test_backdrop_of_a_tilted_camera_lies_under_its_outline_at_the_height_asked_for(get):
    tilt, height = 0.5, 0.03
    pose = np.eye(4)
    pose[:3, :3] = [[1, 0, 0], [0, -np.cos(tilt), np.sin(tilt)], [0, -np.sin(tilt), -np.cos(tilt)]]
    pose[:3, 3] = [0, -0.5 * np.sin(tilt), 0.5 * np.cos(tilt) + height]
    camera = Camera(600, 600, 199.5, 149.5, 400, 300, pose)
    u, v = np.meshgrid(np.arange(400), np.arange(300))
    far, near = (camera.deproject(u, v, depth) for depth in (1.0, 0.1))
    share = ((height - near[..., 2]) / (far - near)[..., 2])[..., None]
    at = near + share * (far - near)  # where the pixels' rays meet the plane of the top
    rgb = np.where(shapely.contains_xy(OUTLINE, at[..., 0], at[..., 1])[..., None], 200, 10).astype(np.uint8)
    view = View.from_rgbd(rgb.repeat(3, -1), np.full((300, 400), 0.5), camera)
    image, expected = seen_and_expected(view, get, height)
    assert np.mean((image[..., 0] > 100) == expected) > 0.98


def test_views_without_a_picture_have_no_backdrop(get):
    assert orthophoto(BLOCK, get.perception, 0.0, (0, 1, 0, 1)) is None
