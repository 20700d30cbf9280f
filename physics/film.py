"""Film: a trial as an animated picture. Needs no display and no graphics library."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from grasp.gripper import Gripper
from objects.solid import Solid
from physics import drive, measure
from physics.draw import show_moment, verdict
from physics.result import Frame, Phase, TrialResult
from physics.scene import Scene

INCHES = (6.4, 3.4)


@dataclass(frozen=True, eq=False)
class Reel:
    """Frames taken at equal intervals while a trial runs; `take` is what `physics.trial.trial` takes as `watch`.

    Parameters
    ----------
    rate
        Frames per simulated second.
    frames
        Grows while the trial runs; saved states that a trial goes back to are seen as they happen.
    """

    rate: float
    frames: list[Frame] = field(default_factory=list)
    steps: list[int] = field(default_factory=lambda: [0])

    def take(self, scene: Scene) -> None:
        """Keep a frame if it is time for one."""
        every = max(1, round(1 / (self.rate * scene.settings.solver.timestep)))
        if self.steps[0] % every == 0:
            now = measure.pose(scene)
            frame = Frame(Phase.SETTLE, now.place, now.turn, drive.table_place(scene), drive.opening(scene))
            self.frames.append(frame)
        self.steps[0] += 1


def animate(reel: Reel, result: TrialResult, solid: Solid, gripper: Gripper, path: str | Path) -> None:
    """Write the frames of a reel as an animated GIF at the speed of the trial: seen across the closing axis, and cut level.

    Parameters
    ----------
    reel
        That watched the trial.
    result, solid, gripper
        Of the trial.
    path
        Where to write.
    """
    from matplotlib.animation import FuncAnimation, PillowWriter
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=INCHES, facecolor="white")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{result.object}, {result.gripper}: {verdict(result)}", fontsize=9)
    panels = figure.subplots(1, 2)
    figure.subplots_adjust(0.07, 0.08, 0.98, 0.9)

    def draw(i: int) -> list:
        for axes, cut in zip(panels, (False, True), strict=True):
            axes.clear()
            show_moment(axes, reel.frames[i], result, solid, gripper, cut)
        return []

    film = FuncAnimation(figure, draw, frames=len(reel.frames), blit=False)
    writer: Any = PillowWriter(fps=reel.rate)  # type: ignore[arg-type]  # it takes fractions too
    film.save(str(path), writer=writer, dpi=80)
