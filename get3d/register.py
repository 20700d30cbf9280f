"""Registration: where on the table the object of a point cloud lies, given its mesh and the ways in which it can rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from get3d.register_cloud import ObjectCloud, object_cloud, points_of, require_same_size
from get3d.register_fit import Fit, fits
from get3d.register_settings import Registering
from get3d.register_surface import Surface
from grasp.errors import PerceptionError
from grasp.frames import invert
from grasp.reasons import Reason
from grasp.view import View
from objects.solid import Solid
from wrench.checks import frozen
from wrench.errors import InvalidValue

MM = 1e3


@dataclass(frozen=True, eq=False)
class Registration:
    """The one clear placement of a mesh in a cloud.

    Parameters
    ----------
    T_table_object : (4, 4) float
        From the frame of the mesh to the table's; the object rests on the table.
    pose
        Index of the stable pose in which it lies.
    fitness, coverage, rmse, misfit
        As in `register_fit.Fit`; the lengths in metres.
    runner_up : metres
        Misfit of the best placement that puts the surface elsewhere; inf where there was none.
    symmetric : radians
        Turns about the vertical, from this placement, to others that fit as well since they put the surface in the same
        place. Empty for a shape without symmetry; for a round one, some of the many.
    dropped, on_table
        Points of the cloud left out because they were not finite, and because they were too low.
    """

    T_table_object: NDArray[np.float64]
    pose: int
    fitness: float
    coverage: float
    rmse: float
    misfit: float
    runner_up: float
    symmetric: tuple[float, ...]
    dropped: int
    on_table: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_table_object", frozen(self.T_table_object))


def register(solid: Solid, poses: Sequence[ArrayLike], cloud: ArrayLike, settings: Registering) -> Registration:
    """Return where a solid lies in a point cloud.

    Parameters
    ----------
    solid
        In any frame of its own.
    poses : p times (4, 4) float
        `T_table_object` of the ways in which it may rest (`objects.stable`). Only a turn about the vertical and a shift
        along the table are looked for.
    cloud : (n, 3) float, metres, table frame
        The object as seen from above, on the table or cut out of it. Rows that are not finite are dropped and counted.
    settings
        From ``conf/registration``.

    Raises
    ------
    InvalidValue
        No poses, or one in which the solid does not rest on the table; a cloud of another shape.
    PerceptionError
        EMPTY_CLOUD, or NOT_REGISTERED: another unit, no overlap, a poor fit, or two placements that fit equally well and
        differ.
    """
    if not len(poses):
        raise InvalidValue("poses", "none", "at least one way in which the object rests")
    seen = object_cloud(cloud, settings)
    require_same_size(seen.points, solid, settings.greatest_ratio)
    surface = Surface.of(solid, settings.samples)
    found = fits(surface, [np.asarray(pose, float) for pose in poses], seen.points, settings)
    _require_good(found[0], settings)
    return _clear(found, surface, seen, settings)


def register_view(view: View, solid: Solid, poses: Sequence[ArrayLike], settings: Registering) -> View:
    """Return the view with the mesh of a solid laid where its points show it; arguments and errors as for `register`.

    The points are the view's cloud, else those of its depth inside its mask. The planner on meshes then takes the view.
    """
    return replace(view, mesh=solid.posed(register(solid, poses, points_of(view), settings).T_table_object).mesh)


def _require_good(best: Fit, settings: Registering) -> None:
    """Raise NOT_REGISTERED when the best fit is a poor one."""
    near = f"{settings.tolerance * MM:g} mm"
    if best.fitness == 0:
        raise PerceptionError(Reason.NOT_REGISTERED, f"No point of the cloud comes within {near} of the mesh.")
    if best.fitness < settings.least_fitness or best.coverage < settings.least_coverage:
        raise PerceptionError(
            Reason.NOT_REGISTERED,
            f"At best {best.fitness:.0%} of the points are within {near} of the mesh, {settings.least_fitness:.0%} needed, "
            f"and {best.coverage:.0%} of its upper side is near a point, {settings.least_coverage:.0%} needed.",
        )


def _clear(found: list[Fit], surface: Surface, seen: ObjectCloud, settings: Registering) -> Registration:
    """Return the first of the fits, best first, unless another one is as good and puts the surface elsewhere."""
    best, *others = found
    rivals = [fit for fit in others if surface.apart(best.T_table_object, fit.T_table_object) > settings.symmetry]
    runner_up, as_good = rivals[0].misfit if rivals else np.inf, settings.alike * best.misfit
    if runner_up <= as_good:
        raise PerceptionError(Reason.NOT_REGISTERED, _two_ways(best, rivals[0]))
    turns = [_turn(best, fit) for fit in others if fit.pose == best.pose and fit.misfit <= as_good]
    return Registration(
        best.T_table_object,
        best.pose,
        best.fitness,
        best.coverage,
        best.rmse,
        best.misfit,
        runner_up,
        tuple(turns),
        seen.dropped,
        seen.on_table,
    )


def _turn(start: Fit, end: Fit) -> float:
    """Return the turn about the vertical from one fit to another of the same pose, radians in (-pi, pi]."""
    T = end.T_table_object @ invert(start.T_table_object)
    return float(np.arctan2(T[1, 0], T[0, 0]))


def _two_ways(best: Fit, rival: Fit) -> str:
    """Return the sentence for two placements that fit equally well."""
    yaws = [np.degrees(np.arctan2(fit.T_table_object[1, 0], fit.T_table_object[0, 0])) for fit in (best, rival)]
    places = [
        f"pose {fit.pose} at a yaw of {yaw:.1f} deg ({fit.misfit * MM:.2f} mm)"
        for fit, yaw in zip((best, rival), yaws, strict=True)
    ]
    return f"Two placements fit equally well: {' and '.join(places)}."
