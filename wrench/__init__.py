"""Mechanics of grasps: contacts, friction cones, wrench spaces, closure, epsilon, squeeze and robustness. Arrays only."""

from wrench.closure import force_closure
from wrench.contacts import Contacts
from wrench.convention import PRESETS, Cone, ConeKind, Convention, ForceModel, HullNorm
from wrench.errors import ConventionMismatch, GraspError, InvalidValue
from wrench.form import form_closure
from wrench.mixing import concatenate, exceeds, require_comparable
from wrench.quality import Quality, quality
from wrench.reference import Origin, OriginRule, ScaleRule, TorqueScale, origin_of, torque_scale_of
from wrench.robust import Draws, Perturbation, Robustness, order, wilson
from wrench.space import primitive_wrenches

__all__ = [
    "PRESETS",
    "Cone",
    "ConeKind",
    "Contacts",
    "Convention",
    "ConventionMismatch",
    "Draws",
    "ForceModel",
    "GraspError",
    "HullNorm",
    "InvalidValue",
    "Origin",
    "OriginRule",
    "Perturbation",
    "Quality",
    "Robustness",
    "ScaleRule",
    "TorqueScale",
    "concatenate",
    "exceeds",
    "force_closure",
    "form_closure",
    "order",
    "origin_of",
    "primitive_wrenches",
    "quality",
    "require_comparable",
    "torque_scale_of",
    "wilson",
]
