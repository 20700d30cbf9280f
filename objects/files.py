"""Files: what a user has on disk, read into a View. Every error names the file; no unit is guessed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grasp.errors import InvalidValue
from grasp.view import View
from objects.arrays import metres_per, naming, read_array, require_file
from objects.open3d_loader import open3d
from objects.outlines import ENDINGS, polygon_file
from objects.rgbd_folder import read_folder

CLOUDS = (".ply", ".pcd")


def read_view(
    path: str | Path,
    *,
    pixels_per_meter: float | None = None,
    unit: str | None = None,
    mask: str | None = None,
    table_z: float | None = None,
) -> View:
    """Return the view of a user's file or folder, told apart by its ending.

    Parameters
    ----------
    path
        A folder with an RGB-D view (see `objects.rgbd_folder`), a polygon (.json, .geojson, .wkt, .dxf), a point cloud
        (.ply, .pcd, or .npy of shape (n, 3)), or any other image or .npy: a mask, or with three channels colours.
    pixels_per_meter
        Scale of a mask or of colours.
    unit
        ``"m"`` or ``"mm"`` of a cloud, or of a polygon whose file does not say.
    mask, table_z
        As for `objects.rgbd_folder.read_folder`.

    Raises
    ------
    InvalidValue
        Names the file and what is wrong with it, or the argument that is missing.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if path.is_dir():
        return read_folder(path, mask=mask, table_z=table_z)
    with naming(path):
        if ending in ENDINGS:
            return View.from_polygon(polygon_file(path, unit))
        if ending in CLOUDS or (ending == ".npy" and read_array(path).shape[1:] == (3,)):
            return cloud_file(path, unit)
        array = read_array(path)
        rgb, mask_ = (array, None) if array.ndim == 3 else (None, array)
        return View(rgb=rgb, mask=mask_, pixels_per_meter=pixels_per_meter)


def cloud_file(path: Path, unit: str | None) -> View:
    """Return the view of a point cloud in an NPY (n, 3), PLY or PCD file.

    Parameters
    ----------
    path
        Points in the table frame: the table at z = 0, z up.
    unit
        ``"m"`` or ``"mm"``: the formats do not say.
    """
    with naming(path):
        points = read_array(path) if path.suffix.lower() == ".npy" else _open3d_points(path)
        if not np.issubdtype(points.dtype, np.number) or np.iscomplexobj(points):
            raise InvalidValue("points.dtype", points.dtype, "a number")
        return View.from_cloud(points * metres_per(unit))


def _open3d_points(path: Path) -> NDArray[np.float64]:
    require_file(path)
    library = open3d()
    with library.utility.VerbosityContextManager(library.utility.VerbosityLevel.Error):
        cloud = library.io.read_point_cloud(str(path))
    if len(cloud.points) == 0:
        raise InvalidValue("points", 0, "at least one in a readable PLY or PCD file")
    return np.asarray(cloud.points)
