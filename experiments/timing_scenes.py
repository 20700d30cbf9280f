"""Scenes: meshes on the table with the planner that is let loose on them, and all that one plan evaluates there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.timing_inputs import Inputs
from experiments.timing_peers import PadRays
from get3d.bvh import Bvh
from get3d.close import UNDISPLACED, close
from get3d.evaluate import Evaluated
from get3d.pads import Pads
from get3d.planner import Get3D
from get3d.rays import grid
from get3d.touch import Sweep
from grasp.mesh import Mesh
from grasp.plan import Plan
from grasp.view import View
from wrench import Convention, InvalidValue, primitive_wrenches, quality


@dataclass(frozen=True, eq=False)
class Scene:
    """One mesh on the table, and the planner that is let loose on it.

    Parameters
    ----------
    planner, seed
        Of the plan.
    solid
        The mesh as trimesh has it, on the table.
    """

    planner: Get3D
    solid: Any
    seed: int

    @classmethod
    def of(cls, inputs: Inputs, solid: Any, seed: int) -> Scene:
        """Return a mesh put down on the table as it stands, with the planner of the timing."""
        planner = Get3D.preset(gripper=inputs.config["gripper"])
        planner = replace(planner, judge=replace(planner.judge, friction=inputs.config["friction"]))
        return cls(planner, solid.copy().apply_translation([0, 0, -solid.bounds[0, 2]]), seed)

    def plan(self) -> Plan:
        """Return the plan, from the mesh to the ranked list."""
        view = View.from_mesh(self.solid.vertices, self.solid.faces)
        found = self.planner.plan(view, np.random.default_rng(self.seed))
        if not isinstance(found, Plan):
            raise InvalidValue("plan3d", found.detail, "a plan: choose other meshes")
        return found

    @cached_property
    def evaluated(self) -> Evaluated:
        """What the plan evaluates."""
        mesh = Mesh(self.solid.vertices, self.solid.faces)
        return self.planner.on_mesh(mesh, np.random.default_rng(self.seed), keep=self.planner.keep)

    @property
    def pads(self) -> Pads:
        """Of the gripper."""
        return Pads.of(self.planner.gripper)

    @cached_property
    def sweep(self) -> Sweep:
        """Our exact first touch."""
        return Sweep(Bvh.of(self.solid.vertices, self.solid.faces), self.planner.patch)

    def rays(self, per_pad: int) -> PadRays:
        """Return the peer, which casts at least so many rays per pad."""
        return PadRays(self.solid, grid(self.pads, per_pad), self.pads.sign)

    def closed(self) -> tuple[NDArray, NDArray]:
        """Return poses (n, 4, 4) and openings (n,) of the candidates that were closed under draws."""
        found, rows = self.evaluated.candidates, self.evaluated.draws > 0
        return found.T_table_gripper[rows], found.opening[rows]


@dataclass(frozen=True, eq=False)
class Work:
    """What one plan evaluates, as u touches of all pads.

    Parameters
    ----------
    T : (u, 4, 4) float, opening : (u,) float
        Poses, displaced.
    wrenches : (u, 3 edges, 6) float
        Of the pyramids at the contacts; zero where closure is not asked for.
    asked, tied : (u,) bool
        Whether three contacts are made so that closure is asked for, and whether epsilon is too.
    answers : (u, 3 + 2) float
        Ours: depths in metres, closure and epsilon of the pyramids; 0 where not asked for.
    """

    T: NDArray[np.float64]
    opening: NDArray[np.float64]
    wrenches: NDArray[np.float64]
    asked: NDArray[np.bool_]
    tied: NDArray[np.bool_]
    answers: NDArray[np.float64]

    @classmethod
    def of(cls, scene: Scene, edges: int) -> Work:
        """Return what a plan evaluates: touches while balancing, closings without and with displacement."""
        found, planner = scene.evaluated, scene.planner
        rows, shift, balancing = _evaluations(found, planner, scene.seed)
        T, opening = found.candidates.T_table_gripper[rows], found.candidates.opening[rows]
        T[:, :3, 3] += shift
        gripper = planner.gripper
        shut = close(
            scene.sweep, scene.pads, T, opening, min_opening=gripper.min_opening, tolerance=gripper.tolerance
        ).contacts[:, 0]
        asked = shut.made.all(1) & ~balancing
        answers = np.zeros((len(rows), 5))
        answers[:, :3] = scene.sweep(scene.pads, T, opening, UNDISPLACED).depth[:, 0]
        given = {"friction": planner.judge.friction, "origin": found.origin, "torque_scale": found.torque_scale}
        pyramids = Convention.of("paper", edges)
        wrenches = np.zeros((len(rows), 3 * edges, 6))
        wrenches[asked] = primitive_wrenches(shut[asked], **given, convention=pyramids).reshape(-1, 3 * edges, 6)
        judged = quality(shut[asked], **given, convention=pyramids)
        answers[asked, 3], answers[asked, 4] = judged.closure, judged.epsilon
        tied = (answers[:, 3] > 0) & np.isfinite(found.mean_epsilon[rows])
        answers[~tied, 4] = 0
        return cls(T, opening, wrenches, asked, tied, answers)


def _evaluations(found: Evaluated, planner: Get3D, seed: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the candidate (u,), the displacement (u, 3) and whether it is balanced (u,) of every touch of all pads.

    Of balancing, the poses on the way are not known: the last one stands for them.
    """
    balancing = np.repeat(np.arange(len(found)), found.candidates.iterations)
    balancing = balancing[np.arange(2 * len(balancing) // 3) * 3 // 2]  # two pads of three
    still = np.flatnonzero(found.candidates.contacts.made.any(1))
    moved, draw = np.nonzero(np.arange(found.draws.max(initial=0)) < found.draws[:, None])
    translation = planner.perturbation.draws(np.random.default_rng(seed), dimension=3).translation[draw]
    rows = np.concatenate([balancing, still, moved])
    shift = np.concatenate([np.zeros((len(balancing) + len(still), 3)), translation])
    return rows, shift, np.arange(len(rows)) < len(balancing)
