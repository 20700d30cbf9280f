"""Report: what a comparison found, as ``table.md`` and a self-contained ``report.html``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from experiments import report_figures as figures
from experiments import report_physics_figures as simulation
from experiments import report_readings as readings
from experiments import report_settings as settings
from experiments import tables
from experiments.report_gallery import Solids, gallery
from experiments.report_html import Section, definitions, page, plot
from experiments.report_physics import simulated
from experiments.report_rows import Group, curves, funnels, groups, rated, read
from experiments.report_table import html
from experiments.schema_rows import Row, Timing
from experiments.stats import Statistics
from grasp.funnel import Funnel
from grasp.gripper import Gripper

METHODS = {
    "bbox": "Bounding box: closes across the short side of the object's oriented bounding box, seen from above.",
    "footprint": "Footprint: rules on the outline seen from above; whole, tilted, from the side, or across a thin part.",
    "antipodal": "Antipodal: pairs of points of the seen cloud whose normals face each other (Nguyen's test).",
    "profile": "Profile: rules on the side view of a body of revolution; refuses whatever is none.",
    "get2d": "GET-2D: samples grasps on the outline seen from above, best closure rate, contacts and epsilon in the plane.",
    "get3d": "GET-3D: samples grasps on the mesh in its pose, best closure rate, contacts and epsilon in space.",
}
JAWS = {
    "get": "wide jaw of two fingers facing a narrow jaw of one",
    "two_narrow": "two facing jaws of one finger each",
    "two_wide": "two facing wide flat jaws",
}
JUDGE = (
    "Every grasp, whoever planned it, is judged alike: the gripper is closed on the true mesh at the planned pose, then "
    "again at poses displaced at random, by the same displacements for every method. A grasp is in force closure when its "
    "contacts can resist a push in every direction; epsilon says how hard a push, on a scale that the conventions fix."
)
PICTURES = (
    "Upper picture: seen from above. Lower picture: seen level, the closing axis to the right, the table brown. "
    "Blue: the fingers of the wide jaw, green: of the narrow jaw, as they arrive. Red crosses: the contacts that the "
    "planner expects; black cross: centre of mass. Below each: what the judge found. Of several seeds, the first is shown."
)


def write(folder: Path, statistics: Statistics, solids: Solids, grippers: Mapping[str, Gripper], missing: int) -> None:
    """Write ``table.md`` and ``report.html`` beside the rows of a run.

    Parameters
    ----------
    folder
        With ``rows.parquet``, ``timings.csv``, ``records`` and ``provenance.json``.
    statistics
        How intervals are drawn.
    solids, grippers
        What the pictures show; see `report_gallery.gallery`.
    missing
        Units of work that were not done.
    """
    rows, timings = read(folder)
    provenance = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    tables.write(folder / "table.md", rows, timings, statistics)
    text = report(rows, timings, funnels(folder, rows), statistics, solids, grippers, provenance, missing)
    (folder / "report.html").write_text(text, encoding="utf-8")


def report(
    rows: Sequence[Row],
    timings: Mapping[str, Timing],
    candidates: Mapping[str, Funnel],
    statistics: Statistics,
    solids: Solids,
    grippers: Mapping[str, Gripper],
    provenance: Mapping,
    missing: int,
) -> str:
    """Return the page; `candidates` are the funnels by unit, the other arguments as for `write`."""
    found = groups(rows)
    varied = any(group.setting_label for group in found)
    known = tables.tables(rows, timings, statistics)
    title = f"Grasp planners compared{': ' + rows[0].setting.replace('_', ' ') if varied else ''}"
    body = _question(found, statistics) if varied else _comparison(found, timings, candidates, statistics)
    pictures = "" if varied or not found else f"<p>{PICTURES}</p>{gallery(found, solids, grippers)}"
    sections = [
        *body[:1],
        Section("Tables", "\n".join(map(html, known))),
        *body[1:],
        Section("Object by object", pictures),
        Section("Conventions", f"<p>{escape(tables.conventions(rows))}</p>"),
        Section("Provenance", f"<pre>{escape(json.dumps(provenance, indent=1))}</pre>"),
    ]
    return page(title, lead(rows, found, missing), sections)


def lead(rows: Sequence[Row], found: Sequence[Group], missing: int) -> str:
    """Return what was compared, and whether it is all there."""
    trials = [row for group in found for row in group.rows]
    objects, things = {(r.object_set, r.object) for r in trials}, {(r.object_set, r.object, r.pose) for r in trials}
    who = ", ".join(dict.fromkeys(group.method for group in found)) or "No method"
    seeds = f"seeds: {len({row.seed for row in trials})}"
    said = f"{who}. Objects: {len(objects)}, in {len(things)} resting poses; {seeds}; trials: {len(trials)}."
    partial = f'<p class="warn">Not complete: {missing} trials were not run. What follows is of those that were.</p>'
    return f'<p class="lead">{escape(said)}</p><p class="lead">{JUDGE}</p>{methods(found)}' + (partial if missing else "")


def methods(found: Sequence[Group]) -> str:
    """Return what the planners and grippers are, as far as they are known here."""
    planners = {g.planner: METHODS.get(g.planner, "a planner of the user's own") for g in found}
    grippers = {g.gripper: JAWS.get(g.gripper, "a gripper of the user's own") for g in found}
    return definitions([*planners.items(), *((f"({name})", said) for name, said in grippers.items())])


def _comparison(
    found: list[Group], timings: Mapping[str, Timing], candidates: Mapping[str, Funnel], statistics: Statistics
) -> list[Section]:
    if not found:
        return []
    sampled, own = any(row.unit in candidates for group in found for row in group.rows), any(map(rated, found))
    rates = plot(figures.rates(found, statistics), "rates", readings.rates(found, statistics))
    endings = plot(figures.endings(found), "endings", readings.endings(found))
    fates = (
        plot(figures.candidates(found, candidates), "candidates", readings.candidates(found, candidates)) if sampled else ""
    )
    metrics = plot(figures.metrics(found), "metrics", readings.metrics(found, statistics)) if own else ""
    times = plot(figures.times(found, timings), "times", readings.times(found, timings))
    return [
        Section("Planners side by side", rates),
        Section("In simulation", _simulation(simulated(found), statistics)),
        Section("How the trials ended", endings),
        Section("What became of the candidates", fates),
        Section("Own metrics and the judge's", metrics),
        Section("Planning time", times),
    ]


def _question(found: list[Group], statistics: Statistics) -> list[Section]:
    reading = settings.reading(found, statistics)
    return [
        Section("What the setting does", plot(settings.figure(found, statistics), "curves", reading)),
        Section("When a grasp holds", _cone(simulated(found), statistics)),
        Section("How the trials ended", plot(figures.endings(found), "endings", readings.endings(found))),
    ]


def _simulation(found: list[Group], statistics: Statistics) -> str:
    if not found:
        return ""

    def name(group: Group) -> str:
        return tables.label(group, found)

    return plot(simulation.outcomes(found, name, statistics), "outcomes", simulation.told(found, name, statistics))


def _cone(found: list[Group], statistics: Statistics) -> str:
    if not found:
        return ""
    lines = curves(found)
    return plot(simulation.cone(lines, statistics), "cone", simulation.cone_told(lines, statistics))
