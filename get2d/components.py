"""Components: the one piece of a mask that is the object, with its holes, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from get2d.settings import Perception
from grasp.errors import PerceptionError
from grasp.reasons import Reason
from wrench.checks import frozen


@dataclass(frozen=True, eq=False)
class Piece:
    """A 4-connected piece of a mask, cut out with a margin of one pixel.

    Parameters
    ----------
    shell : (h, w) uint8
        1 on the piece and in its holes.
    holes : (n, h, w) uint8
        1 in the hole; each is 8-connected.
    corner
        Column and row of the mask at which entry (0, 0) of the arrays lies; -1 at the border.
    """

    shell: NDArray[np.uint8]
    holes: NDArray[np.uint8]
    corner: tuple[int, int]

    def __post_init__(self) -> None:
        for name in ("shell", "holes"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.uint8))

    @property
    def pixels(self) -> NDArray[np.bool_]:
        """The piece without its holes, (h, w)."""
        return (self.shell != 0) & ~self.holes.any(0)

    def cut(self, image: NDArray) -> NDArray:
        """Return the same cut-out of an image (rows, columns) of the mask's size; the piece must not touch its border."""
        u, v = self.corner
        return image[v : v + self.shell.shape[0], u : u + self.shell.shape[1]]


def one_piece(mask: NDArray[np.bool_], settings: Perception, unit: str = "px") -> tuple[Piece, tuple[str, ...]]:
    """Return the object of a mask and notes on what was dropped.

    Two squares that touch at a corner are two objects.

    Parameters
    ----------
    mask : (h, w) bool
    settings
        Size limits, and what to do about several objects.
    unit
        What notes and errors call a pixel of this mask.

    Raises
    ------
    PerceptionError
        EMPTY_MASK, TOO_SMALL (also: nowhere two pixels wide), SEVERAL_OBJECTS (unless the largest is to be taken), or
        TOUCHES_BORDER.
    """
    seen = mask.view(np.uint8)
    u, v, width, height = cv2.boundingRect(seen)
    if width == 0:
        raise PerceptionError(Reason.EMPTY_MASK, f"None of {mask.size} {unit} is set.")
    labels, sizes = _labelled(seen[v : v + height, u : u + width], 4)
    label, notes = choose(sizes[1:], settings, unit)
    chosen = (labels == label).view(np.uint8)
    left, top, width, height = cv2.boundingRect(chosen)
    _refuse_border(u + left, v + top, width, height, mask.shape)
    alone = np.pad(chosen[top : top + height, left : left + width], 1)
    if not cv2.erode(alone, np.ones((2, 2), np.uint8)).any():
        raise PerceptionError(Reason.TOO_SMALL, f"It is nowhere two {unit} wide ({height} rows x {width} columns).")
    shell, holes, more = _holes(alone, settings, unit)
    return Piece(shell, holes, (u + left - 1, v + top - 1)), notes + more


def _labelled(image: NDArray[np.uint8], connectivity: int) -> tuple[NDArray, NDArray]:
    """Return the labels (h, w) of the pieces of what is not zero, from 1, and the pixel count of every label."""
    labels = np.asarray(cv2.connectedComponents(image, connectivity=connectivity)[1])
    return labels, np.bincount(labels.ravel())  # OpenCV's own statistics take twice as long


def choose(sizes: NDArray, settings: Perception, unit: str) -> tuple[int, tuple[str, ...]]:
    """Return the label of the object, given the pixel counts of the labels from 1, and notes on the others.

    Raises
    ------
    PerceptionError
        TOO_SMALL or SEVERAL_OBJECTS.
    """
    objects = np.flatnonzero(sizes >= settings.least_object)
    largest = int(sizes.argmax())
    if len(objects) == 0:
        detail = f"The largest of {len(sizes)} pieces has {sizes[largest]} {unit}, fewer than {settings.least_object}."
        raise PerceptionError(Reason.TOO_SMALL, detail)
    listed = ", ".join(str(size) for size in np.sort(sizes[objects])[::-1])
    if len(objects) > 1 and settings.on_several == "refuse":
        raise PerceptionError(Reason.SEVERAL_OBJECTS, f"There are {len(objects)}, of {listed} {unit}.")
    notes = []
    if len(objects) > 1:
        notes.append(f"The largest of {len(objects)} objects was taken; they have {listed} {unit}.")
    specks = np.delete(sizes, objects)
    if len(specks):
        notes.append(f"{len(specks)} specks of {specks.sum()} {unit} in all were dropped.")
    return largest + 1, tuple(notes)


def _refuse_border(u: int, v: int, width: int, height: int, shape: tuple[int, ...]) -> None:
    touches = {"left": u == 0, "upper": v == 0, "right": u + width == shape[1], "lower": v + height == shape[0]}
    sides = [side for side, touched in touches.items() if touched]
    if sides:
        raise PerceptionError(Reason.TOUCHES_BORDER, f"It touches the {' and '.join(sides)} border.")


def _holes(alone: NDArray[np.uint8], settings: Perception, unit: str) -> tuple[NDArray, NDArray, tuple[str, ...]]:
    """Return the shell, the holes (n, h, w), and a note on those that were filled."""
    labels, sizes = _labelled(1 - alone, 8)
    inner = [label for label in range(1, len(sizes)) if label != labels[0, 0]]
    kept = [label for label in inner if sizes[label] >= settings.least_hole]
    holes = (labels == np.reshape(kept, (-1, 1, 1))).astype(np.uint8)
    filled = [int(sizes[label]) for label in inner if label not in kept]
    notes = (f"{len(filled)} holes of {sum(filled)} {unit} in all were filled.",) if filled else ()
    return (labels != labels[0, 0]).astype(np.uint8), holes, notes
