"""Rows of the mechanics: closure and epsilon of batches of grasps, beside SciPy.

A row is a function of (`Inputs`, its options) that returns a `Row`; it is entered in `timing_run.ROWS` and
``conf/timing.yaml``. Ours starts from contacts and goes through the public API. The spatial peers are given their
wrenches for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments import timing_peers as peers
from experiments.timing_inputs import Grasps, Inputs
from experiments.timing_row import Agreement, Row
from wrench import Contacts, Convention, Quality, force_closure, primitive_wrenches, quality


def planar_hull(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Planar closure and epsilon beside SciPy's hull, from contacts to answer on both sides."""
    g = inputs.planar
    return Row(
        "planar closure and epsilon",
        "ConvexHull, with its wrenches",
        len(g),
        (judging(g),),
        lambda i: peers.hull_epsilon(peers.planar_wrenches(g.points[i], g.normals[i], g.friction, g.origin[i], g.scale[i])),
        same_epsilon(judged(g), options["tolerance"]),
    )


def spatial_nnls(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Spatial closure beside non-negative least squares."""
    wrenches, residual = pyramid_wrenches(inputs.spatial, options["edges"]), options["residual"]
    return closure_row(inputs.spatial, "nnls", options, lambda i: peers.closed_by_nnls(wrenches[i], residual))


def spatial_linprog(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Spatial closure beside a linear programme."""
    wrenches = pyramid_wrenches(inputs.spatial, options["edges"])
    return closure_row(inputs.spatial, "linprog", options, lambda i: peers.closed_by_linprog(wrenches[i]))


def spatial_hull(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Spatial epsilon of the pyramids beside SciPy's hull, on grasps in closure."""
    g, edges = closed_only(inputs.spatial, options["edges"]), options["edges"]
    wrenches = pyramid_wrenches(g, edges)
    return Row(
        f"spatial epsilon, {edges} edges",
        f"ConvexHull, {edges} edges",
        len(g),
        (judging(g, cone=edges),),
        lambda i: peers.hull_epsilon(wrenches[i]),
        same_epsilon(judged(g, cone=edges), options["tolerance"]),
    )


def spatial_round(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Spatial epsilon of the exact cones beside SciPy's hull of pyramids, on grasps in closure of the pyramids.

    The peer answers an easier question. Its pyramids lie inside the cones, so its epsilon may not exceed our upper
    bound; the median of its share of ours must be the usual one, or the peer is dead.
    """
    g, edges, gap = closed_only(inputs.spatial, options["edges"]), options["edges"], options["gap"]
    wrenches, found = pyramid_wrenches(g, edges), judged(g, gap=gap)
    low, high = options["usual"]

    def agreement(index: NDArray, theirs: NDArray) -> Agreement:
        upper, share = found.epsilon_upper[index], np.median(theirs / found.epsilon[index])
        wide = upper > found.epsilon[index] * (1 + gap)
        wrong = (theirs > upper * (1 + 1e-12)) | wide if low <= share <= high else np.ones(len(index), bool)
        return Agreement(int(wrong.sum()), len(index), f"peer <= our upper bound; median {share:.3f} of ours")

    return Row(
        f"spatial epsilon, exact cones, gap {gap:g}",
        f"ConvexHull, {edges} edges",
        len(g),
        (judging(g, gap=gap),),
        lambda i: peers.hull_epsilon(wrenches[i]),
        agreement,
    )


def closure_row(g: Grasps, peer: str, options: Mapping[str, Any], ask: Callable[[int], bool]) -> Row:
    """Return a row of exact-cone closure beside a peer on pyramids.

    The peer's verdict must be ours for the same pyramids, and whatever they close the exact cones close too.
    """
    ready, pyramid = contacts(g), judged(g, cone=options["edges"]).closure
    exact = force_closure(ready, friction=g.friction)

    def agreement(index: NDArray, theirs: NDArray) -> Agreement:
        wrong = (theirs != pyramid[index]) | (theirs & ~exact[index])
        return Agreement(int(wrong.sum()), len(index), "same verdict on pyramids; exact cones close those too")

    return Row(
        "spatial closure, exact cones",
        f"{peer}, {options['edges']} edges",
        len(g),
        (lambda: force_closure(ready, friction=g.friction),),
        ask,
        agreement,
    )


def same_epsilon(found: Quality, tolerance: float) -> Callable[[NDArray, NDArray], Agreement]:
    """Return the comparison that asks for equal epsilons, and for an epsilon above the tolerance exactly in closure."""

    def agreement(index: NDArray, theirs: NDArray) -> Agreement:
        off = np.abs(theirs - found.epsilon[index])
        wrong = ~(off <= tolerance) | ((theirs > tolerance) != found.closure[index])
        return Agreement(int(wrong.sum()), len(index), f"epsilon within {off.max():.1e}, same verdict")

    return agreement


def contacts(g: Grasps) -> Contacts:
    """Return the contacts of a batch, checked as every user's are."""
    return Contacts.all_made(g.points, g.normals)


def judging(g: Grasps, **choices: Any) -> Callable[[], Quality]:
    """Return what computes the quality of a batch from its contacts, under `paper` unless `choices` say otherwise."""
    ready = contacts(g)
    return lambda: quality(ready, friction=g.friction, origin=g.origin, torque_scale=g.scale, **choices)


def judged(g: Grasps, **choices: Any) -> Quality:
    """Return the quality of a batch under `paper` unless `choices` say otherwise."""
    return judging(g, **choices)()


def closed_only(g: Grasps, edges: int) -> Grasps:
    """Return the grasps that are in closure with pyramids."""
    return g[judged(g, cone=edges).closure]


def pyramid_wrenches(g: Grasps, edges: int) -> NDArray[np.float64]:
    """Return the wrenches (n, 3 edges, 6) of the pyramids."""
    convention = Convention.of("paper", edges)
    found = primitive_wrenches(
        contacts(g), friction=g.friction, origin=g.origin, torque_scale=g.scale, convention=convention
    )
    return found.reshape(len(g), -1, 6)
