"""Arrays: masks, depth and colours in image or NPY files. Every error names the file; no unit is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.errors import InvalidValue
from grasp.images import METRES_PER, read_depth, read_mask, read_rgb

IMAGES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Put the file's name in front of the field in every `InvalidValue` raised within that does not have it yet."""
    try:
        yield
    except InvalidValue as error:
        if str(path) in str(error):
            raise
        raise InvalidValue(f"{path}: {error.field}", error.value, error.expected) from error


def require_file(path: Path) -> None:
    """Raise `InvalidValue` unless there is such a file."""
    if not path.is_file():
        raise InvalidValue("file", path, "the name of an existing file")


def read_array(path: Path) -> NDArray:
    """Return what an image or NPY file holds, unchanged: 16 bits stay 16 bits, colours come red first.

    Raises
    ------
    InvalidValue
        There is no such file, or it is neither.
    """
    require_file(path)
    if path.suffix.lower() == ".npy":
        try:
            return np.load(path, allow_pickle=False)
        except (ValueError, EOFError) as error:
            raise InvalidValue("file", path, "a whole NumPy array of numbers") from error
    import cv2

    image = cv2.imread(str(path), cv2.IMREAD_UNCHANGED) if path.suffix.lower() in IMAGES else None
    if image is None:
        raise InvalidValue("file", path, f"a readable image ({', '.join(IMAGES)}) or .npy array")
    return image if image.ndim == 2 else np.ascontiguousarray(image[..., 2::-1])  # blue first in OpenCV; alpha is dropped


def mask_file(path: Path) -> NDArray[np.bool_]:
    """Return the mask (h, w) in a PNG or NPY file, as `grasp.images.read_mask` takes it."""
    with naming(path):
        return read_mask(read_array(path))


def depth_file(path: Path, unit: str | float | None = None) -> NDArray[np.float64]:
    """Return the depth (h, w) in metres in a 16-bit PNG or an NPY file, with `unit` as in `grasp.images.read_depth`."""
    with naming(path):
        return read_depth(read_array(path), unit)


def colour_file(path: Path) -> NDArray[np.uint8]:
    """Return the colours (h, w, 3), red first, in an image or NPY file."""
    with naming(path):
        return read_rgb(read_array(path))


def metres_per(unit: Any) -> float:
    """Return the metres in a unit of length, or raise `InvalidValue` that asks for it."""
    if unit not in METRES_PER:
        raise InvalidValue("unit", repr(unit), f"given as one of {', '.join(map(repr, METRES_PER))}: the file does not say")
    return METRES_PER[unit]
