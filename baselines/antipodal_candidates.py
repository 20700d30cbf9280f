"""Candidates: grasps before they are ranked, each accepted so far or rejected with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.cloud_scene import SAMPLERS
from grasp.funnel import Funnel
from grasp.reasons import Reason
from wrench.contacts import Contacts


@dataclass(frozen=True, eq=False)
class Candidates:
    """A batch of grasps on the pairs of one or more clouds.

    Parameters
    ----------
    T_table_gripper : (n, 4, 4) float
        Poses. Where the pair itself was rejected: midway between its ends, which may have no axes.
    opening : (n,) float, metres
        Between the pad faces as the gripper arrives; 0 where the pair was rejected.
    needed : (n,) float, metres
        Between the pad faces as they touch; where the pair was rejected, between its ends along the closing axis.
    contacts : (n,) of k contacts, table frame
        None are made where the pair was rejected.
    margin : (n, 2) float, radians
        How far the line between the pair's ends lies inside each friction cone, the wide jaw's first.
    slope : (n,) float, radians
        Between that line and the level.
    curvature : (n,) float
        Surface variation about the worse end.
    radius : (n,) float, metres
        About the worse end, within which its neighbours lie.
    residual : (n,) float, metres
        Root mean square distance of the surface from a plane, under the worst of the pads that touch.
    shortfall : (n,) float, metres
        By which the clearance from the surroundings is missed that is missed by most; 0 where none is.
    lacking : (n,) text
        Which clearance that is (`grasp.cleared.Cleared.sentence`), for the nearest miss of each sampler; else empty.
    sampler : (n,) int
        Index into `baselines.cloud_scene.SAMPLERS`.
    reason : (n,) uint8
        Code of a `grasp.Reason`; OK while nothing rejects the candidate.
    """

    T_table_gripper: NDArray[np.float64]
    opening: NDArray[np.float64]
    needed: NDArray[np.float64]
    contacts: Contacts
    margin: NDArray[np.float64]
    slope: NDArray[np.float64]
    curvature: NDArray[np.float64]
    radius: NDArray[np.float64]
    residual: NDArray[np.float64]
    shortfall: NDArray[np.float64]
    lacking: NDArray[np.str_]
    sampler: NDArray[np.int64]
    reason: NDArray[np.uint8]

    @classmethod
    def joined(cls, parts: Sequence[Candidates]) -> Candidates:
        """Return one batch of several, in their order."""
        own = {f.name: [getattr(part, f.name) for part in parts] for f in fields(cls)}
        arrays = {name: np.concatenate(values) for name, values in own.items() if name != "contacts"}
        pieces = [[getattr(c, name) for c in own["contacts"]] for name in ("points", "normals", "made")]
        return cls(**arrays, contacts=Contacts(*map(np.concatenate, pieces)))

    @property
    def accepted(self) -> NDArray[np.bool_]:
        """Which candidates nothing has rejected, (n,)."""
        return self.reason == Reason.OK.code

    def funnels(self) -> dict[str, Funnel]:
        """Return what became of the candidates, per sampler that drew any."""
        found = {name: self.reason[self.sampler == code] for code, name in enumerate(SAMPLERS)}
        return {name: Funnel.of(codes) for name, codes in found.items() if len(codes)}

    def __len__(self) -> int:
        return len(self.reason)

    def __getitem__(self, index: Any) -> Candidates:
        """Index every field alike."""
        return Candidates(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


def rejected(reason: NDArray[np.uint8], why: Mapping[Reason, NDArray[np.bool_]]) -> NDArray[np.uint8]:
    """Return reasons (n,) with every candidate still accepted rejected for the first that applies (n,), in their order."""
    for each, where in why.items():
        reason = np.where((reason == Reason.OK.code) & where, np.uint8(each.code), reason)
    return reason
