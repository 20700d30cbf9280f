"""Bad input is refused at the door: the error names the field, the index and the value."""

import numpy as np
import pytest

from tests.specimens import SIZE, judge, planar, some, spatial
from wrench import Contacts, force_closure, quality
from wrench.errors import InvalidValue

GRASPS = planar(np.random.default_rng(60), 4)
SOLID = spatial(np.random.default_rng(61), 4)


def changed(contacts, field, index, value):
    """Return contacts with one entry of one field changed."""
    arrays = {name: np.array(getattr(contacts, name)) for name in ("points", "normals", "made")}
    arrays[field][index] = value
    return Contacts(**arrays)


def refusal(action):
    """Return the error `action` raises; its sentence must hold the field and the value."""
    with pytest.raises(InvalidValue) as caught:
        action()
    assert caught.value.field in str(caught.value)
    assert str(caught.value.value) in str(caught.value)
    return caught.value


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("field", ["points", "normals"])
def test_not_finite(field, bad):
    error = refusal(lambda: changed(GRASPS, field, (2, 1, 0), bad))
    assert error.field == f"{field}[2, 1]"
    assert str(bad) in str(error)


@pytest.mark.parametrize("length", [0.0, 0.5, 1 + 1e-5, 2.0])
def test_normal_of_another_length(length):
    error = refusal(lambda: changed(SOLID, "normals", (3, 0), [0, 0, length]))
    assert error.field == "normals[3, 0]"
    assert error.value == [0, 0, length]
    assert "unit" in str(error)


def test_normal_within_rounding_is_accepted():
    assert changed(SOLID, "normals", (3, 0), [0, 0, 1 + 1e-7]).normals[3, 0, 2] == 1 + 1e-7


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 4), (2, 3, 4)])
def test_points_of_another_shape(shape):
    error = refusal(lambda: Contacts.all_made(np.zeros(shape), np.zeros(shape)))
    assert error.value == shape


def test_fields_that_do_not_fit_each_other():
    points, normals, made = GRASPS.points, GRASPS.normals, GRASPS.made
    assert refusal(lambda: Contacts(points, normals[:3], made)).field == "normals.shape"
    assert refusal(lambda: Contacts(points, normals, made[:, :2])).field == "made"
    assert refusal(lambda: Contacts(points, normals, made.astype(int))).field == "made"


def test_what_is_not_made_may_be_anything():
    made = np.array(GRASPS.made)
    made[2, 1] = False
    points = np.array(GRASPS.points)
    points[2, 1] = np.nan
    np.testing.assert_array_equal(Contacts(points, GRASPS.normals, made).points[2, 1], 0)


def test_later_writes_do_not_reach_the_contacts():
    points = np.array(GRASPS.points)
    contacts = Contacts.all_made(points, GRASPS.normals)
    points[:] = 7
    np.testing.assert_array_equal(contacts.points, GRASPS.points)
    with pytest.raises(ValueError, match="read-only"):
        contacts.points[0] = 0


def test_indexing_takes_every_field_alike():
    picked = SOLID[1:3]
    assert (len(picked), picked.batch, picked.dimension) == (2, (2,), 3)
    for field in ("points", "normals", "made"):
        np.testing.assert_array_equal(getattr(picked, field), getattr(SOLID, field)[1:3])


@pytest.mark.parametrize("contacts", [GRASPS, SOLID], ids=["planar", "spatial"])
@pytest.mark.parametrize("bad", [-0.1, np.nan, np.inf])
def test_friction_that_cannot_be(contacts, bad):
    friction = np.full(4, 0.75)
    friction[2] = bad
    for action in (
        lambda: judge(contacts, friction),
        lambda: judge(contacts, friction, cone=8),
        lambda: force_closure(contacts, friction=friction),
    ):
        error = refusal(action)
        assert error.field == "friction[2]"
        np.testing.assert_equal(error.value, bad)
    assert refusal(lambda: judge(contacts, bad)).field == "friction"


@pytest.mark.parametrize("bad", [0.0, -0.03, np.nan, np.inf])
def test_torque_scale_that_cannot_be(bad):
    assert refusal(lambda: judge(GRASPS, 0.75, torque_scale=bad)).field == "torque_scale"
    assert refusal(lambda: judge(GRASPS, 0.75, torque_scale=[0.1, 0.1, 0.1, bad])).field == "torque_scale[3]"


@pytest.mark.parametrize("bad", [-0.005, np.nan])
def test_torsion_that_cannot_be(bad):
    assert refusal(lambda: judge(SOLID, 0.75, torsion=bad)).field == "torsion"
    assert refusal(lambda: force_closure(SOLID, friction=0.75, torsion=bad)).field == "torsion"


@pytest.mark.parametrize("bad", [0.0, -1e-3, np.nan])
def test_gap_that_cannot_be(bad):
    assert refusal(lambda: judge(SOLID, 0.75, gap=bad)).field == "gap"


def test_origin_that_cannot_be():
    assert "origin" in refusal(lambda: judge(GRASPS, 0.75, origin=[0, np.nan])).field
    assert "origin" in refusal(lambda: judge(GRASPS, 0.75, origin=[0, 0, 0])).field


@pytest.mark.parametrize("bad", ["round", 2, "inscribed", "inscribed:2", "circumscribed:x"])
def test_cone_that_cannot_be(bad):
    assert "cone" in refusal(lambda: judge(SOLID, 0.75, cone=bad)).field


def test_convention_nobody_knows():
    error = refusal(lambda: judge(GRASPS, 0.75, convention="dexnet"))
    assert error.field == "convention"
    assert "'paper'" in str(error)


def test_friction_that_does_not_fit_the_batch():
    error = refusal(lambda: judge(GRASPS, [0.5, 0.6, 0.7]))
    assert error.field.startswith("friction")
    assert "(4,)" in str(error)


def test_quality_needs_every_number_that_gives_it_its_meaning():
    """No default friction, origin or torque scale: an epsilon without them means nothing."""
    complete = {"friction": 0.75, "origin": np.zeros(2), "torque_scale": SIZE}
    for missing in complete:
        with pytest.raises(TypeError, match=missing):
            quality(GRASPS, **{name: value for name, value in complete.items() if name != missing})


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("cone", ["exact", 8])
def test_places_without_contact_never_count(dimension, cone):
    """Whatever stands in a place that is not made, NaN included, the grasp is that of its made contacts."""
    contacts = some(np.random.default_rng(20), 30, dimension)
    expected = judge(contacts, 0.6, cone=cone)
    for place in range(4):
        points, normals = (np.insert(a, place, np.nan, axis=1) for a in (contacts.points, contacts.normals))
        made = np.insert(contacts.made, place, False, axis=1)
        found = judge(Contacts(points, normals, made), 0.6, cone=cone)
        np.testing.assert_array_equal(found.closure, expected.closure)
        assert (found.epsilon <= expected.epsilon_upper + 1e-10).all()
        assert (expected.epsilon <= found.epsilon_upper + 1e-10).all()
