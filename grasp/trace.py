"""Trace: what a gripper tells of itself, opening and effort over time, at whatever instants it told them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from grasp.strict import positive
from wrench.checks import frozen, refuse_first, require_finite
from wrench.errors import InvalidValue

ROUNDING = 1e-3  # share of a bin by which a trace may miss the end of its last one


@dataclass(frozen=True, eq=False)
class Trace:
    """Telemetry of one closing and of what came after it.

    Parameters
    ----------
    time : (n,) float, s
        At least one, ascending, at any distances.
    opening : (n,) float, metres
        Between the pad faces.
    effort : (n,) float, N
        Pressed at each jaw, positive when closing.
    force : N
        Commanded at each jaw.

    Raises
    ------
    InvalidValue
        Lengths that differ, numbers that are not finite, times that do not ascend.
    """

    time: NDArray[np.float64]
    opening: NDArray[np.float64]
    effort: NDArray[np.float64]
    force: float

    def __post_init__(self) -> None:
        for name in ("time", "opening", "effort"):
            values = frozen(getattr(self, name))
            if values.ndim != 1 or len(values) != np.size(self.time) or not len(values):
                raise InvalidValue(f"trace.{name}.shape", values.shape, f"(n,) with n = {max(np.size(self.time), 1)}")
            require_finite(f"trace.{name}", values)
            object.__setattr__(self, name, values)
        refuse_first("trace.time", self.time, np.diff(self.time, prepend=-np.inf) <= 0, "later than the one before")
        object.__setattr__(self, "force", positive("trace.force", self.force, "N"))

    def between(self, begin: float, end: float = np.inf) -> Trace:
        """Return the part from `begin` to `end` (s), both included, which must not be empty."""
        inside = (self.time >= begin) & (self.time <= end)
        return Trace(self.time[inside], self.opening[inside], self.effort[inside], self.force)

    def averaged(self, width: float) -> Trace:
        """Return the means over bins of `width` seconds from the first sample on, each at the end of its bin.

        Straight lines are drawn between samples, so that more samples on the same lines change nothing. What is left at the
        end and does not fill a bin is dropped; of a trace shorter than one bin the first sample is returned.
        """
        time = self.time
        edges = time[0] + width * np.arange(int((time[-1] - time[0]) / width + ROUNDING) + 1)
        if len(edges) == 1:
            return self.between(time[0], time[0])
        opening, effort = (np.diff(_area(time, values, edges)) / width for values in (self.opening, self.effort))
        return Trace(edges[1:], opening, effort, self.force)


def _area(time: NDArray[np.float64], values: NDArray[np.float64], at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the integral, from the first sample to each of some times, of straight lines between samples."""
    whole = np.concatenate([[0], np.cumsum(np.diff(time) * (values[1:] + values[:-1]) / 2)])
    i = np.minimum(np.searchsorted(time, at, "right") - 1, len(time) - 2)
    return whole[i] + (at - time[i]) * (values[i] + np.interp(at, time, values)) / 2


def span(values: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return greatest less least of the last `count` values at each; infinite where there are fewer."""
    spans = np.full(len(values), np.inf)
    if len(values) >= count:
        spans[count - 1 :] = np.ptp(sliding_window_view(values, count), -1)
    return spans


def lasting(flags: NDArray[np.bool_], count: int) -> NDArray[np.bool_]:
    """Return at each flag whether it and all of the `count` - 1 before it are set."""
    place = np.arange(len(flags))
    return place - np.maximum.accumulate(np.where(flags, -1, place)) >= count
