"""Fit: point-to-plane ICP (Chen and Medioni 1992) through Open3D, from many yaws, of an object that rests on the table.

Resting fixes height and tilt, so every fit is brought back to a turn about the vertical and a shift along the table. What
a camera sees of a prism has vertical normals only, which hold nothing sideways: the sides are therefore among the targets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from get3d.register_settings import Registering
from get3d.register_surface import Surface
from grasp.frames import invert, transform_points
from objects.open3d_loader import open3d
from wrench.checks import frozen

SPARSE = 5  # of the mesh's samples, one in so many is a target of the first fits
ROUNDS = 2  # of ICP in the last fits, each from where the one before was brought back to
STILL = 1e-6  # change of Open3D's fitness and of its error in metres at which a fit has settled


@dataclass(frozen=True, eq=False)
class Fit:
    """A placement of the object and how well it agrees with the cloud.

    Parameters
    ----------
    T_table_object : (4, 4) float
    pose
        Index of the stable pose.
    fitness
        Share of the cloud within the tolerance of the mesh.
    rmse : metres
        Root mean square distance of those points from the mesh; NaN without any.
    coverage
        Share of what a camera straight above would see of the mesh that is within the tolerance of a point.
    misfit : metres
        Root mean square of both kinds of distance, each cut off at the tolerance and each kind of equal weight.
    """

    T_table_object: NDArray[np.float64]
    pose: int
    fitness: float
    rmse: float
    coverage: float
    misfit: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_table_object", frozen(self.T_table_object))


class _Fitter:
    """Cloud and mesh, made ready once for all the fits of one stable pose."""

    def __init__(self, surface: Surface, index: int, pose: NDArray, points: NDArray, settings: Registering):
        cloud, self.settings, self.surface, self.index, self.pose = _cloud(points), settings, surface, index, pose
        self.coarse, self.fine = (cloud.voxel_down_sample(size) for size in (settings.coarse, settings.fine))
        self.centre = np.asarray(self.fine.points).mean(0)
        target, above = surface.in_sight(pose)
        above &= transform_points(pose, surface.points)[:, 2] >= settings.least_height
        self.above, self.targets = surface.points[above], (surface.points[target], surface.normals[target])
