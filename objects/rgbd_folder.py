"""RGB-D folder: colour, depth, camera and mask of one view, as they are commonly kept together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.camera import Camera
from grasp.errors import InvalidValue
from grasp.view import View
from objects.arrays import colour_file, depth_file, mask_file, naming, require_file

INTRINSICS = ("fx", "fy", "cx", "cy", "width", "height")


def read_folder(folder: Path, *, mask: str | None = None, table_z: float | None = None) -> View:
    """Return the view in a folder.

    It holds ``color.png`` or ``.jpg`` (or ``.npy``; it may be missing), ``depth.png`` or ``.npy``, ``camera.json`` and
    perhaps ``mask*.png`` or ``.npy``. The camera file has fx, fy, cx, cy, width and height in pixels. It may have

    - ``depth_unit_m`` (metres per count) or ``depth_unit`` ("m" or "mm"); without, the type of the depth image tells;
    - ``T_table_camera``, the pose over a table at z = 0 (rows of a 4 x 4 matrix, metres);
    - ``camera_to_world``, the same for a world whose z points up.

    Parameters
    ----------
    folder
        Where the files are.
    mask
        Name of the mask file; needed where there are several.
    table_z
        Metres; height of the table in the world of ``camera_to_world``. None: that pose is not used, and the table has to
        be found in the depth image.

    Raises
    ------
    InvalidValue
        A file that is missing or wrong; the error names it.
    """
    path = folder / "camera.json"
    require_file(path)
    with naming(path):
        told = _json(path)
        camera = Camera(**{name: told[name] for name in INTRINSICS}, T_table_camera=_pose(told, table_z))
    colour, depth = _one(folder, "color", None), _one(folder, "depth", None)
    if depth is None:
        raise InvalidValue("folder", folder, "one with depth.png or depth.npy")
    chosen = _one(folder, "mask*", mask)
    with naming(folder):
        return View(
            rgb=None if colour is None else colour_file(colour),
            depth=depth_file(depth, told.get("depth_unit_m", told.get("depth_unit"))),
            mask=None if chosen is None else mask_file(chosen),
            camera=camera,
        )


def _json(path: Path) -> dict[str, Any]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InvalidValue("content", error, "JSON") from error
    missing = [name for name in INTRINSICS if name not in told] if isinstance(told, dict) else INTRINSICS
    if missing:
        raise InvalidValue("missing key", ", ".join(missing), "given")
    if np.any(told.get("distortion") or 0):
        raise InvalidValue("distortion", told["distortion"], "zero: undistort the images before they are planned on")
    return told


def _pose(told: dict[str, Any], table_z: float | None) -> NDArray[np.float64] | None:
    """Return `T_table_camera` where the camera file and the table's height tell it."""
    if told.get("T_table_camera") is not None:
        return np.array(told["T_table_camera"], float)
    if told.get("camera_to_world") is None or table_z is None:
        return None
    pose = np.array(told["camera_to_world"], float)
    pose[2, 3] -= table_z
    return pose


def _one(folder: Path, stem: str, name: str | None) -> Path | None:
    """Return the one file with that stem (or that name), None where there is none."""
    if name is not None:
        require_file(folder / name)
        return folder / name
    found = sorted(path for path in folder.glob(f"{stem}.*") if path.suffix in (".png", ".jpg", ".npy"))
    if len(found) > 1:
        listed = ", ".join(path.name for path in found)
        raise InvalidValue(f"{folder}: files", listed, f"one {stem} file only, or chosen by name")
    return found[0] if found else None
