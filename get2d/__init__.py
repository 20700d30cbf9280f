"""GET-2D: from one view from above to a ranked list of planar grasps (arXiv 2604.26212, section V)."""

from get2d.draw import draw
from get2d.explain import explain
from get2d.perceive import perceive
from get2d.planner import Get2D

__all__ = ["Get2D", "draw", "explain", "perceive"]
