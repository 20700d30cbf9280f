"""Scene: gripper, object and table as one MuJoCo model. The gripper never moves: the table does, and inertia is applied.

The world frame is the table frame at the moment of grasping. A jaw that is carried (mocap) does not drag the object along,
and one that turns lets it creep: friction has no memory of place. So arm motions are felt through `physics.inertial`.
"""

# pyright: reportAttributeAccessIssue=none
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from grasp.frames import require_pose
from grasp.gripper import Gripper
from grasp.solids import boxes, closing_sign
from objects.solid import Solid
from physics.pads import bed_of, stiffen
from physics.parts import Parts
from physics.settings import Settings

JAWS = ("wide", "narrow")
TABLE, HELD = 1, 2  # collision bits: the object's hull meets the table, its parts and the table meet the hand
OBJECT_ROLE, TABLE_ROLE = -1, -2  # of geoms; the hand's are 0 and up: fingers in contact order, then bodies
SLAB = (0.5, 0.5, 0.05)  # metres, half the size of the table's top
INERTIA = 1e-2  # kg m^2, of what only slides: any number will do


@dataclass(frozen=True, eq=False)
class Scene:
    """A model with its state, which MuJoCo keeps in `model` and `data`.

    Parameters
    ----------
    model, data
        MuJoCo's.
    gripper, settings, solid
        That it was built from.
    T_world_gripper : (4, 4) float
    role : (ngeom,) int
        Of each geom: place of its finger in contact order, or number of fingers + place of its body, -1 the object,
        -2 the table.
    mass : kg
        Of the object.
    inertia : (3, 3) float, kg m^2
        About its centre of mass, along the axes of its body, which start as those of the table.
    watch
        Called with the scene after every time step; None for nobody.
    """

    model: mujoco.MjModel
    data: mujoco.MjData
    gripper: Gripper
    settings: Settings
    solid: Solid
    T_world_gripper: NDArray[np.float64]
    role: NDArray[np.int64]
    mass: float
    inertia: NDArray[np.float64]
    watch: Callable[[Scene], None] | None = None


def build(
    solid: Solid,
    parts: Parts,
    gripper: Gripper,
    T_world_gripper: NDArray[np.float64],
    settings: Settings,
    watch: Callable[[Scene], None] | None = None,
) -> Scene:
    """Return the scene with the jaws wide open and the object where the solid is, at rest.

    Parameters
    ----------
    solid
        Table frame, standing on z = 0.
    parts
        Of that solid.
    gripper
        Any layout of pads.
    T_world_gripper
        Where the gripper is when it grasps.
    settings
        Of the trial.
    watch
        Called with the scene after every time step.
    """
    T = require_pose("T_world_gripper", T_world_gripper)
    mass = settings.mass(solid.name, solid.volume)
    inertia = solid.inertia * mass / solid.volume
    spec = _empty(settings)
    roles = _add_table(spec, settings) + _add_object(spec, solid, parts, mass, inertia, settings)
    roles += _add_gripper(spec, gripper, T, settings)
    _add_drives(spec, settings)
    model = spec.compile()
    role = np.empty(model.ngeom, int)
    for geom, value in roles:
        role[geom.id] = value
    scene = Scene(model, mujoco.MjData(model), gripper, settings, solid, T, role, mass, inertia, watch)
    _stiffen(scene)
    mujoco.mj_forward(model, scene.data)
    return scene


Roles = list[tuple[mujoco.MjsGeom, int]]


def _empty(settings: Settings) -> mujoco.MjSpec:
    spec, solver = mujoco.MjSpec(), settings.solver
    option = spec.option
    option.timestep, option.iterations, option.tolerance = solver.timestep, solver.iterations, solver.tolerance
    option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    option.cone, option.impratio = mujoco.mjtCone.mjCONE_ELLIPTIC, solver.impratio
    option.gravity = [0, 0, -settings.gravity]
    return spec


def _rigid(settings: Settings, friction: float) -> dict:
    """Return the contact numbers of what is not a pad."""
    reference = {"solref": [settings.solver.rigid_time, 1], "solimp": list(settings.solver.rigid_impedance)}
    return {"friction": [friction, 0, 0], "mass": 0} | reference


def _add_table(spec: mujoco.MjSpec, settings: Settings) -> Roles:
    """Add a slab on three slides."""
    body = spec.worldbody.add_body(name="table", mass=1, inertia=[INERTIA] * 3, explicitinertial=True, gravcomp=1)
    for name, axis in zip("xyz", np.eye(3), strict=True):
        slide = mujoco.mjtJoint.mjJNT_SLIDE
        body.add_joint(name=f"table_{name}", type=slide, axis=axis, armature=settings.travel.table_mass - 1)
    contact = _rigid(settings, settings.table_friction)
    box = mujoco.mjtGeom.mjGEOM_BOX
    geom = body.add_geom(type=box, size=SLAB, pos=[0, 0, -SLAB[2]], contype=TABLE, conaffinity=0, **contact)
    return [(geom, TABLE_ROLE)]


