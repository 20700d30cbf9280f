"""The shared vocabulary: grippers, views, plans, refusals, and the door every planner has."""

from grasp.camera import Camera
from grasp.errors import ConventionMismatch, GraspError, InvalidValue, PerceptionError, UnknownPreset
from grasp.funnel import Funnel
from grasp.gripper import Gripper
from grasp.jaw import Box, Jaw, Pad
from grasp.mesh import Mesh
from grasp.plan import Grasp, Metrics, Plan, Refusal
from grasp.planner import Planner
from grasp.provenance import Conventions, Provenance, Seed, versions
from grasp.reasons import Reason
from grasp.records import from_json, to_json
from grasp.view import View

__all__ = [
    "Box",
    "Camera",
    "ConventionMismatch",
    "Conventions",
    "Funnel",
    "Grasp",
    "GraspError",
    "Gripper",
    "InvalidValue",
    "Jaw",
    "Mesh",
    "Metrics",
    "Pad",
    "PerceptionError",
    "Plan",
    "Planner",
    "Provenance",
    "Reason",
    "Refusal",
    "Seed",
    "UnknownPreset",
    "View",
    "from_json",
    "to_json",
    "versions",
]
