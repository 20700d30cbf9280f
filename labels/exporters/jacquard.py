"""Jacquard text (Depierre et al. 2018): a picture of 1024 x 1024 pixels and one line ``x;y;theta;opening;jaw`` per grasp.

What is lost stands in `LOSES`. theta is written over 360 degrees, from the wide jaw to the narrow one, but readers make a
rectangle of it, which is the same after half a turn. The raw epsilon and the closure rate stay in ``<name>_labels.csv``.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grasp.gripper import Gripper
from labels.exporters.select import by_view, in_image, success
from labels.load import LabelSet
from labels.pictures import Picture
from labels.record import Labels

LOSES = (
    "candidates that are rejected or below the bar, contacts, height and tilt, mesh and pose of the object, outcomes of "
    "trials, the borders of a picture beyond 1024 x 1024 pixels; for readers also epsilon and closure rate, which stay in"
    " a file they pass over, and which jaw is wide: their rectangles are the same after half a turn"
)
SIDE = 1024  # pixels of a picture, by which readers scale


def write_jacquard(data: LabelSet, folder: Path, planner: str, gripper: Gripper, bar: float) -> int:
    """Write ``<object>/<n>_<object>-<pose>_*`` per view; return the number of grasps listed.

    Files of a view: ``grasps.txt``, ``labels.csv``, ``RGB.png``, ``mask.png``, ``perfect_depth.tiff`` (metres, 0 missing).
    x and y are pixels from the picture's upper left corner; theta is in degrees from x towards y (down), from -180 to 180;
    opening and jaw are pixels at the fingertips, jaw the extent of the wide jaw.

    Parameters
    ----------
    data
        Labels of a planner that saw a camera's view.
    folder
        A new one.
    planner
        Its name in the labels.
    gripper
        The one they are for.
    bar
        Closure rate from which an accepted candidate is listed.
    """
    count = 0
    for number, (placement, picture, labels) in enumerate(by_view(data, planner)):
        stem = folder / placement.object / f"{number}_{placement.object}-{placement.pose}"
        stem.parent.mkdir(parents=True, exist_ok=True)
        shift = _write_pictures(stem, picture)
        good = labels[success(labels, bar)]
        _write_lines(stem, picture, good, shift, gripper)
        count += len(good)
    return count


def _write_lines(stem: Path, picture: Picture, labels: Labels, shift: NDArray[np.float64], gripper: Gripper) -> None:
    pixel, angle, depth = in_image(picture, labels)
    scale = picture.camera.fx / depth  # pixels per metre at the fingertips
    jaw = max(p.offset + p.width / 2 for p in gripper.wide.pads) - min(p.offset - p.width / 2 for p in gripper.wide.pads)
    columns = (*(pixel + shift).T, np.degrees(angle), labels.opening_m * scale, jaw * scale)
    lines = [";".join(f"{value:.6g}" for value in row) for row in zip(*columns, strict=True)]
    _text(f"{stem}_grasps.txt", lines)
    worth = (labels.candidate.tolist(), labels.closure_rate.tolist(), labels.mean_epsilon.tolist())
    rows = [f"{place},{rate!r},{epsilon!r}" for place, rate, epsilon in zip(*worth, strict=True)]
    _text(f"{stem}_labels.csv", ["candidate,closure_rate,mean_epsilon", *rows])


def _text(path: str, lines: list[str]) -> None:
    Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _write_pictures(stem: Path, picture: Picture) -> NDArray[np.float64]:
    """Write the pictures cut and padded to the side wanted about their middle; return by how much pixels (u, v) moved."""
    import cv2  # only images need it

    view, depth = picture.view(), picture.depth_image()
    cv2.imwrite(f"{stem}_RGB.png", squared(np.asarray(view.rgb)[..., ::-1]))
    cv2.imwrite(f"{stem}_perfect_depth.tiff", squared(depth))
    if view.mask is not None:
        cv2.imwrite(f"{stem}_mask.png", squared(view.mask.astype(np.uint8) * 255))
    return np.array([(SIDE - size) // 2 for size in (depth.shape[1], depth.shape[0])], float)


def squared(image: NDArray) -> NDArray:
    """Return an image (h, w, ...) cut to, or padded by its border pixels to, SIDE x SIDE about its middle."""
    shift = [(SIDE - size) // 2 for size in image.shape[:2]]
    rows, columns = (np.clip(np.arange(SIDE) - s, 0, size - 1) for s, size in zip(shift, image.shape[:2], strict=True))
    return np.ascontiguousarray(image[rows][:, columns])
