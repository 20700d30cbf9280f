"""Pads as beds of small spheres, each a spring and damper: pressure spreads over the true patch, and torsion with it.

A box in place of the bed touches at the corners of the overlap and resists up to twice the torque about the closing axis
that uniform pressure would; no setting of the solver helps.
"""

# pyright: reportAttributeAccessIssue=none
from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from grasp.jaw import Pad
from physics.blocks import PadBed

REACH = 0.001  # metres; width of MuJoCo's impedance curve, which is constant here: any number will do
MIDPOINT, POWER = 0.5, 2.0  # of that curve


@dataclass(frozen=True, eq=False)
class Bed:
    """Spheres of one pad, in rows from the fingertip up, tangent to the pad's face at x = 0.

    Parameters
    ----------
    centre : (n, 3) float, metres
        Frame of the jaw: that of the gripper, with the origin on the face.
    radius
        Metres, the same for all.
    area : (n,) float, m^2
        Of the pad's face that each stands for.
    """

    centre: NDArray[np.float64]
    radius: float
    area: NDArray[np.float64]


def bed_of(pad: Pad, sign: float, pitch: float) -> Bed:
    """Return the spheres of a pad.

    Parameters
    ----------
    pad
        A trapezoid; its rows get fewer spheres where it is narrower.
    sign
        +1 for a face that looks along x, -1 for one that looks back.
    pitch : metres
        Wanted between centres.
    """
    rows = max(1, round(pad.height / pitch))
    up = (np.arange(rows) + 0.5) * pad.height / rows
    width = pad.width + (pad.base_width - pad.width) * up / pad.height
    count = np.maximum(1, np.round(width / pitch)).astype(int)
    row = np.repeat(np.arange(rows), count)
    place = np.concatenate([(np.arange(n) + 0.5) / n - 0.5 for n in count])  # across the row, in widths
    centre = np.stack([np.full(len(row), -sign * pitch / 2), pad.offset + place * width[row], -up[row]], -1)
    return Bed(centre, pitch / 2, width[row] / count[row] * pad.height / rows)


def stiffen(
    model: mujoco.MjModel, spheres: NDArray[np.int64], area: NDArray[np.float64], bodies: tuple[int, int], bed: PadBed
) -> None:
    """Make each sphere a spring and damper of its own, whatever the masses: call again when a mass has changed.

    MuJoCo's constraints are accelerations, divided by an inverse inertia that it approximates by `body_invweight0`; a
    constant small impedance d leaves the share 1 - d of the reference.

    Parameters
    ----------
    spheres : (n,) int
        Geoms of one jaw.
    area : (n,) float, m^2
    bodies
        The object and the jaw.
    """
    inverse_mass = sum(model.body_invweight0[body, 0] for body in bodies)
    share = (1 - bed.impedance) * inverse_mass * area
    model.geom_solref[spheres] = np.stack([-bed.stiffness * share, -bed.damping * share], -1)
    model.geom_solimp[spheres] = [bed.impedance, bed.impedance, REACH, MIDPOINT, POWER]
