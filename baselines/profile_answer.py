"""Answer: what one rule says about one object, a place to hold it or a refusal, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.profile_around import Around
from baselines.profile_parts import APPROACHES, LEVEL, TOP_DOWN
from baselines.profile_places import Needs, Places
from baselines.profile_rules import Rule, opening_range
from baselines.profile_shape import Band
from grasp.funnel import Funnel
from grasp.reasons import Reason
from wrench.errors import InvalidValue

MM = 1e3
ROUNDING = 1e-7  # metres: places whose costs differ by less are equally good
WORDS = {Reason.RULE_DOES_NOT_APPLY: "below the centre of mass or too far from it"}  # of a place; else its name
FROM = {TOP_DOWN: "From the top", LEVEL: "From the side"}


@dataclass(frozen=True, eq=False)
class Answer:
    """What a rule says.

    Parameters
    ----------
    rule
        Which.
    sentence
        Where it holds the object and under which assumption, or why it refuses.
    funnel
        What became of the places it tried.
    misses
        Per reason, how close the best of its places came, unit in the key.
    band
        The heights it means, if the object has them.
    places, chosen
        All places of the approach taken, and which it is; None and -1 where it refuses.
    below
        Whether the grasp line is below the centre of mass although the rule would have it above.
    """

    rule: Rule
    sentence: str
    funnel: Funnel
    misses: Mapping[Reason, Mapping[str, float]]
    band: Band | None = None
    places: Places | None = None
    chosen: int = -1
    below: bool = False

    @property
    def held(self) -> Places:
        """The places of an answer that holds."""
        if self.places is None:
            raise InvalidValue("answer.places", None, f"those of a rule that holds; {self.rule.name} refuses")
        return self.places


def ranked(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    """Return those that hold, best first: what is below the centre of mass against its rule comes after all others."""
    return tuple(sorted((found for found in answers if found.places is not None), key=lambda found: found.below))


def answer(rule: Rule, around: Around, centre: float) -> Answer:
    """Return what a rule says about an object whose centre of mass is at a height in metres."""
    band = rule.band(around.profile, around.gripper)
    if isinstance(band, str):
        reason = Reason.RULE_DOES_NOT_APPLY
        return Answer(rule, band, Funnel(1, {reason: 1}), {})
    at = _heights(band, centre + around.needs.hang, around.needs.step)
    tried = [_meant(rule, band, around, centre, around.places(approach, at)) for approach in APPROACHES]
    funnel = sum((Funnel.of(places.code) for places in tried), Funnel())
    if not funnel.kept:
        misses = nearest(tried)
        return Answer(rule, _why_not(funnel, misses), funnel, misses, band)
    places, chosen, low = _best(rule, band, centre, around.needs, tried)
    sentence = _where(rule, places, chosen, centre, around)
    return Answer(rule, sentence, funnel, nearest(tried), band, places, chosen, low)


def _heights(band: Band, wanted: float, step: float) -> NDArray[np.float64]:
    """Return the heights to try, (n,): evenly over the band, its middle among them, and the one wanted if it is there."""
    even = np.linspace(band.low, band.high, 2 * max(int(np.ceil(band.height / step / 2)), 1) + 1)
    return np.unique(np.append(even, np.clip(wanted, band.low, band.high)))


def _meant(rule: Rule, band: Band, around: Around, centre: float, places: Places) -> Places:
    """Return the places with those rejected that touch elsewhere than the rule means."""
    give = around.needs.give
    touched = np.where(places.made, places.patch.height, band.middle)
    outside = np.maximum(touched.max(1) - band.high, band.low - touched.min(1)) - give
    least, greatest = rule.widths(around.gripper)
    arm = np.abs(places.height - centre) - rule.arm * opening_range(around.gripper)
    hanging = centre - places.height - give if rule.centre == "require" else np.full(len(places), -np.inf)
    return places.gated(
        (Reason.CLOSING_BLOCKED, outside),
        (Reason.TOO_WIDE, places.closed - greatest),
        (Reason.TOO_NARROW, least - places.closed),
        (Reason.RULE_DOES_NOT_APPLY, np.maximum(arm, hanging)),
    )


def _best(rule: Rule, band: Band, centre: float, needs: Needs, tried: list[Places]) -> tuple[Places, int, bool]:
    """Return the best place: not below the centre of mass if that matters, then by approach, then by distance and slope."""
    firsts = []
    for order, places in enumerate(tried):
        kept = np.flatnonzero(places.code == Reason.OK.code)
        if len(kept):
            low = (places.height[kept] < centre - needs.give) & (rule.centre != "any")
            aim = band.middle if rule.centre == "any" else centre + needs.hang
            cost = np.abs(places.height - aim) + needs.slope_worth * places.slope
            far = np.round(cost[kept] / ROUNDING)
            first = np.lexsort((far, low))[0]
            equals = kept[(low == low[first]) & (far == far[first])]
            firsts.append((bool(low[first]), order, int(equals[len(equals) // 2])))  # the middle of a plateau
    low, order, chosen = min(firsts)
    return tried[order], chosen, low


def nearest(tried: list[Places]) -> dict[Reason, dict[str, float]]:
    """Return per reason by how little the best of its places failed."""
    code, short = np.concatenate([p.code for p in tried]), np.concatenate([p.short for p in tried])
    misses = {}
    for number in np.unique(code[(code != Reason.OK.code) & np.isfinite(short)]).tolist():
        least = float(short[(code == number) & np.isfinite(short)].min())
        slope = number == Reason.NOT_ANTIPODAL.code
        misses[Reason.from_code(number)] = {"short_deg": np.degrees(least)} if slope else {"short_mm": least * MM}
    return misses


def _why_not(funnel: Funnel, misses: Mapping[Reason, Mapping[str, float]]) -> str:
    """Return how many places each reason rejected, and by how little at best."""
    parts = []
    for reason, count in sorted(funnel.rejected.items(), key=lambda item: -item[1]):
        parts.append(f"{count} {WORDS.get(reason, reason.replace('_', ' '))}")
        for key, value in misses.get(reason, {}).items():
            parts[-1] += f" (short by {value:.2g} {key.removeprefix('short_')} at best)"
    return f"None of {funnel.sampled} places will do: {'; '.join(parts)}."


def _where(rule: Rule, places: Places, i: int, centre: float, around: Around) -> str:
    height, arm, give = float(places.height[i]), float(places.height[i]) - centre, around.needs.give
    side = "level with" if abs(arm) <= give else f"{abs(arm) * MM:.1f} mm {'above' if arm > 0 else 'below'}"
    warning = " Held below its centre of mass it tips rather than hangs." if arm < -give else ""
    return (
        f"{FROM[places.approach]} the jaws close to {float(places.closed[i]) * MM:.1f} mm, {height * MM:.1f} mm above the "
        f"table and {side} the centre of mass, {float(around.profile.fraction_below(height)):.0%} of the height below them."
        f"{warning} Assumed: {rule.assumption}"
    )
