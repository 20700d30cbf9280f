"""Row of GET-2D: whole plans on masks, beside the same closings by Shapely and the same hulls by SciPy.

Ours goes from the mask to the ranked list. The peer is given the outline and where the discs start for nothing, and
leaves out the closing without displacement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from experiments import timing_peers as peers
from experiments.timing_inputs import Inputs, random_ring
from experiments.timing_row import Agreement, Row
from get2d import Get2D, perceive
from get2d.close import close
from get2d.edges import Edges
from get2d.evaluate import Evaluated
from grasp.circles import Circles, circles
from grasp.plan import Plan
from grasp.view import View
from wrench import InvalidValue

STREAM = 2  # of the seed
SUBPIXEL = 4  # bits of a pixel to which OpenCV fills polygons
SEARCHES = 6  # for a spacing; each leaves a tenth of the error


@dataclass(frozen=True, eq=False)
class Work:
    """What one plan evaluates: n candidates under s draws with k discs, metres and table frame.

    Parameters
    ----------
    planner, mask, pixels_per_meter, seed
        Of the plan.
    start : (n, s, k, 2), heading : (n, k, 2), opening : (n,) float
        Where the discs start, and the opening.
    answers : (n, s, 1 + 2 k) float
        Ours: epsilon, and the contacts' x and y; NaN for those not made.
    closed : (n, s) bool
        Ours.
    evaluated
        All of the planner's.
    """

    planner: Get2D
    mask: NDArray[np.bool_]
    pixels_per_meter: float
    seed: int
    start: NDArray[np.float64]
    heading: NDArray[np.float64]
    opening: NDArray[np.float64]
    answers: NDArray[np.float64]
    closed: NDArray[np.bool_]
    evaluated: Evaluated

    def plan(self) -> Plan:
        """Return the plan, from the mask to the ranked list."""
        view = View.from_mask(self.mask, self.pixels_per_meter)
        found = self.planner.plan(view, np.random.default_rng(self.seed))
        if not isinstance(found, Plan):
            raise InvalidValue("plan2d", found.detail, "a plan: choose other polygons")
        return found

    @classmethod
    def of(cls, planner: Get2D, mask: NDArray[np.bool_], pixels_per_meter: float, seed: int) -> Work:
        """Return what a planner does on a mask."""
        view, gripper = View.from_mask(mask, pixels_per_meter), planner.gripper
        found = planner.candidates(view, np.random.default_rng(seed))
        some, discs = found.candidates[found.candidates.opening > 0], circles(gripper)
        draws = planner.perturbation.draws(np.random.default_rng(seed), dimension=2)
        shut = close(
            *(Edges.of(found.footprint.polygon), discs, some.centre, some.angle, some.opening),
            min_opening=gripper.min_opening,
            tolerance=gripper.tolerance,
            translation=draws.translation,
            rotation=draws.rotation,
            skip=np.zeros(len(some), bool),
        ).contacts
        quality = planner.judge.quality(shut, found.origin, found.torque_scale)
        points = np.where(shut.made[..., None], shut.points, np.nan).reshape(*shut.batch, -1)
        answers = np.concatenate([quality.epsilon[..., None], points], -1)
        start, heading = starts(discs, some.centre[:, None] + draws.translation, some.angle, some.opening)
        return cls(planner, mask, pixels_per_meter, seed, start, heading, some.opening, answers, quality.closure, found)


def plan2d(inputs: Inputs, options: Mapping[str, Any]) -> Row:
    """Whole plans of about `candidates` candidates on masks of random polygons; a question is one under all draws."""
    masks = works(inputs, options)
    plain = [partial(plain_closings, work, outline_of(work, options["segments"])) for work in masks]
    question = [(m, g) for m, work in enumerate(masks) for g in range(len(work.opening))]
    tolerance = options["tolerance"]

    def agreement(index: NDArray, theirs: NDArray) -> Agreement:
        asked = [question[i] for i in index]
        ours = np.array([masks[m].answers[g] for m, g in asked])  # (n, s, 1 + 2 k)
        closed = np.array([masks[m].closed[g] for m, g in asked])
        same = np.isclose(theirs, ours, rtol=0, atol=tolerance, equal_nan=True).all(-1)
        wrong = ~same | ((theirs[..., 0] > tolerance) != closed)
        return Agreement(int(wrong.sum()), wrong.size, f"contacts (m) and epsilon within {tolerance:g}, same verdict")

    return Row(
        f"GET-2D plan, {len(question) / len(masks):.0f} candidates x {masks[0].start.shape[1]}",
        "the same by Shapely and ConvexHull",
        len(question),
        tuple(work.plan for work in masks),
        lambda i: plain[question[i][0]](question[i][1]),
        agreement,
        each=masks[0].start.shape[1],
    )


def starts(discs: Circles, centre: NDArray, angle: NDArray, opening: NDArray) -> tuple[NDArray, NDArray]:
    """Return where discs start (n, s, k, 2), for grippers at `centre` (n, s, 2), and their headings (n, k, 2)."""
    closing = np.stack([np.cos(angle), np.sin(angle)], -1)[:, None]  # (n, 1, 2)
    right = np.stack([np.sin(angle), -np.cos(angle)], -1)[:, None]
    heading = np.where(discs.wide, 1.0, -1.0)[:, None] * closing
    back = (opening / 2 + discs.radius)[:, None, None] * heading - discs.offset[:, None] * right
    return centre[:, :, None] - back[:, None], heading


def works(inputs: Inputs, options: Mapping[str, Any]) -> list[Work]:
    """Return what the plans evaluate, one per mask."""
    rng, base, scale = inputs.stream(STREAM), Get2D.preset(gripper=inputs.config["gripper"]), options["pixels_per_meter"]
    base = replace(base, judge=replace(base.judge, friction=inputs.config["friction"]))
    rings = [random_ring(rng, inputs.config["planar"]) for _ in range(options["masks"])]
    masks = [painted(ring * scale, options["size"]) for ring in rings]
    return [Work.of(_dense(base, mask, options), mask, scale, seed) for seed, mask in enumerate(masks)]


def painted(ring: NDArray[np.float64], size: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask, `size` (width, height), of a polygon in pixels about the picture's middle with its second axis up."""
    width, height = size
    pixels = ring * [1, -1] + [(width - 1) / 2, (height - 1) / 2]
    mask = np.zeros((height, width), np.uint8)
    cv2.fillPoly(mask, [np.round(pixels * 2**SUBPIXEL).astype(np.int32)], 1, shift=SUBPIXEL)
    return mask.astype(bool)


