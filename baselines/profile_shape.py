"""Profile: the width of an upright body of revolution at every height, and exact answers to questions about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wrench.checks import frozen, refuse_first, require_at_least, require_finite
from wrench.errors import InvalidValue

EQUAL = 1e-9  # metres: widths that differ by less are one, and rounding does not end a plateau


@dataclass(frozen=True)
class Band:
    """An interval of heights above the table, ends included.

    Parameters
    ----------
    low, high : metres
    """

    low: float
    high: float

    @property
    def height(self) -> float:
        """Metres from end to end."""
        return self.high - self.low

    @property
    def middle(self) -> float:
        """Metres above the table."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, eq=False)
class Profile:
    """Width across the upright axis, linear between the heights at which it is given, and zero below and above them.

    All answers are exact for this piecewise linear width. A shelf is given as a short steep piece.

    Parameters
    ----------
    heights : (n,) float, metres above the table, n at least 2
        Strictly increasing.
    widths : (n,) float, metres
        Diameters, not all zero.

    Raises
    ------
    InvalidValue
        Shapes, heights out of order, a width that is negative, or no width at all.
    """

    heights: NDArray[np.float64]
    widths: NDArray[np.float64]

    def __post_init__(self) -> None:
        heights, widths = np.asarray(self.heights, float), np.asarray(self.widths, float)
        if heights.ndim != 1 or len(heights) < 2 or widths.shape != heights.shape:
            raise InvalidValue("shapes of heights and widths", (heights.shape, widths.shape), "(n,) and (n,), n at least 2")
        require_finite("profile.heights", heights)
        refuse_first("profile.heights", heights, np.diff(heights, prepend=-np.inf) <= 0, "above the one before it")
        require_at_least("profile.widths", widths, 0, "m")
        if widths.max() <= EQUAL:
            raise InvalidValue("profile.widths", widths.max(), "greater than 0 m somewhere")
        object.__setattr__(self, "heights", frozen(heights))
        object.__setattr__(self, "widths", frozen(widths))

    @property
    def span(self) -> Band:
        """From the lowest to the highest point."""
        return Band(float(self.heights[0]), float(self.heights[-1]))

    def width(self, height: ArrayLike) -> NDArray[np.float64]:
        """Return the widths (*b) in metres at heights (*b)."""
        return np.interp(np.asarray(height, float), self.heights, self.widths, left=0.0, right=0.0)

    def part(self, band: Band) -> Profile | None:
        """Return what lies between two heights, or None where that is nothing."""
        low, high = max(band.low, self.span.low), min(band.high, self.span.high)
        inside = (self.heights > low) & (self.heights < high)
        heights = np.concatenate([[low], self.heights[inside], [high]])
        widths = self.width(heights)
        return Profile(heights, widths) if high - low > EQUAL and widths.max() > EQUAL else None

    def widest(self) -> tuple[Band, float]:
        """Return where it is widest and how wide: a plateau from end to end; the lowest of several."""
        return self._extreme(self.widths, float(self.widths.max()))

    def narrowest(self) -> tuple[Band, float]:
        """Return where it is narrowest and how narrow: a plateau from end to end; the lowest of several."""
        return self._extreme(-self.widths, float(self.widths.min()))

    def below_widest(self) -> Profile | None:
        """Return the part below the widest point, or None where that is the foot."""
        return self.part(Band(self.span.low, self.widest()[0].low))

    def above_widest(self) -> Profile | None:
        """Return the part above the widest point, or None where that is the top."""
        return self.part(Band(self.widest()[0].high, self.span.high))

    def narrowest_below_widest(self) -> tuple[Band, float] | None:
        """Return the stem of a glass, or the foot of what only widens; None where the foot is the widest."""
        part = self.below_widest()
        return None if part is None else part.narrowest()

    def first_wider(self, opening: float) -> float | None:
        """Return the height at which, going up, the width first exceeds an opening; None where it never does."""
        wider = np.flatnonzero(self.widths > opening)
        if not len(wider):
            return None
        return float(self.heights[0]) if wider[0] == 0 else self._crossing(int(wider[0]) - 1, opening)

    def fraction_below(self, height: ArrayLike) -> NDArray[np.float64]:
        """Return the fraction (*b) of the total height that lies below heights (*b), from 0 to 1."""
        return np.clip((np.asarray(height, float) - self.span.low) / self.span.height, 0, 1)

    def stretch(self, height: float, least: float, greatest: float, flatness: float = math.inf) -> Band:
        """Return how far the width stays within bounds on either side of a height.

        Parameters
        ----------
        height : metres
            Inside the span and within the bounds.
        least, greatest : metres
            Bounds of the width, included.
        flatness : metres
            By which widths may differ at the most, on each side alone.
        """
        return Band(*(self._walk(height, way, least, greatest, flatness) for way in (-1, 1)))

    def longest_run(self, flatness: float) -> Band:
        """Return the longest run on which all widths differ by at most `flatness` metres, the lowest of equals.

        A run that cannot be made longer begins or ends at a given height, or its least or greatest width stands at one.
        """
        runs = []
        for z, w in zip(self.heights.tolist(), self.widths.tolist(), strict=True):
            both = self.stretch(z, 0, math.inf, flatness)
            runs += [Band(z, both.high), Band(both.low, z)]
            runs += [self.stretch(z, w, w + flatness), self.stretch(z, w - flatness, w)]
        longest = max(run.height for run in runs)
        return min((run for run in runs if run.height >= longest - EQUAL), key=lambda run: run.low)

    def _extreme(self, score: NDArray[np.float64], value: float) -> tuple[Band, float]:
        best = score >= score.max() - EQUAL
        first = int(best.argmax())
        last = first + int(np.argmin(np.append(best[first:], False))) - 1
        return Band(float(self.heights[first]), float(self.heights[last])), value

    def _crossing(self, i: int, width: float) -> float:
        """Return the height at which piece i has a width."""
        (low, high), (first, last) = self.heights[i : i + 2].tolist(), self.widths[i : i + 2].tolist()
        return low + (high - low) * min(max((width - first) / (last - first), 0.0), 1.0)  # rounding may put it outside

    def _walk(self, height: float, way: int, least: float, greatest: float, flatness: float) -> float:
        """Return how far the width stays within bounds, upwards (+1) or downwards (-1)."""
        ahead = np.flatnonzero(self.heights > height if way > 0 else self.heights < height)[::way]
        seen = np.append(self.width(height), self.widths[ahead])
        low = np.maximum(least, np.maximum.accumulate(seen)[:-1] - flatness)
        high = np.minimum(greatest, np.minimum.accumulate(seen)[:-1] + flatness)
        out = (seen[1:] < low - EQUAL) | (seen[1:] > high + EQUAL)
        if not out.any():
            return float(self.heights[-1 if way > 0 else 0])
        k = int(out.argmax())
        bound = low[k] if seen[k + 1] < low[k] else high[k]
        edge = self._crossing(int(ahead[k]) - (way > 0), float(bound))
        return way * max(way * edge, way * height)
