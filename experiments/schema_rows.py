"""Rows: the schema of ``rows.parquet`` and ``rows.csv``, one row per object, pose, planner, gripper, seed and setting.

Names end in their unit; what ends in none is a count, a name or dimensionless. None: not computed, or not applicable.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    """How a unit of work ended."""

    PLAN = "plan"  #: at least one grasp
    REFUSAL = "refusal"  #: the planner said why there is none
    FAILURE = "failure"  #: the object or the program failed; the row says how


@dataclass(frozen=True)
class Row:
    """One unit of work and what came of it; of a plan, its best grasp.

    Parameters
    ----------
    unit
        Content address: ``records/<unit>.json`` holds the row with the whole plan or refusal (`grasp.from_json`).
    object_set, object, pose
        Which object, and in which resting pose (``"pose0"`` the most probable); an object that cannot be used at all is
        one row with an empty pose, planner and gripper.
    planner, gripper
        Names.
    seed
        Which repetition, from 0.
    setting
        Name of what the experiment varies, ``"friction"``; empty where nothing is.
    setting_label, setting_number
        Its value in words, with its unit, and as a number (SI) where it is one.
    outcome
        An `Outcome`.
    reason
        Of a refusal, a `grasp.Reason`; of a failure, that of the object, or the kind of error; empty for a plan.
    sentence
        What a user should read; empty for a plan.
    sampled, kept
        Candidates that entered the funnel, and those accepted.
    closure_rate, closure_rate_lower, closure_rate_upper, mean_contacts, mean_epsilon, epsilon, epsilon_upper
        The planner's own metrics (`grasp.Metrics`), under the conventions below; comparable within a planner only.
    dimension
        2 or 3: whether they were computed in the plane or in space.
    convention, friction, torque_scale_m, torque_scale_rule, origin_rule, sigma_m, draws
        What the planner's own metrics depend on.
    judge_reason
        ``"ok"``, or the `grasp.Reason` for which the grasp could not be carried out on the true mesh.
    judge_holds
        Whether that is ok and the undisplaced grasp is in force closure.
    judge_closed, judge_draws
        Displaced draws in force closure, of how many.
    judge_closure_rate, judge_closure_rate_lower, judge_closure_rate_upper
        Their share, with its Wilson interval.
    judge_mean_contacts, judge_mean_epsilon
        Means over the draws; those without closure count epsilon 0. A draw that overlaps or misses makes no contact.
    judge_contacts, judge_epsilon, judge_epsilon_upper
        Of the undisplaced grasp: contacts made, and the certified bracket of epsilon.
    judge_convention, judge_friction, judge_torque_scale_m, judge_sigma_m
        What the judge's metrics depend on, the same for every planner.
    opening_m, fingertip_height_m
        Opening as the gripper arrives, and its origin's height above the table.
    T_table_gripper
        16 numbers, row by row, translation in metres.
    contact_points_m, contact_normals
        The planner's made contacts, one after the other, `dimension` numbers each, table frame; normals point into the
        object.
    physics
        Name of the settings under which the grasp was carried out in simulation, at a pose displaced by their noise; the
        whole `physics.TrialResult` is in the record.
    physics_grip, physics_failed_in
        A `physics.Grip`, and the `physics.Phase` in which the trial ended early; None where it went to its end. ``"engine"``
        where the simulation itself failed: such rows are left out of its tables, and `sentence` says why.
    physics_lifted, physics_shaken
        Whether the object was held off the table, and after all swings.
    physics_shake_margin
        Greatest multiple of the paper's faster acceleration survived; None where it was not lifted.
    physics_slip_force_N, physics_slip_censored
        In the weaker direction, and whether the test stopped there; None where it did not come to the test.
    physics_drift_m, physics_drift_rad
        Of the object in the gripper over the shake.
    physics_cone_ratio
        Friction times the sum of the normal forces once closed, over mass times gravity and the lift's peak acceleration.
    physics_width_m, physics_contacts
        Opening, and fingers that touch, once closed.
    physics_mass_kg, physics_friction, physics_force_N, physics_hold, physics_parts
        What the outcome depends on most; grip force at each jaw, hold model, and how the object fell into convex parts.
    rank_correlation
        Where the same candidates were also ranked under the first setting: Kendall's tau-b between the two rankings.
    top_kept
        Then, share of the first setting's best `top` grasps that are among this setting's best `top`.
    top
        How many that are: `keep` of the planner, or fewer where fewer were accepted.
    best_rank
        Then, rank under the first setting, from 1, of the grasp that is best under this one; None where it was rejected.
    """

    unit: str
    object_set: str
    object: str
    pose: str
    planner: str
    gripper: str
    seed: int
    setting: str
    setting_label: str
    setting_number: float | None
    outcome: str
    reason: str
    sentence: str
    sampled: int | None = None
    kept: int | None = None
    closure_rate: float | None = None
    closure_rate_lower: float | None = None
    closure_rate_upper: float | None = None
    mean_contacts: float | None = None
    mean_epsilon: float | None = None
    epsilon: float | None = None
    epsilon_upper: float | None = None
    dimension: int | None = None
    convention: str | None = None
    friction: float | None = None
    torque_scale_m: float | None = None
    torque_scale_rule: str | None = None
    origin_rule: str | None = None
    sigma_m: float | None = None
    draws: int | None = None
    judge_reason: str | None = None
    judge_holds: bool | None = None
    judge_closed: int | None = None
    judge_draws: int | None = None
    judge_closure_rate: float | None = None
    judge_closure_rate_lower: float | None = None
    judge_closure_rate_upper: float | None = None
    judge_mean_contacts: float | None = None
    judge_mean_epsilon: float | None = None
    judge_contacts: int | None = None
    judge_epsilon: float | None = None
    judge_epsilon_upper: float | None = None
    judge_convention: str | None = None
    judge_friction: float | None = None
    judge_torque_scale_m: float | None = None
    judge_sigma_m: float | None = None
    opening_m: float | None = None
    fingertip_height_m: float | None = None
    T_table_gripper: tuple[float, ...] | None = None
    contact_points_m: tuple[float, ...] | None = None
    contact_normals: tuple[float, ...] | None = None
    physics: str | None = None
    physics_grip: str | None = None
    physics_failed_in: str | None = None
    physics_lifted: bool | None = None
    physics_shaken: bool | None = None
    physics_shake_margin: float | None = None
    physics_slip_force_N: float | None = None
    physics_slip_censored: bool | None = None
    physics_drift_m: float | None = None
    physics_drift_rad: float | None = None
    physics_cone_ratio: float | None = None
    physics_width_m: float | None = None
    physics_contacts: int | None = None
    physics_mass_kg: float | None = None
    physics_friction: float | None = None
    physics_force_N: float | None = None
    physics_hold: str | None = None
    physics_parts: str | None = None
    rank_correlation: float | None = None
    top_kept: float | None = None
    top: int | None = None
    best_rank: int | None = None


@dataclass(frozen=True)
class Timing:
    """Wall times of one unit, in ``timings.csv``: apart from the rows, which two equal runs write equally.

    Parameters
    ----------
    unit
        As in `Row`.
    see_s, plan_s, judge_s, physics_s : seconds
        Making the view (rendering, not the planner's work), planning, judging the grasp, and carrying it out in simulation;
        None where it was not done.
        The first unit of each worker also pays for loading the compiled kernels.
    """

    unit: str
    see_s: float | None
    plan_s: float | None
    judge_s: float | None
    physics_s: float | None
