"""Dex-Net 2.0 tensors (Mahler et al. 2017): depth patches aligned with the grasp axis, as GQ-CNN reads them.

What is lost stands in `LOSES`. The asymmetry survives: theta has 360 degrees and patches are turned by all of them, so
that the wide jaw is always on the left. A reader that turns patches by half a turn (GQ-CNN's ``symmetrize``) destroys it.

Epsilon is on another scale than theirs (soft fingers, eight edges, another torque scale), and no factor maps one onto the
other. ``robust_ferrari_canny`` is our mean epsilon times `THRESHOLD` / `positive`, so that the reader's threshold of 0.002
parts the candidates at our `positive`. The raw mean epsilon stays in ``mean_epsilon``, with ``closure_rate`` beside it; both
numbers and the factor stand in ``metadata.json``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp import presets
from grasp.strict import build, positive
from labels.exporters.select import by_view, in_image
from labels.load import LabelSet
from labels.pictures import Picture
from labels.record import Labels

LOSES = (
    "contacts, reasons of rejections, roll and tilt (every grasp is taken as top-down), the picture outside of a patch, "
    "mesh and pose of the object, outcomes of trials; and which jaw is wide, where a reader turns patches by half a turn"
)
SIDE, POSE = 32, 7  # pixels of a patch; numbers of a hand pose
PER_FILE = 1000  # datapoints, as in the published set
THRESHOLD = 0.002  # of robust_ferrari_canny, from which GQ-CNN takes a grasp as good
SHAPES = {
    "depth_ims_tf_table": {"height": SIDE, "width": SIDE, "channels": 1},
    "hand_poses": {"height": POSE},
    "robust_ferrari_canny": {},
    "mean_epsilon": {},
    "closure_rate": {},
}


@dataclass(frozen=True)
class DexNet:
    """How patches are cut and labelled. The numbers stand in ``conf/export/dexnet.yaml``.

    Parameters
    ----------
    window : metres
        Side of a patch, at the depth of the fingertips.
    positive
        Our mean epsilon that maps to their threshold.
    """

    window: float
    positive: float

    def __post_init__(self) -> None:
        positive("dexnet.window", self.window, "m")
        positive("dexnet.positive", self.positive, "")

    @classmethod
    def preset(cls) -> DexNet:
        """Return the options in ``conf/export/dexnet.yaml``."""
        return build(cls, presets.read("export", "dexnet"), "dexnet")


def write_dexnet(data: LabelSet, folder: Path, planner: str, options: DexNet) -> int:
    """Write ``config.json``, ``metadata.json`` and ``tensors/<field>_%05d.npz``; return the number of datapoints.

    Fields of a datapoint: ``depth_ims_tf_table`` (32, 32, 1), metres, 0 where depth is missing; ``hand_poses``: row and
    column of the grasp centre in an image centred on the object, depth in metres, angle of the grasp axis in radians from
    the image's x towards its y, row and column of the object's centre in the picture, and opening in pixels;
    ``robust_ferrari_canny``, ``mean_epsilon`` and ``closure_rate``, 0 for candidates rejected before they were closed.

    Parameters
    ----------
    data
        Labels of a planner that saw a camera's view.
    folder
        A new one.
    planner
        Its name in the labels.
    options
        How patches are cut and labelled.
    """
    (folder / "tensors").mkdir(parents=True)
    fields = {name: {"dtype": "float32", **shape} for name, shape in SHAPES.items()}
    _json(folder / "config.json", {"datapoints_per_file": PER_FILE, "fields": fields})
    scale = THRESHOLD / options.positive
    told = {"threshold": THRESHOLD, "mean_epsilon_at_threshold": options.positive, "factor": scale, "planner": planner}
    _json(folder / "metadata.json", told)
    count = 0
    for number, batch in enumerate(_batches(data, planner, options, scale)):
        for name, values in batch.items():
            np.savez_compressed(folder / "tensors" / f"{name}_{number:05d}.npz", values.astype(np.float32))
        count += len(batch["hand_poses"])
    return count


def _batches(data: LabelSet, planner: str, options: DexNet, scale: float) -> Iterator[dict[str, NDArray]]:
    """Yield datapoints, `PER_FILE` at a time and the rest at last."""
    held: dict[str, NDArray] = {}
    for _, picture, labels in by_view(data, planner):
        found = _datapoints(picture, labels, options, scale)
        held = {name: np.concatenate([held[name], found[name]]) if held else found[name] for name in SHAPES}
        while len(held["hand_poses"]) >= PER_FILE:
            yield {name: values[:PER_FILE] for name, values in held.items()}
            held = {name: values[PER_FILE:] for name, values in held.items()}
    if held and len(held["hand_poses"]):
        yield held


def _datapoints(picture: Picture, labels: Labels, options: DexNet, scale: float) -> dict[str, NDArray]:
    pixel, angle, depth = in_image(picture, labels)
    camera, image = picture.camera, picture.depth_image()
    sides = options.window * camera.fx / depth
    patches = [patch(image, uv, a, side) for uv, a, side in zip(pixel, angle, sides, strict=True)]
    u, v, _ = camera.project(labels.origin_m)
    centred = pixel - np.stack([u - camera.cx, v - camera.cy], -1)
    poses = [centred[:, 1], centred[:, 0], depth, angle, v, u, labels.opening_m * camera.fx / depth]
    epsilon = np.nan_to_num(labels.mean_epsilon, nan=0.0)
    return {
        "depth_ims_tf_table": np.array(patches).reshape(-1, SIDE, SIDE, 1),
        "hand_poses": np.stack(poses, -1),
        "robust_ferrari_canny": epsilon * scale,
        "mean_epsilon": epsilon,
        "closure_rate": np.nan_to_num(labels.closure_rate, nan=0.0),
    }


def patch(image: NDArray[np.float32], pixel: NDArray[np.float64], angle: float, side: float) -> NDArray[np.float32]:
    """Return the square patch (32, 32) about a pixel, turned so that the grasp axis runs along its rows to the right.

    Parameters
    ----------
    image : (h, w) float32
    pixel : (2,) float
        u, v of the middle.
    angle : radians
        Of the grasp axis, from u towards v.
    side
        Of the patch in pixels of the image; beyond the border the nearest pixel is repeated.
    """
    import cv2  # only images need it

    c, s, step = np.cos(angle), np.sin(angle), side / SIDE
    turn = step * np.array([[c, -s], [s, c]])
    shift = pixel - turn @ np.full(2, (SIDE - 1) / 2)
    flags = cv2.INTER_NEAREST | cv2.WARP_INVERSE_MAP  # depths on either side of an edge do not mix
    matrix = np.column_stack([turn, shift])
    return np.asarray(cv2.warpAffine(image, matrix, (SIDE, SIDE), flags=flags, borderMode=cv2.BORDER_REPLICATE), np.float32)


def _json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=1, allow_nan=False) + "\n", encoding="utf-8")
