"""Rows of GET-3D: whole plans on meshes, and first touches alone, beside rays, linear programmes and hulls.

The plain version of a plan casts a grid of rays from every pad (trimesh, Embree), asks `linprog` for closure, and SciPy's
hull of pyramids for epsilon of the tied best. It is asked a sample of what the plan evaluated, spread evenly over all of
it: the time per evaluation is extrapolated by their number. It is spared the collision checks, the drawing of poses, the
search for the balance (ours needs few touches, and they count two pads of three), and the making of wrenches.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from hydra.utils import instantiate
from numpy.typing import NDArray

from experiments import timing_peers as peers
from experiments.timing_inputs import Inputs
from experiments.timing_row import Agreement, Row
from experiments.timing_scenes import Scene, Work
from get3d.close import UNDISPLACED
from objects.shapes import make


def plan3d(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Whole plans on meshes; a question is `each` of the evaluations of one plan."""
    scenes, edges = standing(inputs, options["meshes"]), options["edges"]
    works = [Work.of(scene, edges) for scene in scenes]
    rays = [scene.rays(options["rays"]) for scene in scenes]
    block = blocks([len(work.opening) for work in works], options["each"])

    def agreement(index: NDArray, theirs: NDArray) -> Agreement:
        ours = np.array([works[m].answers[some] for m, some in (block[i] for i in index)])  # (n, each, 5)
        wrong, rule = compare_touches(ours[..., :3], theirs[..., :3], options)
        wrong |= ~(np.abs(theirs[..., 3:] - ours[..., 3:]) <= options["tolerance"]).all(-1)
        return Agreement(int(wrong.sum()), wrong.size, f"{rule}; same closure and epsilon of pyramids")

    return Row(
        f"GET-3D plan, {scenes[0].planner.sampling.candidates} x {scenes[0].planner.perturbation.samples}, per evaluation",
        f"rays, linprog, ConvexHull; {edges} edges, a sample",
        len(block),
        tuple(scene.plan for scene in scenes),
        lambda i: _plain(works[block[i][0]], rays[block[i][0]], block[i][1]),
        agreement,
        options["each"],
    )


def three_pads(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """First touches of three pads at the poses of a plan, from poses to contacts; a question is `each` of them."""
    scenes = standing(inputs, options["meshes"])
    poses, rays = [scene.closed() for scene in scenes], [scene.rays(options["rays"]) for scene in scenes]
    touching = [partial(s.sweep, s.pads, *where, UNDISPLACED) for s, where in zip(scenes, poses, strict=True)]
    depth = [touch().depth[:, 0] for touch in touching]  # (n, 3) each
    block = blocks([len(opening) for _, opening in poses], options["each"])

    def ask(i: int) -> NDArray[np.float64]:
        m, some = block[i]
        return rays[m].first_touch(*(part[some] for part in poses[m]))[0]

    def agreement(index: NDArray, theirs: NDArray) -> Agreement:
        wrong, rule = compare_touches(np.array([depth[m][some] for m, some in (block[i] for i in index)]), theirs, options)
        return Agreement(int(wrong.sum()), wrong.size, rule)

    peer = f"{rays[0].places[..., 0].size} rays, trimesh-Embree"
    return Row(
        f"three-pad contact, {', '.join(options['meshes'])}",
        peer,
        len(block),
        tuple(touching),
        ask,
        agreement,
        options["each"],
    )


def standing(inputs: Inputs, names: Sequence[str]) -> list[Scene]:
    """Return the scenes with the meshes of these names in ``conf/timing.yaml``."""
    solids = [instantiate(inputs.config["meshes"][name], _convert_="all") for name in names]
    return [Scene.of(inputs, solid, seed) for seed, solid in enumerate(solids)]


def refined(shape: str, times: int) -> Any:
    """Return a shape of `objects.shapes` as trimesh has it, each face cut into four so many times."""
    solid = make(shape)
    for _ in range(times):
        solid = solid.subdivide()
    return solid


def blocks(sizes: Sequence[int], each: int) -> list[tuple[int, slice]]:
    """Return batch and slice of all blocks of `each` in batches of these sizes; what is left over is left out."""
    return [(m, slice(b, b + each)) for m, size in enumerate(sizes) for b in range(0, size - each + 1, each)]


def compare_touches(ours: NDArray, theirs: NDArray, options: Mapping[str, Any]) -> tuple[NDArray[np.bool_], str]:
    """Return which touches (*b, k) of rays come before the exact ones (*b,), and what is asked of them.

    Rays may miss what a pad meets and so come late, but not early. They must usually come soon, or the peer is dead. Not
    compared are pads that start inside the object, NaN.
    """
    late = np.subtract(theirs, ours, out=np.zeros_like(ours), where=theirs != ours)  # two that meet nothing are even
    usual = np.median(late[np.isfinite(late)])
    wrong = (late < -options["early"]).any(-1) | (usual > options["usual"])
    return wrong, f"rays never earlier; late by {usual * 1e3:.2f} mm in the median"


def _plain(work: Work, rays: peers.PadRays, some: slice) -> NDArray[np.float64]:
    """Return the peer's answers (each, 5), as in `Work`."""
    depth = rays.first_touch(work.T[some], work.opening[some])[0]
    answers = np.zeros((len(depth), 5))
    answers[:, :3] = depth
    for row, (wrenches, asked, tied) in enumerate(zip(work.wrenches[some], work.asked[some], work.tied[some], strict=True)):
        answers[row, 3] = asked and peers.closed_by_linprog(wrenches)
        answers[row, 4] = peers.hull_epsilon(wrenches) if tied else 0
    return answers
