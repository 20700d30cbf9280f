"""Baselines: the simple planners that the others are measured against."""

from baselines.bbox import BoundingBox

__all__ = ["BoundingBox"]
