"""Labels: a batch of candidates with all that is known of each, one array per column of the schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.reasons import Reason
from wrench.checks import frozen
from wrench.contacts import Contacts
from wrench.errors import InvalidValue

OUTCOME_TEXTS = ("grip", "failed_in")
OUTCOME_FLAGS = ("lifted", "shaken", "slip_censored")
OUTCOME_NUMBERS = ("trial_contacts", "shake_margin", "slip_force_n", "slip_other_n", "mass_margin", "mass_kg")
OUTCOME_NUMBERS += ("trial_friction", "trial_force_n")
NOISE = ("noise_x_m", "noise_y_m", "noise_yaw_rad")
TEXTS = ("object", "pose", "view", "planner", "gripper", "sampler", "convention", *OUTCOME_TEXTS)
WHOLES = ("candidate", "reason_code", "draws", "closed", "dimension")


@dataclass(frozen=True, eq=False)
class Labels:
    """Candidates (n,), kept and rejected. The meaning, unit and direction of each field stands in `labels.schema.COLUMNS`.

    Parameters
    ----------
    object, pose, view, planner, gripper, sampler, convention : (n,) text
    candidate, reason_code, draws, closed, dimension : (n,) int
    T_table_gripper : (n, 4, 4) float
        Gripper to table, translation in metres.
    contacts : (n,) of k contacts, in space, table frame
        Those of a planar planner lie at the height of the fingertips, with level normals.
    origin_m : (n, 3) float
    opening_m, opening_needed_m, mean_contacts, mean_epsilon, epsilon_lower, epsilon_upper, friction, torque_scale_m, sigma_m
        (n,) float; NaN where not known or not computed.
    trial_weight : (n,) float
        NaN where not drawn for a trial.
    grip, failed_in : (n,) text
        Outcomes of trials, as all that follow; empty where not tried.
    lifted, shaken, slip_censored : (n,) float
        1 yes, 0 no, NaN not tried.
    trial_contacts, shake_margin, slip_force_n, slip_other_n, mass_margin, mass_kg, trial_friction, trial_force_n,
    noise_x_m, noise_y_m, noise_yaw_rad
        (n,) float; NaN where not tried, or ended before.

    Raises
    ------
    InvalidValue
        A field of another length than the others.
    """

    object: NDArray[np.str_]
    pose: NDArray[np.str_]
    view: NDArray[np.str_]
    planner: NDArray[np.str_]
    gripper: NDArray[np.str_]
    candidate: NDArray[np.int64]
    sampler: NDArray[np.str_]
    T_table_gripper: NDArray[np.float64]
    opening_m: NDArray[np.float64]
    opening_needed_m: NDArray[np.float64]
    contacts: Contacts
    reason_code: NDArray[np.int64]
    draws: NDArray[np.int64]
    closed: NDArray[np.int64]
    mean_contacts: NDArray[np.float64]
    mean_epsilon: NDArray[np.float64]
    epsilon_lower: NDArray[np.float64]
    epsilon_upper: NDArray[np.float64]
    dimension: NDArray[np.int64]
    convention: NDArray[np.str_]
    friction: NDArray[np.float64]
    torque_scale_m: NDArray[np.float64]
    origin_m: NDArray[np.float64]
    sigma_m: NDArray[np.float64]
    trial_weight: NDArray[np.float64]
    grip: NDArray[np.str_]
    failed_in: NDArray[np.str_]
    trial_contacts: NDArray[np.float64]
    lifted: NDArray[np.float64]
    shaken: NDArray[np.float64]
    shake_margin: NDArray[np.float64]
    slip_force_n: NDArray[np.float64]
    slip_other_n: NDArray[np.float64]
    slip_censored: NDArray[np.float64]
    mass_margin: NDArray[np.float64]
    mass_kg: NDArray[np.float64]
    trial_friction: NDArray[np.float64]
    trial_force_n: NDArray[np.float64]
    noise_x_m: NDArray[np.float64]
    noise_y_m: NDArray[np.float64]
    noise_yaw_rad: NDArray[np.float64]

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "contacts":
                kind = np.str_ if field.name in TEXTS else np.int64 if field.name in WHOLES else np.float64
                object.__setattr__(self, field.name, frozen(getattr(self, field.name), kind))
        lengths = {field.name: len(getattr(self, field.name)) for field in fields(self)}
        wrong = [name for name, length in lengths.items() if length != len(self.reason_code)]
        if wrong:
            raise InvalidValue(f"length of labels.{wrong[0]}", lengths[wrong[0]], f"that of reason_code, {len(self)}")

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Which candidates nothing has rejected, (n,)."""
        return self.reason_code == Reason.OK.code

    @property
    def closure_rate(self) -> NDArray[np.float64]:
        """Share of the draws in force closure, (n,); NaN without draws."""
        return np.where(self.draws > 0, self.closed / np.maximum(self.draws, 1), np.nan)

    @property
    def reason(self) -> NDArray[np.str_]:
        """Name of each reason, (n,)."""
        codes, place = np.unique(self.reason_code, return_inverse=True)
        return np.array([Reason.from_code(int(code)).value for code in codes], np.str_)[place]

    def __len__(self) -> int:
        return len(self.reason_code)

    def __getitem__(self, index: Any) -> Labels:
        """Index every field alike."""
        return Labels(*(getattr(self, field.name)[index] for field in fields(self)))


def untried(n: int) -> dict[str, NDArray]:
    """Return the columns of trials for n candidates without any."""
    numbers = ("trial_weight", *OUTCOME_FLAGS, *OUTCOME_NUMBERS, *NOISE)
    return {name: np.full(n, np.nan) for name in numbers} | {name: np.full(n, "") for name in OUTCOME_TEXTS}


def concatenate(parts: Sequence[Labels]) -> Labels:
    """Join batches, at least one; contacts get as many places as the most of them have, those added not made."""
    k = max(part.contacts.made.shape[-1] for part in parts)
    names = [field.name for field in fields(Labels) if field.name != "contacts"]
    joined = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    padded = [_padded(part.contacts, k) for part in parts]
    contacts = Contacts(*(np.concatenate([getattr(c, name) for c in padded]) for name in ("points", "normals", "made")))
    return Labels(**joined, contacts=contacts)


def _padded(contacts: Contacts, k: int) -> Contacts:
    had = contacts.made.shape[-1]
    place = np.minimum(np.arange(k), had - 1)
    made = contacts.made[:, place] & (np.arange(k) < had)  # what stands in a place that is not made is dropped
    return Contacts(contacts.points[:, place], contacts.normals[:, place], made)
