"""The gallery of a report: every object in every pose, with every method's grasp side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape

import numpy as np

from experiments.report_html import image
from experiments.report_pictures import Pose, draw
from experiments.report_rows import Group, holds, planned
from experiments.schema_rows import Row
from experiments.tables import ending, label
from grasp.gripper import Gripper
from objects.solid import Solid

MOST = 240  # pictures in a page: of about 20 kB each
MM = 1e3
Solids = Callable[[str, str], Solid | None]  # from the names of an object and a pose


def gallery(found: Sequence[Group], solids: Solids, grippers: Mapping[str, Gripper]) -> str:
    """Return the gallery as HTML; of several seeds, the first; of many objects, the first ones.

    Parameters
    ----------
    found
        Groups without varied settings.
    solids
        Returns an object in its pose on the table; None where it is not known.
    grippers
        By name.
    """
    first = [{(row.object, row.pose): row for row in reversed(group.rows)} for group in found]
    things = list(dict.fromkeys((row.object, row.pose) for group in found for row in group.rows))
    shown = things[: max(MOST // len(found), 1)]
    parts = [_figure(thing, solids(*thing), [rows.get(thing) for rows in first], found, grippers) for thing in shown]
    left = f"<p>The first {len(shown)} of {len(things)} are shown.</p>" if len(shown) < len(things) else ""
    return left + "\n".join(parts)


def contacts(row: Row) -> np.ndarray:
    """Return the contact points (k, 3) of a row, metres, table frame; planar ones lie at the height of the fingertips."""
    points = np.reshape(row.contact_points_m or (), (-1, row.dimension or 3))
    height = np.full((len(points), 3 - points.shape[1]), row.fingertip_height_m or 0.0)
    return np.hstack([points, height])


def _figure(
    thing: tuple[str, str],
    solid: Solid | None,
    rows: list[Row | None],
    found: Sequence[Group],
    grippers: Mapping[str, Gripper],
) -> str:
    cells = "".join(
        _cell(row, label(group, found), solid, grippers.get(group.gripper)) for row, group in zip(rows, found, strict=True)
    )
    name = escape(", ".join(part.replace("_", " ") for part in thing))
    return f'<div class="thing" data-name="{name}"><h3>{name}</h3><div class="cells">{cells}</div></div>'


def _cell(row: Row | None, method: str, solid: Solid | None, gripper: Gripper | None) -> str:
    if row is None:
        return f'<div class="cell"><b>{escape(method)}</b><p class="blank">not run</p></div>'
    kind = "good" if holds(row) else "half" if planned(row) else "none"
    said = f'<span class="chip {kind}">{escape(ending(row))}</span><p>{escape(worth(row))}</p>'
    return f'<div class="cell"><b>{escape(method)}</b>{_picture(row, method, solid, gripper)}{said}</div>'


def _picture(row: Row, method: str, solid: Solid | None, gripper: Gripper | None) -> str:
    if row.T_table_gripper is None or row.opening_m is None or solid is None or gripper is None:
        return f'<p class="blank">{escape(row.sentence or "no picture")}</p>'
    pose = Pose(gripper, np.reshape(row.T_table_gripper, (4, 4)), row.opening_m, contacts(row))
    return image(draw(solid.mesh, solid.center_mass, pose), f"{method} on {row.object}, {row.pose}")


def worth(row: Row) -> str:
    """Return what the judge found, and the opening, in one line; empty without a grasp."""
    parts = []
    if row.judge_closed is not None:
        parts.append(f"{row.judge_closed} of {row.judge_draws} draws closed")
    if row.judge_epsilon is not None:
        parts.append(f"epsilon {row.judge_epsilon:.3f}")
    if row.opening_m is not None:
        parts.append(f"opening {row.opening_m * MM:.0f} mm")
    return ", ".join(parts)
