"""Card: the README.md of a folder of labels, by which Hugging Face `datasets` tells candidates from views."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAME = "README.md"
KINDS = ("candidates", "views")


def card(manifest: Mapping[str, Any]) -> str:
    """Return the card of the labels that a manifest describes: its header names each kind of table that there is."""
    there = [kind for kind in KINDS if any(placement[kind] for placement in manifest["placements"])]
    header = [line for kind in there for line in (f"- config_name: {kind}", f"  data_files: {kind}/*.parquet")]
    planners = ", ".join(manifest["planners"])
    return "\n".join(
        [
            *(["---", "configs:", *header, "---"] if there else []),
            f"# Grasp labels of {manifest['object_set']}",
            "",
            f"{manifest['candidates']} candidates of {planners} on {manifest['objects']} objects, kept and rejected.",
            "`manifest.json` says what every column means, its unit and which way it is good, and under which settings,",
            "seed and versions it was made.",
            "",
        ]
    )
