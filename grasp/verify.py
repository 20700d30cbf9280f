"""Verify: what a gripper has in its jaws, told from its opening and its effort alone.

A trace begins before the jaws close and contains no opening on purpose. It is averaged over short bins, so that neither rate
nor instants of sampling matter. In order of precedence, the jaws

    LOST       stood still and pressed, where expected, and have since closed to the end of their travel or lost their effort
    SLIPPING   did so, and have since closed further, or closed a little and lost a part of their effort
    HOLDING    did so, and neither has happened
    AIR        have closed to the end of their travel
    JAMMED     stand still and press at another opening, or without having moved; or stand still for long and do not press
    UNDECIDED  do none of these yet

Effort is what presses the jaws together. At the end of their travel they press on themselves, so there it says nothing.
The current of a drive that locks itself is no effort: it may fall to nothing in a firm grasp.

Two numbers cannot tell everything. One jaw stuck on something fixed looks like a hold; so does, without an expected width, a
grasp of the wrong thing. An object that slides along faces of equal width, or stays on the table, looks held until it leaves
the pads. What is thinner than the margin of the end of travel looks like air; so does what was shot out of the jaws.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

import numpy as np

from grasp import presets
from grasp.gripper import Gripper
from grasp.strict import build, positive
from grasp.trace import Trace, lasting, span
from wrench.checks import refuse_first
from wrench.errors import InvalidValue

MM = 1e3
ASCENDING = (("vanish", "press"), ("still", "creep"), ("bin_time", "settle_time"), ("settle_time", "patience"))


class Kind(StrEnum):
    """Of a verdict; the module says what each means."""

    UNDECIDED = "undecided"
    HOLDING = "holding"
    AIR = "air"
    JAMMED = "jammed"
    SLIPPING = "slipping"
    LOST = "lost"


@dataclass(frozen=True)
class Rules:
    """By what a trace is judged. The numbers stand in ``conf/verify``.

    Parameters
    ----------
    bin_time : s
        Over which the trace is averaged.
    settle_time, patience, loss_time : s
        How long the jaws stand still and press to hold, may stand still without, and are without effort when they have lost.
    still, creep : metres
        Jaws that move less have stood still; held jaws that close further let the object slip.
    stop_margin, width_margin : metres
        How near to the gripper's least opening its travel ends, and to the expected width it is met.
    press, vanish, sag
        Shares of the commanded force: at least what is pressing, at most what is no effort, and the loss that is a slip.

    Raises
    ------
    InvalidValue
        A number that is no number or out of order.
    """

    bin_time: float
    settle_time: float
    patience: float
    loss_time: float
    still: float
    stop_margin: float
    width_margin: float
    creep: float
    press: float
    vanish: float
    sag: float

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, positive(f"rules.{field.name}", getattr(self, field.name), ""))
        for low, high in ASCENDING:
            if getattr(self, low) >= getattr(self, high):
                raise InvalidValue(f"rules.{low}", getattr(self, low), f"below {high}, {getattr(self, high):g}")
        for name in ("press", "sag"):
            if getattr(self, name) >= 1:
                raise InvalidValue(f"rules.{name}", getattr(self, name), "a share of the force, below 1")

    @classmethod
    def preset(cls, name: str = "default") -> Rules:
        """Return the rules in ``conf/verify/<name>.yaml``; an unknown name lists the known ones."""
        return build(cls, presets.read("verify", name), "rules")

    def bins(self, seconds: float) -> int:
        """Return the number of bins, at least 1, in a time."""
        return max(1, round(seconds / self.bin_time))


@dataclass(frozen=True)
class Verdict:
    """What the jaws have, the signature that shows it (a sentence with numbers), and when it showed (s).

    What is jammed or undecided is so at the end of the trace.
    """

    kind: Kind
    signature: str
    at: float


def verdict(trace: Trace, rules: Rules, gripper: Gripper, expected_width: float | None = None) -> Verdict:
    """Return what the jaws have at the end of a trace.

    Parameters
    ----------
    expected_width : metres
        Opening at which the jaws should come to stand; None takes any to which they have closed.

    Raises
    ------
    InvalidValue
        A gap in the trace longer than `Rules.settle_time`, or an opening or expected width that the gripper does not have,
        or that cannot be told from the end of its travel.
    """
    _require_judgeable(trace, rules, gripper, expected_width)
    bins, stop = trace.averaged(rules.bin_time), gripper.min_opening + rules.stop_margin
    firm = lasting((bins.effort >= rules.press * bins.force) & (bins.opening > stop), rules.bins(rules.settle_time))
    firm &= span(bins.opening, rules.bins(rules.settle_time)) <= rules.still
    right, wrong = bins.opening <= bins.opening[0] - rules.still, "they have not closed at all"
    if expected_width is not None:
        right = np.abs(bins.opening - expected_width) <= rules.width_margin
        wrong = f"{expected_width * MM:.1f} mm were expected"
    if (firm & right).any():
        return _since_held(bins, int((firm & right).argmax()), stop, rules)
    state, now = _state(bins, -1), float(bins.time[-1])
    if bins.opening[-1] <= stop:
        end = f"within {rules.stop_margin * MM:g} mm of the end of their travel and held nothing on the way"
        return Verdict(Kind.AIR, f"The jaws closed to {state}, {end}.", float(bins.time[(bins.opening <= stop).argmax()]))
    if firm[-1]:
        return Verdict(Kind.JAMMED, f"The jaws stand at {state}, but {wrong}.", now)
    if span(bins.opening, rules.bins(rules.patience))[-1] <= rules.still:
        return Verdict(Kind.JAMMED, f"The jaws have stood for {rules.patience:g} s at {state}, too little to hold.", now)
    return Verdict(Kind.UNDECIDED, f"After {now - trace.time[0]:.2f} s the jaws are at {state}.", now)


def _since_held(bins: Trace, held: int, stop: float, rules: Rules) -> Verdict:
    """Return what became of a hold that was there at one of the bins."""
    closed, eased = bins.opening[held] - bins.opening, bins.effort[held] - bins.effort
    lost = (bins.opening <= stop) | lasting(bins.effort <= rules.vanish * bins.force, rules.bins(rules.loss_time))
    slipping = (closed > rules.creep) | ((closed > rules.still) & (eased > rules.sag * bins.force))
    was = f"The jaws held {_state(bins, held)}"
    for kind, found in ((Kind.LOST, lost), (Kind.SLIPPING, slipping)):
        if found[held:].any():
            i = held + int(found[held:].argmax())
            after = f"{bins.time[i] - bins.time[held]:.2f} s later they were at {_state(bins, i)}"
            return Verdict(kind, f"{was}; {after}.", float(bins.time[i]))
    return Verdict(Kind.HOLDING, f"{was} and have closed by {closed[-1] * MM:z.1f} mm since.", float(bins.time[held]))


def _state(bins: Trace, i: int) -> str:
    return f"{bins.opening[i] * MM:z.1f} mm with {bins.effort[i]:z.1f} of {bins.force:.1f} N"


def _require_judgeable(trace: Trace, rules: Rules, gripper: Gripper, expected_width: float | None) -> None:
    gap = np.diff(trace.time, prepend=trace.time[0]) > rules.settle_time
    refuse_first("trace.time", trace.time, gap, f"at most {rules.settle_time:g} s after the one before")
    low, high, margin = gripper.min_opening, gripper.max_opening, rules.stop_margin
    outside = (trace.opening < low - margin) | (trace.opening > high + margin)
    refuse_first("trace.opening", trace.opening, outside, f"an opening of the {gripper.name} gripper, {low:g} to {high:g} m")
    if expected_width is not None and not low + margin < positive("expected_width", expected_width, "m") <= high:
        expected = f"above {low + margin:g} m, up to which it looks like air, and at most {high:g} m"
        raise InvalidValue("expected_width", expected_width, expected)
