"""The paper's Table I, to stand beside a comparison of the same methods."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.report_rows import Group
from experiments.report_table import Table, share
from experiments.stats import Statistics

# Arxiv 2604.26212, Table I: lifted and shaken of 20 trials (given as %), mean slip force in newtons.
PAPER = {
    ("bbox", "two_narrow"): ("2D BBox (Two Narrow)", 14, 11, 1.20),
    ("bbox", "two_wide"): ("2D BBox (Two Wide)", 10, 8, 1.46),
    ("bbox", "get"): ("2D BBox (GET)", 13, 12, 2.50),
    ("get2d", "get"): ("GET-2D-1.0", 19, 18, 3.95),
    ("get3d", "get"): ("GET-3D-1.0", 20, 19, 3.20),
}
PAPER_TRIALS = 20


def published(found: Sequence[Group], statistics: Statistics) -> Table:
    """Return the paper's Table I for the methods compared here."""
    known = [PAPER[key] for group in found if (key := (group.planner, group.gripper)) in PAPER]
    lines = []
    for name, lifted, shaken, force in dict.fromkeys(known):
        counts = (share(statistics.share([True] * k + [False] * (PAPER_TRIALS - k))) for k in (lifted, shaken))
        lines.append((name, *counts, f"{force:.2f}"))
    note = (
        "Results of a real robot on the authors' ten objects in two poses each (arXiv 2604.26212, Table I), with Wilson "
        "intervals added here. Lifting, shaking and slipping are not closure: the order of the lines may be compared with "
        "that above, the numbers may not."
    )
    head = ("method", "lifted", "survived shaking", "slip force, N")
    return Table("For reference: the paper's experiments on a real robot", head, tuple(lines), (note,))
