"""Row: one of our functions beside one peer, and what it means that the two agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class Agreement:
    """How many of a peer's answers contradict ours, out of how many, and what was asked of them."""

    wrong: int
    of: int
    rule: str


@dataclass(frozen=True)
class Row:
    """One of our functions beside one peer.

    Parameters
    ----------
    ours, peer
        What they are called in the table.
    count
        Number of questions that all `calls` together answer.
    calls
        Ours, each on its part of the whole batch.
    ask
        The peer's answer to question i: a number, or an array.
    agreement
        Compares the peer's answers (n, ...) to the questions (n,) of these indices with ours.
    each
        Grasps in one question; times are per grasp.
    """

    ours: str
    peer: str
    count: int
    calls: tuple[Callable[[], Any], ...]
    ask: Callable[[int], Any]
    agreement: Callable[[NDArray, NDArray], Agreement]
    each: int = 1
