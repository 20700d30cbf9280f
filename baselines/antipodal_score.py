"""Scores: what makes one antipodal grasp better than another, and their order."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
import shapely
from numpy.typing import NDArray

from baselines.antipodal_attitude import Attitude
from baselines.antipodal_candidates import Candidates
from baselines.cloud import DataQuality
from baselines.cloud_scene import RIM, SAMPLERS
from grasp.gripper import Gripper
from grasp.strict import at_least


@dataclass(frozen=True)
class Weights:
    """What each of the scores counts; at least 0. They stand in ``conf/planner/antipodal.yaml``; see `Scores`."""

    cone: float
    arm: float
    room: float
    data: float
    flatness: float
    approach: float

    def __post_init__(self) -> None:
        for field in fields(self):
            at_least(f"weights.{field.name}", getattr(self, field.name), 0, "")


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of candidates (n,), each from 0 to 1 and higher for a better grasp.

    Parameters
    ----------
    cone : (n,) float
        Margin of the line between the ends in the tighter of their friction cones, over the cone's half angle. Every degree
        absorbs a degree of error in pose, calibration and normals.
    arm : (n,) float
        1 less the distance of the footprint's centroid from the closing line, seen from above, over its distance from the
        farthest corner. That distance times the weight is the torque that turns the object about the line.
    room : (n,) float
        Share of the gripper's greatest opening that is left, so that the fingers get around the object.
    data : (n,) float
        1 less the worse surface variation of the ends over the greatest allowed; 0 where nothing was measured.
    flatness : (n,) float
        1 less the worst residual under a pad over the thickness of the compliant pads.
    approach : (n,) float
        1 less the angle between the approach and the preferred one over that of the allowed cone about straight down.
    """

    cone: NDArray[np.float64]
    arm: NDArray[np.float64]
    room: NDArray[np.float64]
    data: NDArray[np.float64]
    flatness: NDArray[np.float64]
    approach: NDArray[np.float64]

    def total(self, weights: Weights) -> NDArray[np.float64]:
        """Return the weighted sum (n,)."""
        return sum((weight * getattr(self, name) for name, weight in asdict(weights).items()), np.zeros(len(self.cone)))


def scores(
    candidates: Candidates, polygon: Any, friction: float, gripper: Gripper, attitude: Attitude, data: DataQuality
) -> Scores:
    """Return the scores of candidates (n,) on an object with that outline in the table frame, metres."""
    assumed = candidates.sampler == SAMPLERS.index(RIM)
    shares = {
        "cone": candidates.margin.min(1) / max(np.arctan(friction), np.finfo(float).tiny),
        "arm": 1 - _arm(candidates.T_table_gripper, polygon),
        "room": 1 - candidates.needed / gripper.max_opening,
        "data": np.where(assumed, 0, 1 - candidates.curvature / data.curvature),
        "flatness": 1 - candidates.residual / gripper.pad_thickness,
        "approach": 1 - attitude.off(candidates.T_table_gripper[:, :3, 2]) / attitude.cone,
    }
    return Scores(**{name: np.clip(share, 0, 1) for name, share in shares.items()})


def _arm(T: NDArray[np.float64], polygon: Any) -> NDArray[np.float64]:
    """Return the distance (n,) of the centroid from closing lines, seen from above, over that of the farthest corner."""
    centre = shapely.get_coordinates(polygon.centroid)[0]
    farthest = np.linalg.norm(shapely.get_coordinates(polygon.exterior) - centre, axis=1).max()
    line, offset = T[:, :2, 0], centre - T[:, :2, 3]
    across = line[:, 0] * offset[:, 1] - line[:, 1] * offset[:, 0]
    return np.abs(across) / np.maximum(np.linalg.norm(line, axis=1), np.finfo(float).tiny) / farthest
