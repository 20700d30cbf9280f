"""Planner: the one door through which every planner and baseline is used."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from grasp.plan import Plan, Refusal
from grasp.view import View


class Planner(Protocol):
    """Anything that turns a view into a ranked list of grasps, or says why it cannot.

    Implementations are frozen dataclasses of options. They see the view and nothing else, and draw random numbers from
    the generator they are given and from nowhere else.
    """

    def plan(self, view: View, rng: np.random.Generator) -> Plan | Refusal:
        """Return a plan or a refusal.

        Parameters
        ----------
        view
            What may be seen. Not finding a grasp in it is a `Refusal`, never an exception.
        rng
            Fresh generator; its seed is stored in the result, so that the result can be made again.
        """
        ...
