"""Load: the typed reader of a folder of labels. Every file is checked against its sum before a number of it is believed."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labels import table, views_table
from labels.manifest import NAME
from labels.pictures import Picture
from labels.record import Labels
from labels.schema import VERSION
from labels.store import verified
from wrench.errors import InvalidValue


@dataclass(frozen=True, eq=False)
class Placement:
    """An object in one pose with its labels.

    Parameters
    ----------
    object, pose
        Names.
    probability
        Of the pose.
    T_table_object : (4, 4) float
        Pose of the mesh on the table, metres.
    mesh
        File of the mesh in its own frame, metres.
    labels
        Every candidate of every planner; None where all of them refused.
    pictures
        The views, in the order of the recipe.
    """

    object: str
    pose: str
    probability: float
    T_table_object: NDArray[np.float64]
    mesh: Path
    labels: Labels | None
    pictures: tuple[Picture, ...]

    def picture(self, view: str) -> Picture:
        """Return the view of that name."""
        return next(picture for picture in self.pictures if picture.name == view)


@dataclass(frozen=True, eq=False)
class LabelSet:
    """A whole folder of labels, read one placement at a time. Its length is the number of placements.

    Parameters
    ----------
    folder
        Where it is.
    manifest
        As written; see `labels.manifest`.
    """

    folder: Path
    manifest: Mapping[str, Any]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Objects without labels, and why."""
        return self.manifest["failures"]

    def __len__(self) -> int:
        return len(self.manifest["placements"])

    def __iter__(self) -> Iterator[Placement]:
        """Yield the placements, object by object."""
        return map(self._placement, self.manifest["placements"])

    def _placement(self, told: Mapping[str, Any]) -> Placement:
        candidates, views = (self._read(told[kind]) for kind in ("candidates", "views"))
        return Placement(
            told["object"],
            told["pose"],
            told["probability"],
            np.array(told["T_table_object"]),
            self.folder / self.manifest["meshes"][told["object"]],
            None if candidates is None else table.from_table(candidates),
            () if views is None else views_table.from_table(views),
        )

    def _read(self, name: str | None) -> Any:
        from pyarrow import parquet  # slow to import

        if name is None:
            return None
        return parquet.read_table(io.BytesIO(verified(self.folder / name, self.manifest["files"][name])))


def load(path: str | Path) -> LabelSet:
    """Return the labels in a folder, after a check that every file of it is there and as it was written.

    Raises
    ------
    InvalidValue
        No manifest (the run that writes it last has not ended), one of another schema version, or a file that is
        missing, incomplete or changed; the error names it.
    """
    folder = Path(path)
    file = folder / NAME
    if not file.is_file():
        raise InvalidValue("labels", folder, f"a folder with {NAME}: a run writes it at its end; give its command again")
    try:
        told = json.loads(file.read_text(encoding="utf-8"), parse_constant=_refuse)
    except ValueError as error:
        raise InvalidValue("manifest", file, f"whole, strict JSON ({error})") from error
    if told.get("schema_version") != VERSION:
        raise InvalidValue(f"{file}: schema_version", told.get("schema_version"), f"{VERSION}, the one this version reads")
    for name, sums in told["files"].items():
        verified(folder / name, sums)
    return LabelSet(folder, told)


def _refuse(name: str) -> None:
    raise InvalidValue("number", name, "finite: strict JSON has no such value")