def _add_object(
    spec: mujoco.MjSpec, solid: Solid, parts: Parts, mass: float, inertia: NDArray[np.float64], settings: Settings
) -> Roles:
    """Add a free body with the true inertia: parts for the hand to touch, and their hull for the flat table."""
    full = [inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    body = spec.worldbody.add_body(
        name="object", pos=solid.center_mass, mass=mass, ipos=[0, 0, 0], fullinertia=full, explicitinertial=True
    )
    body.add_freejoint()
    contact = _rigid(settings, settings.table_friction)
    hull = solid.vertices[ConvexHull(solid.vertices).vertices]
    roles: Roles = []
    for i, vertices in enumerate((hull, *parts.vertices)):
        corners = np.asarray(vertices - solid.center_mass, np.float32)
        spec.add_mesh(name=f"object_{i}", uservert=corners.ravel(), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX)
        meets = {"contype": HELD, "conaffinity": 0} if i else {"contype": 0, "conaffinity": TABLE}
        geom = body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=f"object_{i}", **meets, **contact)
        roles.append((geom, OBJECT_ROLE))
    return roles


def _add_gripper(spec: mujoco.MjSpec, gripper: Gripper, T: NDArray[np.float64], settings: Settings) -> Roles:
    """Add the fixed bodies, and two jaws that slide on them by equal distances."""
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(T[:3, :3]).ravel())
    base = spec.worldbody.add_body(name="gripper", pos=T[:3, 3], quat=quaternion)
    solids, fingers = boxes(gripper, gripper.max_opening), len(gripper.pads)
    contact = _rigid(settings, settings.friction) | {"contype": 0, "conaffinity": TABLE | HELD, "priority": 1}
    box, roles = mujoco.mjtGeom.mjGEOM_BOX, []
    for i in range(fingers, len(solids.names)):
        roles.append((base.add_geom(type=box, size=solids.size[i] / 2, pos=solids.centre[i], **contact), i))
    jaws = {name: _add_jaw(base, name, gripper, settings) for name in JAWS}
    thickness, signs = gripper.backing_thickness, closing_sign(gripper)
    for i, (pad, wide, sign) in enumerate(zip(gripper.pads, gripper.is_wide, signs, strict=True)):
        jaw, bed = jaws["wide" if wide else "narrow"], bed_of(pad, sign, settings.pads.pitch)
        for centre in bed.centre:
            sphere = mujoco.mjtGeom.mjGEOM_SPHERE
            roles.append((jaw.add_geom(type=sphere, size=[bed.radius, 0, 0], pos=centre, **contact), i))
        if thickness > 0:
            pos = [-sign * (gripper.pad_thickness + thickness / 2), pad.offset, -gripper.finger_length / 2]
            size = [thickness / 2, pad.widest / 2, gripper.finger_length / 2]
            roles.append((jaw.add_geom(type=box, size=size, pos=pos, **contact), i))
    return roles


def _add_jaw(base: mujoco.MjsBody, name: str, gripper: Gripper, settings: Settings) -> mujoco.MjsBody:
    closing, sign = settings.closing, 1 if name == "wide" else -1
    jaw = base.add_body(name=name, pos=[-sign * gripper.max_opening / 2, 0, 0], gravcomp=1)
    jaw.mass, jaw.inertia, jaw.explicitinertial = closing.jaw_mass, [INERTIA] * 3, True
    stroke = (gripper.max_opening - gripper.min_opening) / 2
    end = {"limited": 1, "range": [0, stroke], "solref_limit": [settings.solver.rigid_time, 1]}
    slide = {"type": mujoco.mjtJoint.mjJNT_SLIDE, "axis": [sign, 0, 0], "damping": closing.joint_damping}
    jaw.add_joint(name=name, armature=closing.reflected_mass, **slide, **end)
    return jaw


def _add_drives(spec: mujoco.MjSpec, settings: Settings) -> None:
    """Couple the jaws, and add one actuator for the closing and one for each slide of the table (`physics.drive`)."""
    couple = spec.add_equality(type=mujoco.mjtEq.mjEQ_JOINT, objtype=mujoco.mjtObj.mjOBJ_JOINT, name1="wide", name2="narrow")
    couple.data = np.eye(1, len(couple.data), 1)[0]
    couple.solref, couple.solimp = [settings.solver.rigid_time, 1], [0.99, 0.999, 1e-4, 0.5, 2]
    tendon = spec.add_tendon(name="closed")
    for name in JAWS:
        tendon.wrap_joint(name, 1.0)
    affine = {"gaintype": mujoco.mjtGain.mjGAIN_FIXED, "biastype": mujoco.mjtBias.mjBIAS_AFFINE}
    spec.add_actuator(name="closing", target="closed", trntype=mujoco.mjtTrn.mjTRN_TENDON, **affine)
    for name in ("table_x", "table_y", "table_z"):
        spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT, **affine)


def _stiffen(scene: Scene) -> None:
    """Give the spheres of both jaws their springs."""
    model, pitch = scene.model, scene.settings.pads.pitch
    spheres = np.flatnonzero(model.geom_type == mujoco.mjtGeom.mjGEOM_SPHERE)
    area = np.concatenate([bed_of(pad, 1, pitch).area for pad in scene.gripper.pads])
    for name in JAWS:
        body = model.body(name).id
        own = model.geom_bodyid[spheres] == body
        stiffen(model, spheres[own], area[own], (model.body("object").id, body), scene.settings.pads)
