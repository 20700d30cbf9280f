"""Cloud: what a point cloud shows of the object on the table, or why it cannot be used."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from get3d.register_settings import Registering
from grasp.errors import PerceptionError
from grasp.reasons import Reason
from grasp.view import View
from objects.solid import Solid
from wrench.checks import frozen

NEEDS = "Registration needs a point cloud, or depth with a mask from a camera whose pose is known."


@dataclass(frozen=True, eq=False)
class ObjectCloud:
    """The object's part of a cloud.

    Parameters
    ----------
    points : (n, 3) float, metres, table frame
    dropped
        Rows left out because they were not finite.
    on_table
        Points left out because they were too low.
    """

    points: NDArray[np.float64]
    dropped: int
    on_table: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen(self.points))


def points_of(view: View) -> NDArray[np.float64]:
    """Return the points (n, 3) that a view shows of its object, metres, table frame; NaN where depth is missing.

    Raises
    ------
    PerceptionError
        VIEW_LACKS_INPUT: neither a cloud nor depth, mask and camera.
    """
    if view.points is not None:
        return view.points
    if view.depth is None or view.mask is None or view.camera is None:
        raise PerceptionError(Reason.VIEW_LACKS_INPUT, NEEDS)
    v, u = np.nonzero(view.mask)
    return view.camera.deproject(u, v, view.depth[v, u])


def object_cloud(cloud: ArrayLike, settings: Registering) -> ObjectCloud:
    """Return the points of the object.

    Parameters
    ----------
    cloud : (n, 3) float, metres, table frame

    Raises
    ------
    InvalidValue
        Another shape.
    PerceptionError
        EMPTY_CLOUD: too few finite points above the table.
    """
    seen = View.from_cloud(cloud)
    points = np.asarray(seen.points)
    above = points[:, 2] >= settings.least_height
    found = ObjectCloud(points[above], seen.dropped, int((~above).sum()))
    if len(found.points) < settings.least_points:
        raise PerceptionError(
            Reason.EMPTY_CLOUD,
            f"Of {len(points) + seen.dropped} points, {seen.dropped} are not finite and {found.on_table} lie less than "
            f"{settings.least_height * 1e3:g} mm above the table; {settings.least_points} others are needed.",
        )
    return found


def require_same_size(points: NDArray[np.float64], solid: Solid, greatest_ratio: float) -> None:
    """Raise NOT_REGISTERED when cloud and mesh differ so much in size that their units must differ."""
    cloud, mesh = (float(np.linalg.norm(np.ptp(a, axis=0))) for a in (points, solid.vertices))
    if not mesh / greatest_ratio <= cloud <= mesh * greatest_ratio:
        sizes = f"The cloud is {cloud:.4g} m across and the mesh {mesh:.4g} m"
        raise PerceptionError(Reason.NOT_REGISTERED, f"{sizes}: is one of them in another unit, such as millimetres?")