def _dense(base: Get2D, mask: NDArray[np.bool_], options: Mapping[str, Any]) -> Get2D:
    """Return the planner with its lines as dense as it takes for about as many candidates that fit as are wanted."""
    footprint, planner = perceive(View.from_mask(mask, options["pixels_per_meter"]), base.perception), base
    for _ in range(SEARCHES):
        found = planner.on_footprint(footprint, np.random.default_rng(0)).candidates
        fitting = np.count_nonzero(found.opening)
        if fitting == 0:
            raise InvalidValue("plan2d", "a mask of an object that fits nowhere", "of a smaller one")
        spacing = planner.density.edge_spacing * fitting / options["candidates"]
        planner = replace(base, density=replace(base.density, edge_spacing=spacing, hole_spacing=spacing))
    return planner


def outline_of(work: Work, segments: int) -> peers.Outline:
    """Return the peer's outline of the object; `segments` as in `Outline.of`."""
    return peers.Outline.of(work.evaluated.footprint.polygon, circles(work.planner.gripper).radius, segments)


def plain_closings(work: Work, outline: peers.Outline, g: int) -> NDArray[np.float64]:
    """Return the peer's answers (s, 1 + 2 k) to candidate g."""
    gripper, wide = work.planner.gripper, circles(work.planner.gripper).wide
    s, k = work.start.shape[1:3]
    heading, reach = np.tile(work.heading[g], (s, 1)), work.opening[g]
    travel, points, normals = outline.first_touch(work.start[g].reshape(-1, 2), heading, reach)
    travel, points, normals = travel.reshape(s, k), points.reshape(s, k, 2), normals.reshape(s, k, 2)
    first = np.where(wide, travel[:, wide].min(1, keepdims=True), travel[:, ~wide].min(1, keepdims=True))  # (s, k)
    grips = reach - first[:, wide][:, 0] - first[:, ~wide][:, 0] >= gripper.min_opening  # not with inf or NaN
    made = grips[:, None] & (travel <= first + gripper.tolerance)
    origin, scale = work.evaluated.origin.point, float(work.evaluated.torque_scale.metres)
    friction = work.planner.judge.friction
    answers = np.full((s, 1 + 2 * k), np.nan)
    answers[:, 0] = 0
    answers[:, 1:] = np.where(made[..., None], points, np.nan).reshape(s, -1)
    for draw in np.flatnonzero(grips):
        some = made[draw]
        wrenches = peers.planar_wrenches(points[draw, some], normals[draw, some], friction, origin, scale)
        answers[draw, 0] = peers.hull_epsilon(wrenches)
    return answers
