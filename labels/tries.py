"""Tries: which candidates are drawn for a trial: bad ones as often as good ones, where there are any.

They are drawn evenly from the thirds of the closure rate; in proportion, most of them would be good. Their weights undo
that in means over all accepted candidates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from labels.record import Labels

THIRDS = (1 / 3, 2 / 3)  # of the closure rate


def draw(labels: Labels, most: int, rng: np.random.Generator) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Draw accepted candidates, as many from each third of the closure rate; where one has too few, the others make up.

    Returns
    -------
    places : (m,) int
        At most `most`, the thirds taking turns.
    weights : (m,) float
        How many accepted candidates of its third each stands for.
    """
    among = rng.permutation(np.flatnonzero(labels.accepted & (labels.draws > 0)))
    third = np.digitize(labels.closure_rate[among], THIRDS)
    own = third[:, None] == np.arange(3)  # (n, 3)
    turn = own.cumsum(0)[np.arange(len(among)), third]
    first = np.lexsort((third, turn))[:most]
    return among[first], (own.sum(0) / np.maximum(own[first].sum(0), 1))[third[first]]
