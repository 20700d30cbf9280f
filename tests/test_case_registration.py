"""Case O20: an L-shaped plate turned by 10 degrees is found; millimetres and nothing are refused; NaN is counted."""

from pathlib import Path

import numpy as np
import pytest
import shapely
import trimesh

from get3d.register import register
from get3d.register_settings import Registering
from grasp import PerceptionError, Reason
from objects.solid import Solid

CASE = Path(__file__).parents[2] / "shared" / "cases" / "O20"
pytestmark = pytest.mark.skipif(not CASE.is_dir(), reason="the case files are not here")


def registered(name):
    """Register the plate that fills out `model.npy`, the points of its upper side at z = 20 mm."""
    outline = shapely.union(shapely.box(-0.02, -0.02, 0.04, 0.005), shapely.box(-0.02, -0.02, 0, 0.04))
    plate = Solid.from_trimesh("plate", trimesh.creation.extrude_polygon(outline, 0.02))
    return register(plate, [np.eye(4)], np.load(CASE / f"{name}.npy"), Registering.preset("default"))


def yaw(found):
    return np.degrees(np.arctan2(found.T_table_object[1, 0], found.T_table_object[0, 0]))


def test_the_known_motion_is_found():
    found = registered("scene")
    assert yaw(found) == pytest.approx(10, abs=0.5) and found.dropped == 0
    assert yaw(registered("model")) == pytest.approx(0, abs=0.5)


def test_missing_rows_are_dropped_and_counted():
    found = registered("scene_10pct_nan")
    assert found.dropped == 150 and yaw(found) == pytest.approx(10, abs=0.5)


@pytest.mark.parametrize(("name", "reason"), [("scene_empty", Reason.EMPTY_CLOUD), ("scene_mm", Reason.NOT_REGISTERED)])
def test_what_cannot_be_used_is_refused(name, reason):
    with pytest.raises(PerceptionError) as caught:
        registered(name)
    assert caught.value.reason is reason
