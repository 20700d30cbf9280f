"""Schema: the columns of a candidates table, each with its unit, its direction and its meaning. Names end in their unit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

VERSION = 1  # raised when a column, a file or a key changes its name or meaning; a column added reads as null in old files


class Kind(StrEnum):
    """What one row holds in a column; in arrays (n, ...) NaN or an empty text stand for null."""

    TEXT = "text"
    WHOLE = "whole number"
    COUNT = "whole number or null"
    REAL = "number"
    FLAG = "truth value"
    POSE = "16 numbers"  #: rows of a 4 x 4 matrix, one after the other
    POINT = "3 numbers"
    POINTS = "3 k numbers"  #: x, y, z of the k places of a contact, one after the other
    FLAGS = "k truth values"


class Better(StrEnum):
    """Which way a number is good."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


@dataclass(frozen=True)
class Column:
    """One column.

    Parameters
    ----------
    name, kind, unit, better
        See there; a unit of ``"1"`` is dimensionless.
    meaning
        One sentence; the last word on null where that can occur.
    """

    name: str
    kind: Kind
    unit: str
    better: Better
    meaning: str


def _plain(name: str, kind: Kind, meaning: str, unit: str = "1") -> Column:
    return Column(name, kind, unit, Better.NEITHER, meaning)


def _score(name: str, kind: Kind, meaning: str, unit: str = "1") -> Column:
    return Column(name, kind, unit, Better.HIGHER, meaning)


COLUMNS = (
    _plain("object", Kind.TEXT, "Name of the object in its set."),
    _plain("pose", Kind.TEXT, "Resting pose, pose0 the most probable."),
    _plain("view", Kind.TEXT, "Camera view the planner saw; null where it saw the mesh."),
    _plain("planner", Kind.TEXT, "Name of the planner."),
    _plain("gripper", Kind.TEXT, "Name of the gripper."),
    _plain("candidate", Kind.WHOLE, "Place among the candidates of this planner on this view, in the order sampled."),
    _plain("sampler", Kind.TEXT, "Which sampler proposed it."),
    _plain("T_table_gripper", Kind.POSE, "Gripper to table; rows of a 4 x 4 matrix, translation in metres.", "m"),
    _plain("opening_m", Kind.REAL, "Between the pad faces as the gripper arrives; 0 where it does not fit.", "m"),
    Column("opening_needed_m", Kind.REAL, "m", Better.LOWER, "Least opening with which it fits; null: none, or not known."),
    _plain("contact_points_m", Kind.POINTS, "Contacts undisplaced, table frame, wide jaw first; 0 if not made.", "m"),
    _plain("contact_normals", Kind.POINTS, "Unit normals there, into the object; 0 if not made."),
    _plain("contact_made", Kind.FLAGS, "Which pads, or fingertip circles in the plane, touch."),
    _plain("reason", Kind.TEXT, "ok, or the first reason that rejected the candidate."),
    _plain("reason_code", Kind.WHOLE, "Its code; never reused for another reason."),
    _plain("draws", Kind.WHOLE, "Perturbed draws under which it was closed; 0: rejected before."),
    _score("closed", Kind.WHOLE, "Of these, the draws in force closure."),
    _score("closure_rate", Kind.REAL, "closed / draws; null without draws."),
    _score("mean_contacts", Kind.REAL, "Contacts made, averaged over the draws; null without draws."),
    _score("mean_epsilon", Kind.REAL, "Epsilon averaged over the draws, 0 for those not closed; null without draws."),
    _score("epsilon_lower", Kind.REAL, "Epsilon undisplaced, certified from below; 0 without closure; null without draws."),
    _score("epsilon_upper", Kind.REAL, "The same from above."),
    _plain("dimension", Kind.WHOLE, "2: contacts and metrics in the plane, at the height of the fingertips; 3: in space."),
    _plain("convention", Kind.TEXT, "What epsilon means; see conventions. Null where there are no metrics."),
    _plain("friction", Kind.REAL, "Coulomb coefficient of the metrics."),
    _plain("torque_scale_m", Kind.REAL, "Length that divides torques.", "m"),
    _plain("origin_m", Kind.POINT, "Point about which torques are taken, table frame.", "m"),
    _plain("sigma_m", Kind.REAL, "Standard deviation of the displacement in the draws, per axis.", "m"),
    _plain("trial_weight", Kind.REAL, "Accepted candidates for which this one was drawn for a trial; null: not drawn."),
    _plain("grip", Kind.TEXT, "What the closed jaws had: holding, air, jammed or collision; null: no trial."),
    _plain("failed_in", Kind.TEXT, "Phase that ended the trial early; null: none, or no trial."),
    _plain("trial_contacts", Kind.COUNT, "Fingers that touched once closed; null: not closed, or no trial."),
    _score("lifted", Kind.FLAG, "Outcome of a lift in the physics engine; null where it was not tried."),
    _score("shaken", Kind.FLAG, "Outcome of a shake in the physics engine; null where it was not tried."),
    _score("shake_margin", Kind.REAL, "Multiple of the hardest shake survived, 0 if none; null: not lifted, or no trial."),
    _score("slip_force_n", Kind.REAL, "Slip force in the weaker direction; 0: does not show; null: lost, or no trial.", "N"),
    _score("slip_other_n", Kind.REAL, "The same in the stronger direction, and never set to 0.", "N"),
    _plain("slip_censored", Kind.FLAG, "Whether slip_force_n is where the test stops: the true force is at least that."),
    _score("mass_margin", Kind.REAL, "Friction over weight and inertia of the lift; null: not closed, or no trial."),
    _plain("mass_kg", Kind.REAL, "Of the object in the trial; null: no trial.", "kg"),
    _plain("trial_friction", Kind.REAL, "Coulomb coefficient in the trial; null: no trial."),
    _plain("trial_force_n", Kind.REAL, "Grip force at each jaw in the trial; null: no trial.", "N"),
    _plain("noise_x_m", Kind.REAL, "By which the gripper in the trial was off along x of the table; null: no trial.", "m"),
    _plain("noise_y_m", Kind.REAL, "The same along y.", "m"),
    _plain("noise_yaw_rad", Kind.REAL, "The same about the vertical through the gripper's origin.", "rad"),
)


def arrow_schema() -> Any:
    """Return the columns as an Arrow schema; lists are named as Parquet names them."""
    import pyarrow as pa  # slow to import

    number = pa.float64()
    kinds = {
        Kind.TEXT: pa.string(),
        Kind.WHOLE: pa.int32(),
        Kind.COUNT: pa.int32(),
        Kind.REAL: number,
        Kind.FLAG: pa.bool_(),
        Kind.POSE: pa.list_(pa.field("element", number), 16),
        Kind.POINT: pa.list_(pa.field("element", number), 3),
        Kind.POINTS: pa.list_(pa.field("element", number)),
        Kind.FLAGS: pa.list_(pa.field("element", pa.bool_())),
    }
    return pa.schema([pa.field(column.name, kinds[column.kind]) for column in COLUMNS])
