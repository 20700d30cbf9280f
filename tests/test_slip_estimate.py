"""What might predict a trial: the slip force by statics, its closed forms and laws; epsilon under other conventions."""

from types import SimpleNamespace

import numpy as np
import pytest
import trimesh
from scipy.spatial.transform import Rotation

from experiments.predict_metrics import epsilons, tried
from experiments.slip_estimate import slip_estimate
from wrench import Contacts

MU, GRIP = 0.75, 20.0  # paper, section VII-A; newtons at each jaw
HALF, SPREAD, REACH = 0.02, 0.015, 0.06  # metres: half the block's thickness, a wide pad from the middle, the lever
ACROSS = np.array([[-HALF, SPREAD, 0], [-HALF, -SPREAD, 0], [HALF, 0, 0]])
INWARD = np.array([[1.0, 0, 0], [1, 0, 0], [-1, 0, 0]])
LEVER = np.array([[HALF, REACH, 0], [0, 0, 0]])  # vertices: the gauge pushes at the first, on the side of the narrow jaw
WEIGHTLESS = 1e-12  # m/s^2
UNTOLD = dict(trial_friction=np.array([np.nan]), trial_force_n=np.array([np.nan]))  # as in labels that do not tell


class Columns(SimpleNamespace):
    """Candidates (n,) with columns of labels, all indexed alike."""

    def __len__(self):
        return len(self.mass_kg)

    def __getitem__(self, index):
        return Columns(**{name: values[index] for name, values in vars(self).items()})


def grasps(points=ACROSS, normals=INWARD, made=None, mass=0.2, origin=(0, 0, 0)):
    """Return one grasp that closes along x, as a batch of one."""
    points, normals = np.array(points, float), np.array(normals, float)
    made = np.ones(len(points), bool) if made is None else np.array(made)
    contacts, numbers = Contacts(points[None], normals[None], made[None]), dict(mass_kg=np.array([mass])) | UNTOLD
    return Columns(contacts=contacts, T_table_gripper=np.eye(4)[None], origin_m=np.array([origin], float), **numbers)


def push(given, vertices=LEVER, friction=MU, grip=GRIP, gravity=WEIGHTLESS):
    return slip_estimate(given, vertices=np.array(vertices, float), friction=friction, grip=grip, gravity=gravity)


@pytest.mark.parametrize(("friction", "grip", "reach"), [(MU, 20, 0.06), (0.4, 20, 0.06), (MU, 5, 0.06), (MU, 20, 0.3)])
def test_push_along_a_lever_at_the_limit_of_friction(friction, grip, reach):
    """The narrow jaw carries the push p, the wide pads its torque: p reach = 2 spread (mu grip / 2), at mu grip / 2 each."""
    found = push(grasps(), [[HALF, reach, 0], [0, 0, 0]], friction, grip)
    np.testing.assert_allclose(found, [friction * grip * SPREAD / reach], rtol=1e-5)


def test_near_the_axis_the_narrow_pad_gives_way_first():
    """On a lever shorter than the spread of the pads: p = mu grip, all that the narrow jaw can carry."""
    np.testing.assert_allclose(push(grasps(), [[HALF, 0.01, 0], [0, 0, 0]]), [MU * GRIP], rtol=1e-5)


def test_two_opposed_points_resist_no_turning():
    two = grasps([[-HALF, 0, 0], [HALF, 0, 0]], INWARD[1:])
    np.testing.assert_allclose(push(two), 0, atol=1e-5)


def test_the_weaker_direction_counts():
    """A light weight far out adds its torque to a push in one direction: p reach = mu grip spread - weight arm."""
    weight, arm = 0.02, 2.0  # newtons, metres: what the pads carry of it besides its torque is nothing beside 15 N
    given = grasps(mass=weight / 9.81, origin=(0, arm, 0))
    np.testing.assert_allclose(push(given, gravity=9.81), [(MU * GRIP * SPREAD - weight * arm) / REACH], rtol=5e-3)
    other_side = grasps(mass=weight / 9.81, origin=(0, -arm, 0))
    np.testing.assert_allclose(push(given, gravity=9.81), push(other_side, gravity=9.81), rtol=2e-3)


def test_what_falls_resists_no_push():
    held, fallen = (push(grasps(mass=share * 2 * MU * GRIP / 9.81), gravity=9.81)[0] for share in (0.5, 1.01))
    assert held > 0.1
    assert fallen == 0


