"""Wrench picture: the planar grasp wrench space of one grasp, its epsilon ball and the origin (paper, Fig. 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grasp.plan import Grasp
from grasp.provenance import Conventions
from wrench.space import primitive_wrenches

HULL, BALL, ORIGIN, WIDE, NARROW = "#8fb8de", "#f2c230", "#c62828", "#1f6fb4", "#2a9d6f"
STEPS = 30  # of the ball's mesh, per half turn


def wrenches(grasp: Grasp, conventions: Conventions) -> NDArray[np.float64]:
    """Return the generating wrenches (k, e, 3) of a planar grasp: force x, force y, torque / scale; NaN where not made."""
    return primitive_wrenches(
        grasp.contacts,
        friction=conventions.friction,
        origin=conventions.origin,
        torque_scale=conventions.torque_scale,
        convention=conventions.convention,
    )


def wrench_space(axes: Any, grasp: Grasp, conventions: Conventions, wide: NDArray[np.bool_]) -> None:
    """Draw the grasp wrench space on 3D axes; `wide` (k,) tells whose contact each is.

    Under the L-infinity hull the space is larger than the hull drawn here, which is that of one unit of total effort.
    """
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection
    from scipy.spatial import ConvexHull

    generators = wrenches(grasp, conventions)
    points = generators[grasp.contacts.made].reshape(-1, 3)
    hull = ConvexHull(points, qhull_options="QJ")  # joggled: two contacts may span no volume
    axes.add_collection3d(Poly3DCollection(points[hull.simplices], fc=HULL, ec="#44617d", lw=0.7, alpha=0.22))
    if grasp.metrics.epsilon:
        axes.plot_surface(*_ball(grasp.metrics.epsilon), color=BALL, alpha=0.75, lw=0)
        axes.plot([], [], [], "o", color=BALL, ms=9, ls="", label="epsilon ball")
    for jaw, color, name in ((wide, WIDE, "wide jaw"), (~wide, NARROW, "narrow jaw")):
        own = generators[grasp.contacts.made & jaw].reshape(-1, 3)
        axes.plot(*own.T, "o", color=color, ms=6, ls="", label=f"cone edges, {name}")
    axes.plot([0], [0], [0], "o", color=ORIGIN, ms=7, ls="", label="origin", zorder=20)
    _frame(axes, points)


def _ball(radius: float) -> tuple[NDArray, NDArray, NDArray]:
    polar, around = np.meshgrid(np.linspace(0, np.pi, STEPS), np.linspace(0, 2 * np.pi, 2 * STEPS))
    return radius * np.sin(polar) * np.cos(around), radius * np.sin(polar) * np.sin(around), radius * np.cos(polar)


def _frame(axes: Any, points: NDArray[np.float64]) -> None:
    """Give all three axes one scale, so that the ball is round, and name them."""
    low, high = np.minimum(points.min(0), 0), np.maximum(points.max(0), 0)
    middle, half = (low + high) / 2, 0.55 * (high - low).max()
    for name, centre in zip("xyz", middle, strict=True):
        getattr(axes, f"set_{name}lim")(centre - half, centre + half)
        getattr(axes, f"{name}axis").set_major_locator(_few())
    axes.set_box_aspect((1, 1, 1))
    axes.tick_params(labelsize=7, pad=-1)
    axes.set_xlabel("force x", labelpad=-4)
    axes.set_ylabel("force y", labelpad=-4)
    axes.set_zlabel("torque / scale", labelpad=-4)
    axes.view_init(elev=18, azim=-62)


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)
