"""Exporters: labels in the formats that existing networks read. Each says in `LOSES` what its format cannot hold."""

from labels.exporters.acronym import write_acronym
from labels.exporters.dexnet import DexNet, write_dexnet
from labels.exporters.graspgen import write_graspgen
from labels.exporters.jacquard import write_jacquard

__all__ = ["DexNet", "write_acronym", "write_dexnet", "write_graspgen", "write_jacquard"]