@pytest.mark.parametrize("made", [[False] * 3, [True, True, False], [False, False, True]])
def test_without_contacts_or_with_one_jaw_only_there_is_no_grasp(made):
    assert push(grasps(made=made)).tolist() == [0]


def test_the_gauge_pushes_at_the_vertex_furthest_from_the_closing_axis():
    """Not the one furthest from the middle: that lies along the axis, where a push turns nothing."""
    vertices = [[0.5, 0.01, 0], [HALF, 0, REACH], [HALF, 0.03, 0.03]]
    np.testing.assert_allclose(push(grasps(), vertices), push(grasps(), vertices[1:2]), rtol=1e-6)


def some(rng):
    """Return a grasp that roughly opposes, with its weight, and the vertices of an uneven block around it."""
    points = ACROSS + rng.normal(scale=0.004, size=(3, 3))
    normals = INWARD + 0.1 * rng.normal(size=(3, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    corners = np.stack(np.meshgrid(*[(-1, 1)] * 3), -1).reshape(-1, 3) * rng.uniform(0.03, 0.08, 3)
    corners += rng.normal(scale=0.002, size=corners.shape)
    return grasps(points, normals, mass=rng.uniform(0.05, 0.3), origin=rng.normal(scale=0.005, size=3)), corners


def mirrored(vectors):
    return np.array(vectors) * [1, -1, 1]


@pytest.mark.parametrize("seed", range(6))
def test_a_mirrored_grasp_resists_the_same_push(seed):
    given, corners = some(np.random.default_rng(seed))
    contacts = given.contacts
    twin = Contacts(mirrored(contacts.points), mirrored(contacts.normals), contacts.made)
    other = Columns(**vars(given) | dict(contacts=twin, origin_m=mirrored(given.origin_m)))
    np.testing.assert_allclose(push(other, mirrored(corners), gravity=9.81), push(given, corners, gravity=9.81), rtol=1e-4)


def turned(given, angle):
    """Return a grasp turned about the vertical, and the rotation."""
    R = Rotation.from_euler("z", angle).as_matrix()
    contacts = Contacts(given.contacts.points @ R.T, given.contacts.normals @ R.T, given.contacts.made)
    T = given.T_table_gripper.copy()
    T[:, :3, :3] = R @ T[:, :3, :3]
    return Columns(**vars(given) | dict(contacts=contacts, T_table_gripper=T, origin_m=given.origin_m @ R.T)), R


@pytest.mark.parametrize("seed", range(6))
def test_turning_everything_about_the_vertical_changes_nothing(seed):
    given, corners = some(np.random.default_rng(seed))
    other, R = turned(given, 0.7)
    np.testing.assert_allclose(push(other, corners @ R.T, gravity=9.81), push(given, corners, gravity=9.81), rtol=1e-4)


def test_turning_a_prism_along_the_closing_axis_changes_nothing():
    prism, given = [[side * HALF, 0.03, 0.05] for side in (1, -1)], grasps()
    found = [push(other, prism @ R.T)[0] for other, R in (turned(given, angle) for angle in np.linspace(0, 3, 16))]
    np.testing.assert_allclose(found, found[0], rtol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_more_friction_and_more_grip_never_resist_less(seed):
    given, corners = some(np.random.default_rng(seed))
    friction = [push(given, corners, friction=mu, gravity=9.81)[0] for mu in (0.3, 0.45, 0.6, 0.75, 0.9)]
    grip = [push(given, corners, grip=force, gravity=9.81)[0] for force in (5, 10, 20, 40)]
    for forces in (friction, grip):
        assert (np.diff(forces) > -1e-4 * (1 + np.array(forces[1:]))).all()
        assert forces[-1] > 0


def test_a_batch_is_its_grasps_one_by_one():
    given = [some(np.random.default_rng(seed))[0] for seed in range(3)]
    parts = [[getattr(each.contacts, name) for each in given] for name in ("points", "normals", "made")]
    names = ("T_table_gripper", "mass_kg", "origin_m", *UNTOLD)
    rest = {name: np.concatenate([getattr(each, name) for each in given]) for name in names}
    batch = Columns(contacts=Contacts(*map(np.concatenate, parts)), **rest)
    np.testing.assert_allclose(push(batch, gravity=9.81), [push(each, gravity=9.81)[0] for each in given], rtol=1e-9)
    assert push(batch[:0]).shape == (0,)


def test_what_the_labels_tell_of_the_trial_counts():
    drawn = Columns(**vars(grasps()) | dict(trial_friction=np.array([0.4]), trial_force_n=np.array([5.0])))
    assert push(drawn) == pytest.approx(push(grasps(), friction=0.4, grip=5.0))


def labels(n, dimension=2, points=ACROSS, normals=INWARD):
    """Return n equal candidates with all columns that the study reads."""
    T = np.repeat(np.eye(4)[None], n, 0)
    contacts = Contacts.all_made(np.repeat(np.array(points)[None], n, 0), np.repeat(np.array(normals)[None], n, 0))
    numbers = dict(closure_rate=0.9, mean_contacts=2.9, mean_epsilon=0.1, epsilon_lower=0.12, friction=MU, mass_kg=0.2)
    numbers |= dict(trial_friction=np.nan, trial_force_n=np.nan)
    numbers |= dict(torque_scale_m=0.05, lifted=1, shaken=0, shake_margin=np.nan, slip_force_n=np.nan)
    texts = dict(planner="get2d", object="block", grip="holding")
    columns = {name: np.full(n, value) for name, value in (numbers | texts).items()}
    columns |= dict(origin_m=np.zeros((n, 3)), dimension=np.full(n, dimension))
    return Columns(contacts=contacts, T_table_gripper=T, **columns)


def test_epsilon_of_two_opposed_contacts_under_other_conventions():
    """1 / sqrt(1 + 1/mu^2 + s^2 / (mu r)^2) in the plane; with edges of unit length over sqrt(1 + mu^2)."""
    r, found = HALF, epsilons(labels(2, points=[[-HALF, 0, 0.01], [HALF, 0, 0.01]], normals=INWARD[1:]))

    def exact(scale):
        return 1 / np.sqrt(1 + 1 / MU**2 + (scale / (MU * r)) ** 2)

    np.testing.assert_allclose(found["epsilon, torque scale 100 mm"], exact(0.1), rtol=1e-9)
    np.testing.assert_allclose(found["epsilon, 8 edges"], exact(0.05), rtol=1e-9)
    unit, fan = found["epsilon, 8 edges of unit length"], found["epsilon, fan of 8 unit forces"]
    np.testing.assert_allclose(unit, exact(0.05) / np.sqrt(1 + MU**2), rtol=1e-9)
    assert (unit <= fan + 1e-12).all() and (fan < exact(0.05)).all()


def test_epsilon_in_space_has_no_fan_and_is_0_without_closure():
    three = epsilons(labels(1, dimension=3))
    assert np.isnan(three["epsilon, fan of 8 unit forces"]).all()
    assert 0 < three["epsilon, 8 edges of unit length"] < three["epsilon, 8 edges"]
    two = epsilons(labels(1, dimension=3, points=ACROSS[1:], normals=INWARD[1:]))
    assert two["epsilon, 8 edges"] == two["epsilon, torque scale 100 mm"] == 0


def test_candidates_that_were_not_tried_are_left_out_and_others_keep_their_numbers(tmp_path):
    mesh, T = trimesh.creation.icosahedron(), np.eye(4)
    mesh.apply_scale([0.02, 0.06, 0.03])
    mesh.export(tmp_path / "stone.ply")
    T[:3, 3] = 0.01, 0.02, 0.03
    some = labels(5)
    some.grip[[1, 4]], some.planner[2] = "", "bbox"
    some.slip_force_n[0], some.shake_margin[0], some.shaken[0] = 3.0, 2.0, 1
    place = SimpleNamespace(object="stone", pose="pose0", labels=some, mesh=tmp_path / "stone.ply", T_table_object=T)
    empty, trials = SimpleNamespace(object="ring", pose="pose0", labels=None), dict(friction=MU, grip=GRIP, gravity=9.81)
    found = tried([empty, place], **trials)
    assert found.planner.tolist() == ["bbox", "get2d", "get2d"]
    assert (found.slip_force.tolist(), found.shake_margin.tolist()) == ([0, 3, 0], [0, 2, 0])
    assert (found.lifted.tolist(), found.shaken.tolist()) == ([True] * 3, [False, True, False])
    assert set(found.placement) == {"stone pose0"}
    assert found.metrics["closure rate"].tolist() == [0.9] * 3
    np.testing.assert_allclose(found.metrics["nearness to the centre of mass"], -0.02 / 3)  # mean of -20, -20 and 20 mm
    expected = slip_estimate(labels(1), vertices=np.array(mesh.vertices) + T[:3, 3], **trials)
    np.testing.assert_allclose(found.metrics["slip force by statics"], expected[0], rtol=1e-4)
    assert len(tried([empty], **trials)) == 0
