"""Views tables: the pictures of one placement as an Arrow table, one row per view, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grasp.camera import Camera
from labels.pictures import Picture

INTRINSICS = ("fx", "fy", "cx", "cy", "width", "height")


def to_table(object_name: str, pose: str, pictures: Sequence[Picture]) -> Any:
    """Return pictures as an Arrow table.

    Its columns: ``object``, ``pose``, ``view``; ``rgb_png``, ``depth_png`` (16 bits, counts of ``depth_step_m``, 0 missing)
    and ``mask_png`` (null where there is none); the pinhole in pixels; ``T_table_camera``, 16 numbers, row by row.
    """
    import pyarrow as pa  # slow to import

    columns = {
        "object": pa.array([object_name] * len(pictures), pa.string()),
        "pose": pa.array([pose] * len(pictures), pa.string()),
        "view": pa.array([p.name for p in pictures], pa.string()),
        "rgb_png": pa.array([p.rgb for p in pictures], pa.binary()),
        "depth_png": pa.array([p.depth for p in pictures], pa.binary()),
        "mask_png": pa.array([p.mask for p in pictures], pa.binary()),
        "depth_step_m": pa.array([p.depth_step for p in pictures], pa.float64()),
    }
    columns |= {f"{name}_px": pa.array([float(getattr(p.camera, name)) for p in pictures]) for name in INTRINSICS}
    poses = [p.camera.pose.ravel().tolist() for p in pictures]
    columns["T_table_camera"] = pa.array(poses, pa.list_(pa.float64(), 16))
    return pa.table(columns)


def from_table(table: Any) -> tuple[Picture, ...]:
    """Return the pictures in a table that `to_table` made."""
    return tuple(_picture(row) for row in table.to_pylist())


def _picture(row: dict[str, Any]) -> Picture:
    intrinsics = {name: row[f"{name}_px"] for name in INTRINSICS}
    camera = Camera(**intrinsics, T_table_camera=np.reshape(row["T_table_camera"], (4, 4)))
    return Picture(row["view"], row["rgb_png"], row["depth_png"], row["mask_png"], row["depth_step_m"], camera)
