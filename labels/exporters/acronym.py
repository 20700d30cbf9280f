"""ACRONYM HDF5 (Eppner et al. 2021): one file per object with grasp poses in its frame and their qualities.

What is lost stands in `LOSES`. ``qualities/flex/object_in_gripper`` is where readers look for success; here it is force
closure of an accepted candidate, not a lift simulated in FleX. The format has one opening per object
(``gripper/configuration``, here the greatest): that of each candidate, the raw epsilon, the closure rate, the code of the
reason and the outcomes of trials (NaN: no trial) stay in ``grasps/qualities/get_grasp``. Poses keep the asymmetry (x runs
from the wide jaw to the narrow one); readers written for the symmetric Panda may turn grasps by half a turn: another grasp
here.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from grasp.gripper import Gripper
from labels.exporters.select import by_object, from_base, success
from labels.load import LabelSet
from labels.record import Labels
from wrench.errors import GraspError

LOSES = (
    "the table (grasps of all poses are mixed, in the frame of the object), contacts, pictures; for readers also opening,"
    " metrics and outcomes of trials, which stay in a group they pass over; and which jaw is wide, where one turns grasps"
    " by half a turn"
)
METRICS = ("reason_code", "closure_rate", "mean_epsilon", "epsilon_lower", "epsilon_upper", "opening_m")
OWN = (*METRICS, "lifted", "shaken", "shake_margin", "slip_force_n")


def write_acronym(data: LabelSet, folder: Path, planner: str, gripper: Gripper, bar: float, friction: float) -> int:
    """Write ``grasps/<object>_1.0.h5`` and ``meshes/``; return the number of objects.

    Parameters
    ----------
    data
        Labels of a planner in space.
    folder
        A new one.
    planner
        Its name in the labels.
    gripper
        The one they are for.
    bar
        Closure rate from which an accepted candidate is a success.
    friction
        Of the object, for ``object/friction``.
    """
    try:
        import h5py  # slow to import
    except ImportError as error:
        raise GraspError('ACRONYM files need h5py: pip install -e ".[labels]"') from error
    for name in ("grasps", "meshes"):
        (folder / name).mkdir(parents=True)
    count = 0
    for placement, labels, poses in by_object(data, planner):
        shutil.copyfile(placement.mesh, folder / "meshes" / placement.mesh.name)
        with h5py.File(folder / "grasps" / f"{placement.object}_1.0.h5", "w") as file:
            _write_object(file, f"meshes/{placement.mesh.name}", placement.mesh, friction)
            file["gripper/type"] = gripper.name
            file["gripper/configuration"] = np.array([gripper.max_opening])
            file["grasps/transforms"] = from_base(poses, gripper)
            _write_qualities(file["grasps"], labels, bar)
        count += 1
    return count


def _write_object(file, name: str, mesh: Path, friction: float) -> None:
    """Write what is known of the object: its mesh in metres, and its mass properties at unit density."""
    import trimesh

    solid = trimesh.load_mesh(mesh, process=False)
    file["object/file"], file["object/scale"], file["object/friction"] = name, 1.0, friction
    file["object/density"], file["object/mass"], file["object/volume"] = 1.0, solid.volume, solid.volume
    file["object/com"], file["object/inertia"] = solid.center_mass, solid.moment_inertia


def _write_qualities(grasps, labels: Labels, bar: float) -> None:
    grasps["qualities/flex/object_in_gripper"] = success(labels, bar).astype(np.int64)
    for name in OWN:
        grasps[f"qualities/get_grasp/{name}"] = getattr(labels, name)
