"""Data for learning: what a network sees of each candidate, and what became of it."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from grasp.frames import invert, transform_points
from grasp.strict import at_least, positive
from labels.exporters.dexnet import SIDE, patch
from labels.exporters.select import by_view, in_image
from labels.load import LabelSet, Placement
from labels.pictures import Picture
from labels.record import Labels
from wrench.errors import InvalidValue


@dataclass(frozen=True)
class Sampling:
    """Which candidates are learned from. The numbers stand in ``conf/learn.yaml``.

    Parameters
    ----------
    planner
        Whose candidates; one that saw a camera's view.
    per_view
        Candidates of one view at the most, drawn at random, so that no object outweighs the others.
    window : metres
        Side of a depth patch.
    reach : metres
        Heights are cut off at so much above and below the fingertips.
    bar
        Closure rate from which a candidate is good.
    held_out
        Share of the objects that are tested on.
    seed
        Of the draws and of the split.
    """

    planner: str
    per_view: int
    window: float
    reach: float
    bar: float
    held_out: float
    seed: int

    def __post_init__(self) -> None:
        at_least("sampling.per_view", self.per_view, 1, "candidate")
        for name in ("window", "reach"):
            positive(f"sampling.{name}", getattr(self, name), "m")
        for name in ("bar", "held_out"):
            if not 0 < getattr(self, name) < 1:
                raise InvalidValue(f"sampling.{name}", getattr(self, name), "between 0 and 1")


@dataclass(frozen=True, eq=False)
class Examples:
    """Candidates (n,) that were closed under draws.

    Parameters
    ----------
    object : (n,) text
    heights : (n, 32, 32) float32
        Surface above the fingertips in units of the reach, -1 to 1, in the gripper's frame: rows along its y, columns along
        its closing axis from the wide jaw to the narrow one.
    geometry : (n, 3) float
        What a rule of thumb would look at, metres: distance of the grasp from the object's centroid along the closing axis
        and across it, and the opening.
    good : (n,) bool
        Whether the closure rate reaches the bar.
    """

    object: NDArray[np.str_]
    heights: NDArray[np.float32]
    geometry: NDArray[np.float64]
    good: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.good)

    def __getitem__(self, index) -> Examples:
        """Index every field alike."""
        return Examples(*(getattr(self, field.name)[index] for field in fields(self)))


def examples(data: LabelSet, sampling: Sampling, progress: Callable[[Iterable], Iterable] = iter) -> Examples:
    """Return the examples in a set of labels.

    Candidates rejected before they were closed are left out: they are bad for reasons that need no learning.
    """
    views = progress(by_view(data, sampling.planner))
    parts = [_of_view(placement, picture, labels, sampling) for placement, picture, labels in views]
    parts = [part for part in parts if len(part)]
    if not parts:
        raise InvalidValue("labels", data.folder, f"labels with closed candidates of {sampling.planner}")
    return Examples(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(Examples)))


def split(found: Examples, sampling: Sampling) -> tuple[Examples, Examples]:
    """Return the examples of the objects that are learned from, and of those held out."""
    names = np.unique(found.object)
    held = np.random.default_rng(sampling.seed).permutation(names)[: round(sampling.held_out * len(names))]
    if len(held) in (0, len(names)):
        raise InvalidValue("number of objects", len(names), "enough for some to be held out and some to be learned from")
    outside = np.isin(found.object, held)
    return found[~outside], found[outside]


def _of_view(placement: Placement, picture: Picture, labels: Labels, sampling: Sampling) -> Examples:
    closed = labels[labels.draws > 0]
    name = f"{placement.object} {placement.pose} {picture.name}"
    rng = np.random.default_rng([sampling.seed, zlib.crc32(name.encode())])
    chosen = closed[np.sort(rng.permutation(len(closed))[: sampling.per_view])]
    return Examples(
        chosen.object,
        _heights(picture, chosen, sampling),
        _geometry(chosen),
        chosen.closed >= sampling.bar * chosen.draws,
    )


def _heights(picture: Picture, labels: Labels, sampling: Sampling) -> NDArray[np.float32]:
    pixel, angle, depth = in_image(picture, labels)
    seen = picture.depth_image()
    image = np.where(seen > 0, seen, seen.max())  # nothing stands where no depth was measured
    sides = sampling.window * picture.camera.fx / depth
    patches = [patch(image, uv, a, side) for uv, a, side in zip(pixel, angle, sides, strict=True)]
    above = depth[:, None, None] - np.array(patches).reshape(-1, SIDE, SIDE)
    return np.clip(above / sampling.reach, -1, 1).astype(np.float32)


def _geometry(labels: Labels) -> NDArray[np.float64]:
    centroid = transform_points(invert(labels.T_table_gripper), labels.origin_m[:, None])[:, 0]
    return np.column_stack([np.abs(centroid[:, :2]), labels.opening_m])
