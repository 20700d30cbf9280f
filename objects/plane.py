"""Table plane: found in what a camera sees by RANSAC (Fischler and Bolles 1981), through Open3D."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grasp.errors import PerceptionError
from grasp.reasons import Reason
from objects.open3d_loader import open3d

SAMPLE = 20_000  # points; more do not move the plane and cost time
SEED = 0  # of RANSAC's trials, so that the same image always gives the same plane


def table_pose(points: NDArray[np.float64], *, distance: float, iterations: int, share: float) -> NDArray[np.float64]:
    """Return the pose of a camera over the largest plane it sees.

    Parameters
    ----------
    points : (n, 3) float, metres, camera frame
        Finite. The object should not be among them, though it does little harm.
    distance
        Metres from the plane that still belong to it.
    iterations
        Number of trials.
    share
        Least share of the points that must belong to the plane.

    Returns
    -------
    T_table_camera : (4, 4) float, metres
        z is the plane's normal towards the camera, x the image's u laid into the plane, and the origin the foot of the
        perpendicular from the camera: the principal point's, for a camera that looks straight down.

    Raises
    ------
    PerceptionError
        NO_TABLE_PLANE: fewer than three points, or too few of them in one plane.
    """
    sample = points[:: max(len(points) // SAMPLE, 1)]
    if len(sample) < 3:
        raise PerceptionError(Reason.NO_TABLE_PLANE, f"There are {len(sample)} points with depth around the object.")
    library = open3d()
    library.utility.random.seed(SEED)
    cloud = library.geometry.PointCloud(library.utility.Vector3dVector(sample))
    plane, inside = cloud.segment_plane(distance, 3, iterations, probability=1.0)
    if len(inside) < max(share * len(sample), 3):
        found = f"{len(inside) / len(sample):.0%} of the points around the object"
        raise PerceptionError(Reason.NO_TABLE_PLANE, f"The best plane holds {found}; {share:.0%} are asked for.")
    return _over(np.asarray(plane, float))


def _over(plane: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the pose over the plane a x + b y + c z + d = 0."""
    plane = plane / np.linalg.norm(plane[:3]) * (1 if plane[3] >= 0 else -1)  # so that the camera's origin is above
    normal, height = plane[:3], plane[3]
    right = np.eye(3)[0] - normal[0] * normal
    right /= np.linalg.norm(right)
    T = np.eye(4)
    T[:3, :3], T[2, 3] = np.stack([right, np.cross(normal, right), normal]), height
    return T
