"""Segmentation: which pixels belong to the object."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from get2d.settings import Perception
from grasp.errors import PerceptionError
from grasp.reasons import Reason
from grasp.view import View


def foreground(rgb: NDArray[np.uint8], settings: Perception) -> NDArray[np.bool_]:
    """Return the pixels (h, w) whose colour differs from the background's in at least one channel (paper, section V)."""
    key = np.array(settings.background, float)
    low, high = key - settings.background_tolerance, key + settings.background_tolerance
    return cv2.inRange(rgb, low, high) == 0


def mask_of(view: View, settings: Perception) -> NDArray[np.bool_]:
    """Return the mask (h, w) that the view brings, else that of its colours.

    Raises
    ------
    PerceptionError
        VIEW_LACKS_INPUT: it has neither.
    """
    if view.mask is not None:
        return view.mask
    if view.rgb is None:
        raise PerceptionError(Reason.VIEW_LACKS_INPUT, "It has neither a mask nor colours.")
    return foreground(view.rgb, settings)
