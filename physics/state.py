"""State: everything that the engine needs to go on exactly as it would have."""

# pyright: reportAttributeAccessIssue=none
from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from physics.scene import Scene

WHOLE = mujoco.mjtState.mjSTATE_INTEGRATION


def save(scene: Scene) -> NDArray[np.float64]:
    """Return the state of the scene; what the jaws' actuator does is not part of it."""
    state = np.empty(mujoco.mj_stateSize(scene.model, WHOLE))
    mujoco.mj_getState(scene.model, scene.data, state, WHOLE)
    return state


def restore(scene: Scene, state: NDArray[np.float64]) -> None:
    """Put the scene back into a saved state."""
    mujoco.mj_setState(scene.model, scene.data, state, WHOLE)
    mujoco.mj_forward(scene.model, scene.data)
