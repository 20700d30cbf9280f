"""Labels: every candidate of whole object sets with its metrics, for planners that learn."""

from labels.load import LabelSet, Placement, load
from labels.record import Labels

__all__ = ["LabelSet", "Labels", "Placement", "load"]
