"""Baselines: other ways to choose a grip, which the planners of the GET gripper are measured against."""

from baselines.antipodal import Antipodal
from baselines.bbox import BoundingBox
from baselines.footprint import FootprintPlanner
from baselines.profile import ProfileRules

__all__ = ["Antipodal", "BoundingBox", "FootprintPlanner", "ProfileRules"]
