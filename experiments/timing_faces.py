"""Faces: what a first touch costs against the number of faces of a torus, exact and by rays, at the same poses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from time import perf_counter
from typing import Any

from experiments.timing_inputs import Inputs
from experiments.timing_scenes import Scene
from get3d.bvh import Bvh
from get3d.close import UNDISPLACED

POSES_ON = 10_000  # faces of the torus that is planned on for the poses


def faces(inputs: Inputs, options: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return, for every number of faces, the seconds per round.

    Parameters
    ----------
    options
        `counts` of faces; `radii` of the torus, metres; `poses` at which pads touch; `rays` per pad; `rounds`.

    Returns
    -------
    list of dict
        ``faces``; ``build_s``, of our tree; ``ours_s`` and ``peer_s``, per pose of three pads.
    """
    T, opening = (part[: options["poses"]] for part in torus(inputs, POSES_ON, options).closed())
    scenes = [torus(inputs, count, options) for count in options["counts"]]
    found = [{"faces": len(scene.solid.faces), "build_s": [], "ours_s": [], "peer_s": []} for scene in scenes]
    for scene in scenes:
        _turn(scene, T[:1], opening[:1], options["rays"])  # warm
    for _ in range(options["rounds"]):
        for entry, scene in zip(found, scenes, strict=True):
            for key, value in _turn(scene, T, opening, options["rays"]).items():
                entry[key].append(value)
    return found


def torus(inputs: Inputs, count: int, options: Mapping[str, Any]) -> Scene:
    """Return the torus of about so many faces: twice as many sections around as across."""
    from trimesh import creation  # slow to import

    across = round(math.sqrt(count / 4))
    return Scene.of(inputs, creation.torus(*options["radii"], major_sections=2 * across, minor_sections=across), 0)


def _turn(scene: Scene, T: Any, opening: Any, per_pad: int) -> dict[str, float]:
    """Return the seconds of one turn."""
    rays, exact = scene.rays(per_pad), scene.sweep
    begin = perf_counter()
    Bvh.of(scene.solid.vertices, scene.solid.faces)
    built = perf_counter()
    exact(scene.pads, T, opening, UNDISPLACED)
    swept = perf_counter()
    rays.first_touch(T, opening)
    cast = perf_counter()
    return {"build_s": built - begin, "ours_s": (swept - built) / len(T), "peer_s": (cast - swept) / len(T)}
