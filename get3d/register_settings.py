"""Settings of registration: how a mesh is laid into a point cloud, and what is refused."""

from __future__ import annotations

from dataclasses import dataclass, fields

from grasp import presets
from grasp.strict import at_least, build, positive
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Registering:
    """How a mesh is laid into a point cloud. The numbers stand in ``conf/registration``.

    Parameters
    ----------
    starts
        Yaws from which a fit is begun, evenly spread over the full turn.
    refined
        How many of these fits, distinct and best, are made again finely.
    samples
        Points on the mesh.
    coarse : metres
        Between the points of the cloud in the first fits.
    fine
        About how many of the cloud's points the last fits take. None is averaged then, which would round the rim off.
    iterations
        Of one fit at the most.
    reach : metres
        From a point of the cloud to its match in the first fits.
    tolerance : metres
        From the mesh within which a point fits; reach of the last fits.
    least_height : metres
        Above the table, below which a point is taken for the table's.
    least_points
        Of the object.
    greatest_ratio
        Between the sizes of cloud and mesh.
    least_fitness
        Share of the cloud that must fit.
    least_coverage
        Share of what a camera straight above would see of the mesh that must be in the cloud.
    alike
        Ratio of misfits up to which the worse fit is as good as the better one.
    symmetry : metres
        Between the surfaces of two placements up to which they are one.

    Raises
    ------
    InvalidValue
        A number that is not positive; a share above 1; a ratio below 1.
    """

    starts: int
    refined: int
    samples: int
    coarse: float
    fine: int
    iterations: int
    reach: float
    tolerance: float
    least_height: float
    least_points: int
    greatest_ratio: float
    least_fitness: float
    least_coverage: float
    alike: float
    symmetry: float

    def __post_init__(self) -> None:
        for field in fields(self):
            positive(f"registration.{field.name}", getattr(self, field.name), "")
        for name in ("greatest_ratio", "alike"):
            at_least(f"registration.{name}", getattr(self, name), 1, "")
        for name in ("least_fitness", "least_coverage"):
            if getattr(self, name) > 1:
                raise InvalidValue(f"registration.{name}", getattr(self, name), "at most 1, a share")

    @classmethod
    def preset(cls, name: str) -> Registering:
        """Return the settings in ``conf/registration/<name>.yaml``; an unknown name lists the known ones."""
        return build(cls, presets.read("registration", name), "registration")
