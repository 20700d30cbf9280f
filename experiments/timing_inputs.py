"""Grasps to time on: three contacts each, where the gripper's fingers would touch random polygons and primitive solids.

Every candidate closes along the normal of a random edge or face and is met again at Gaussian offsets, so neighbours are
alike as in a planner's batch and both verdicts occur.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hydra.utils import instantiate
from numpy.typing import NDArray
from shapely import Polygon

from experiments.timing_closing import Touch, cast_ray, close, sweep_disc
from grasp.circles import circles
from grasp.gripper import Gripper
from wrench import InvalidValue, origin_of, torque_scale_of


@dataclass(frozen=True, eq=False)
class Grasps:
    """A batch (n,) of grasps as plain arrays, as a peer would have them.

    Parameters
    ----------
    points, normals : (n, 3, d) metres and unit vectors into the object
    origin : (n, d) metres
        Centre of mass.
    scale : (n,) metres
        Object length.
    friction
    """

    points: NDArray[np.float64]
    normals: NDArray[np.float64]
    origin: NDArray[np.float64]
    scale: NDArray[np.float64]
    friction: float

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: Any) -> Grasps:
        """Index every array alike."""
        return Grasps(self.points[index], self.normals[index], self.origin[index], self.scale[index], self.friction)


@dataclass(frozen=True, eq=False)
class Inputs:
    """What rows are timed on, made when a row asks for it; each has its own stream of the seed.

    Parameters
    ----------
    config
        ``conf/timing.yaml`` as plain values.
    """

    config: Mapping[str, Any]

    @cached_property
    def planar(self) -> Grasps:
        """The closings on polygons that the config describes."""
        return planar_grasps(self.stream(0), self.gripper, self.config["friction"], self.config["planar"])

    @cached_property
    def spatial(self) -> Grasps:
        """The closings on solids that the config describes."""
        return spatial_grasps(self.stream(1), self.gripper, self.config["friction"], self.config["spatial"])

    @property
    def gripper(self) -> Gripper:
        """The gripper that closes."""
        return Gripper.preset(self.config["gripper"])

    def stream(self, number: int) -> np.random.Generator:
        """Return a generator of its own for every number."""
        return np.random.default_rng(np.random.SeedSequence(self.config["seed"], spawn_key=(number,)))


def planar_grasps(rng: np.random.Generator, gripper: Gripper, friction: float, options: Mapping[str, Any]) -> Grasps:
    """Return closings of the gripper's circles on random polygons; `options` as in ``conf/timing.yaml``, planar."""
    radius, draws, start = circles(gripper).radius, options["draws"], options["start"]

    def closings() -> tuple[Any, list[NDArray]]:
        ring = random_ring(rng, options)
        edge = rng.integers(len(ring), size=options["candidates"])
        step = np.roll(ring, -1, 0)[edge] - ring[edge]
        at = ring[edge] + rng.uniform(0, 1, (len(edge), 1)) * step
        axis = np.repeat(np.stack([-step[:, 1], step[:, 0]], -1) / np.linalg.norm(step, axis=1)[:, None], draws, 0)
        at = np.repeat(at, draws, 0) + rng.normal(0, options["sigma"], (len(axis), 2))
        across = np.stack([-axis[:, 1], axis[:, 0]], -1)

        def touch(centre: NDArray, direction: NDArray) -> Touch:
            return sweep_disc(ring, centre, direction, radius)

        return Polygon(ring), close(touch, at, axis, across, gripper, start, radius)

    return collect(rng, closings, options["grasps"], friction)


def spatial_grasps(rng: np.random.Generator, gripper: Gripper, friction: float, options: Mapping[str, Any]) -> Grasps:
    """Return closings of three rays, one per finger, on meshes; `options` as in ``conf/timing.yaml``, spatial."""
    from trimesh.sample import sample_surface  # half a second

    solids = instantiate(options["solids"], _convert_="all")

    def closings() -> tuple[Any, list[NDArray]]:
        solid = solids[rng.integers(len(solids))]
        at, face = sample_surface(solid, options["candidates"], seed=rng)[:2]
        axis = np.repeat(-solid.face_normals[face], options["draws"], 0)
        at = np.repeat(at, options["draws"], 0) + rng.normal(0, options["sigma"], axis.shape)
        across = np.cross(axis, np.repeat(rng.normal(size=(len(face), 3)), options["draws"], 0))
        across /= np.linalg.norm(across, axis=1)[:, None]

        def touch(start: NDArray, direction: NDArray) -> Touch:
            return cast_ray(solid, start, direction)

        return solid, close(touch, at, axis, across, gripper, options["start"], 0.0)

    return collect(rng, closings, options["grasps"], friction)


def random_ring(rng: np.random.Generator, options: Mapping[str, Any]) -> NDArray[np.float64]:
    """Return a random polygon (v, 2) in metres, counter-clockwise and star-shaped about zero."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(*options["vertices"], endpoint=True)))
    if np.diff(angle, append=angle[0] + 2 * np.pi).max() > np.pi / 2:  # zero might lie outside
        return random_ring(rng, options)
    waves = np.asarray(options["waves"])
    phase = np.arange(2, len(waves) + 2) * angle[:, None] + rng.uniform(0, 2 * np.pi, len(waves))
    radius = np.clip(1 + np.cos(phase) @ rng.normal(0, waves), *options["clip"]) * rng.uniform(*options["radius"])
    return radius[:, None] * np.stack([np.cos(angle), rng.uniform(*options["squash"]) * np.sin(angle)], -1)


def collect(
    rng: np.random.Generator, closings: Callable[[], tuple[Any, list[NDArray]]], count: int, friction: float
) -> Grasps:
    """Return `count` grasps in random order, from as many objects as it takes."""
    parts: list[list[NDArray]] = []
    found, objects = 0, 0
    while found < count:
        shape, (points, normals) = closings()
        origin = origin_of(shape, "centroid")
        scale = torque_scale_of(shape, "object_length", origin).metres
        found, objects = found + len(points), objects + 1
        parts.append([points, normals, np.tile(origin.point, (len(points), 1)), np.full(len(points), scale)])
        if objects > 100 + count:
            raise InvalidValue("grasps", count, f"possible: the settings gave {found} on {objects} objects")
    points, normals, origins, scales = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Grasps(points, normals, origins, scales, friction)[rng.permutation(found)[:count]]
