"""Judging: closing lines become poses, and every pose is tested against the table, the object and the arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.footprint_lines import Lines
from baselines.footprint_scene import FLAT, Scene, entered
from baselines.footprint_settings import Room
from get2d.height import Approach
from grasp.cleared import Cleared
from grasp.frames import planar_axes, pose_top_down
from grasp.gripper import Gripper
from grasp.reach import Reach
from grasp.reasons import Reason
from grasp.solids import boxes
from wrench.checks import frozen

ROUNDING = 1e-9  # metres by which two lengths that differ are equal


@dataclass(frozen=True, eq=False)
class Judged:
    """Closing lines as poses.

    Parameters
    ----------
    name
        Of the way they come in.
    lines : n
    T_table_gripper, T_table_pregrasp : (n, 4, 4) float, metres
    contacts : (n,) int
        Pads that meet the object within the gripper's tolerance of the first of their jaw; 0 for lines rejected before.
    reason : (n,) uint8
        Of the lines, or why the pose is rejected.
    cleared
        What became of those accepted before that were held against the surroundings; None where none were known.
    """

    name: str
    lines: Lines
    T_table_gripper: NDArray[np.float64]
    T_table_pregrasp: NDArray[np.float64]
    contacts: NDArray[np.int64]
    reason: NDArray[np.uint8]
    cleared: Cleared | None = None

    def __post_init__(self) -> None:
        for name, dtype in (("contacts", np.int64), ("reason", np.uint8)):
            object.__setattr__(self, name, frozen(getattr(self, name), dtype))
        for name in ("T_table_gripper", "T_table_pregrasp"):
            object.__setattr__(self, name, frozen(getattr(self, name)))


def judged(
    name: str,
    lines: Lines,
    tilt: float,
    azimuth: float,
    *,
    scene: Scene,
    gripper: Gripper,
    approach: Approach,
    room: Room,
    reach: Reach,
) -> Judged:
    """Return the poses of closing lines (n,) for one way to come in, each with the first reason that rejects it.

    In order: HITS_TABLE, NO_CONTACT or ONE_SIDED, GRIPPER_IN_OBJECT, APPROACH_BLOCKED, OUT_OF_REACH.

    Parameters
    ----------
    tilt, azimuth
        Radians: of the approach from straight down, and the heading it leans to.
    """
    T = poses(lines, tilt, azimuth, scene, room)
    below = approach.table_clearance - lowest(gripper, T, lines.opening)
    rises = np.maximum(below, 0) if scene.top is not None else np.zeros(len(lines))
    T[:, 2, 3] += rises
    pre = T.copy()
    pre[:, :3, 3] -= room.stand_off * T[:, :3, 2]
    reason, contacts = lines.reason.copy(), np.zeros(len(lines), int)
    reason[(reason == 0) & (below - rises > ROUNDING)] = Reason.HITS_TABLE.code
    for i in np.flatnonzero(reason == 0):
        met = pads_met(scene.columns, T[i], gripper, lines.opening[i], approach.overlap)
        contacts[i], reason[i] = met.sum(), _touch(met, np.array(gripper.is_wide), rises[i] > ROUNDING)
        if reason[i] == 0:
            reason[i] = _room(scene.columns, T[i], gripper, lines.opening[i], room)
    reached = reach.reachable(T) & reach.reachable(pre)
    reason[(reason == 0) & ~reached] = Reason.OUT_OF_REACH.code
    return Judged(name, lines, T, pre, contacts, reason)


def poses(lines: Lines, tilt: float, azimuth: float, scene: Scene, room: Room) -> NDArray[np.float64]:
    """Return `T_table_gripper` (n, 4, 4): the closing axis level, the approach tilted about it towards `azimuth`.

    From straight above the fingertips are at the scene's height. Tilted, they pass the closing line by the insertion, and
    the line lies at that height or at a share of the object's, whichever is higher.
    """
    if tilt == 0:
        return pose_top_down(lines.centre, lines.heading, scene.fingertip_height)
    height = np.nanmax([scene.fingertip_height, np.nan if scene.top is None else room.share_of_height * scene.top])
    _, right = planar_axes(lines.heading)
    forward = np.array([np.cos(azimuth), np.sin(azimuth)])
    T = pose_top_down(lines.centre, lines.heading, height)
    turn = -np.sign(right @ forward)[:, None] * [tilt, 0.0, 0.0]
    from scipy.spatial.transform import Rotation  # slow to import

    T[:, :3, :3] = T[:, :3, :3] @ Rotation.from_rotvec(turn).as_matrix()
    T[:, :3, 3] += room.insertion * T[:, :3, 2]
    return T


def lowest(gripper: Gripper, T: NDArray[np.float64], opening: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the height (n,) in metres of the lowest corner of the gripper."""
    found = boxes(gripper, opening)
    reach = (np.abs(T[:, None, 2, :3]) * found.size / 2).sum(-1)  # (n, m)
    return (T[:, None, 2, 3] + (found.centre * T[:, None, 2, :3]).sum(-1) - reach).min(-1)


def pads_met(columns: NDArray, T: NDArray, gripper: Gripper, opening: float, overlap: float) -> NDArray[np.bool_]:
    """Tell which pads (k,) of one pose meet the object when the jaws close, within the tolerance of the first of their jaw.

    Columns that stand less than `overlap` metres above the end of a pad do not count.
    """
    wide, pads = np.array(gripper.is_wide), gripper.pads
    high = np.array([(opening / 2, pad.offset + pad.width / 2, -overlap) for pad in pads])
    low = np.array([(-opening / 2, pad.offset - pad.width / 2, -pad.height) for pad in pads])
    x = (columns * FLAT - T[:3, 3]) @ T[:3, 0]  # the closing axis is level
    side = np.where(wide, 1.0, -1.0)
    travel = np.where(entered(columns, T, low, high), side * x[:, None] + opening / 2, np.inf).min(0, initial=np.inf)
    met = np.zeros(len(pads), bool)
    for jaw in (wide, ~wide):
        met[jaw] = np.isfinite(travel[jaw]) & (travel[jaw] <= travel[jaw].min() + gripper.tolerance + ROUNDING)
    return met


def _touch(met: NDArray[np.bool_], wide: NDArray[np.bool_], raised: bool) -> int:
    """Return the code for what the jaws meet; a gripper raised off the table passes above what it misses."""
    if met[wide].any() and met[~wide].any():
        return Reason.OK.code
    if raised:
        return Reason.HITS_TABLE.code
    return (Reason.ONE_SIDED if met.any() else Reason.NO_CONTACT).code


def _room(columns: NDArray, T: NDArray, gripper: Gripper, opening: float, room: Room) -> int:
    """Return the code for the boxes of the gripper, where it arrives and on its way in."""
    found = boxes(gripper, opening)
    low, high = found.centre - found.size / 2 + room.slack, found.centre + found.size / 2 - room.slack
    if not entered(columns, T, low - [0.0, 0.0, room.stand_off], high).any():
        return Reason.OK.code
    return (Reason.GRIPPER_IN_OBJECT if entered(columns, T, low, high).any() else Reason.APPROACH_BLOCKED).code
