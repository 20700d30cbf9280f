"""The shared vocabulary: grippers, views, plans, refusals, and the door every planner has."""

from grasp.camera import Camera
from grasp.clearance import Clearance
from grasp.errors import ConventionMismatch, GraspError, InvalidValue, PerceptionError, UnknownPreset
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.jaw import Box, Jaw, Pad
from grasp.load import GripForce, Load
from grasp.mesh import Mesh
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.planner import Planner
from grasp.provenance import Conventions, Provenance, Seed, versions
from grasp.reasons import Reason
from grasp.records import from_json, to_json
from grasp.sizing import sized
from grasp.surroundings import Obstacle, Surroundings
from grasp.view import View

__all__ = [
    "Box",
    "Camera",
    "Clearance",
    "ConventionMismatch",
    "Conventions",
    "Funnel",
    "Grasp",
    "GraspError",
    "GripForce",
    "Gripper",
    "InvalidValue",
    "Jaw",
    "Load",
    "Mesh",
    "Metrics",
    "Obstacle",
    "Pad",
    "PerceptionError",
    "Plan",
    "Planner",
    "Provenance",
    "Reason",
    "Refusal",
    "Seed",
    "Surroundings",
    "UnknownPreset",
    "View",
    "from_json",
    "sized",
    "to_json",
    "versions",
]
