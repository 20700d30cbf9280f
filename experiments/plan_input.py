"""What a plan is made on: the user's file or folder, or the built-in example of the planner asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hydra.utils import to_absolute_path
from omegaconf import DictConfig

from experiments import schema
from experiments.plan_surroundings import read_surroundings
from grasp import InvalidValue, View
from objects.files import read_view
from objects.solid import Solid

if TYPE_CHECKING:
    from numpy.typing import NDArray

MESHES = {".stl", ".obj", ".glb", ".gltf", ".off"}  # and .ply where the planner wants a mesh: it may hold a cloud


@dataclass(frozen=True)
class Seen:
    """A view, with sentences on how it came about."""

    view: View
    notes: tuple[str, ...] = ()


def look(config: DictConfig, wants_mesh: bool) -> Seen:
    """Return what the configuration asks to plan on, among the surroundings that it names."""
    around = None
    if config.surroundings is not None:
        around = read_surroundings(Path(to_absolute_path(config.surroundings)))
    seen = _look(config, wants_mesh)
    return replace(seen, view=seen.view.among(around))


def _look(config: DictConfig, wants_mesh: bool) -> Seen:
    if config.input is None:
        if wants_mesh:
            from objects import shapes  # a second, as everything about meshes, which an outline does not need

            return at_rest(Solid.from_trimesh(config.shape, shapes.make(config.shape)), config)
        return Seen(schema.build(config.example, "example").view())
    path = Path(to_absolute_path(config.input))
    ending = path.suffix.lower()
    if ending in MESHES or (wants_mesh and ending == ".ply"):
        return at_rest(schema.build(config.mesh, "mesh").load(path, config.unit), config)
    options = {name: config[name] for name in ("pixels_per_meter", "unit", "mask", "table_z")}
    return Seen(read_view(path, **options))


def at_rest(solid: Solid, config: DictConfig) -> Seen:
    """Return a solid in the resting pose asked for, the most probable being number 0."""
    from objects.stable import resting_poses

    poses = resting_poses(solid, schema.build(config.rest, "rest"))
    if not 0 <= config.pose < len(poses):
        expected = f"from 0 to {len(poses) - 1}, the resting poses of {solid.name} (see rest.poses)"
        raise InvalidValue("pose", config.pose, expected)
    if config.cloud is not None:
        return registered(solid, [pose.T_table_object for pose in poses], config)
    pose = poses[config.pose]
    placed = solid.posed(pose.T_table_object)
    said = f"{solid.name} rests in pose {config.pose}, whose chance is {pose.probability:.0%} from a random attitude."
    return Seen(View.from_mesh(placed.vertices, placed.faces), (*solid.notes, said))


def registered(solid: Solid, poses: Sequence[NDArray], config: DictConfig) -> Seen:
    """Return a solid where a point cloud or an RGB-D folder shows it, in whichever of its resting poses fits best."""
    from get3d.register import register_view  # a second, and only clouds need it

    seen = read_view(to_absolute_path(config.cloud), unit=config.cloud_unit, table_z=config.table_z, mask=config.mask)
    view = register_view(seen, solid, poses, schema.build(config.registration, "registration"))
    return Seen(view, (*solid.notes, f"{solid.name} was registered to {Path(config.cloud).name}."))
