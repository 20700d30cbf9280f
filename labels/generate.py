"""Generation: everything of one object, in every pose and view by every planner, into files. The unit of a worker's work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from grasp.errors import GraspError
from grasp.provenance import Seed
from grasp.view import View
from labels import store, table, views_table
from labels.door import Answer, ask, tried
from labels.pictures import Picture
from labels.recipe import Recipe
from labels.record import concatenate
from labels.trials import Bench
from objects.placed import Failure, Placed, place
from objects.render import render
from objects.solid import Solid


def label_object(recipe: Recipe, folder: Path, name: str) -> dict[str, Any]:
    """Label one object, write its files and then its record, and return the record; or what failed, writing nothing.

    Parameters
    ----------
    recipe
        All that the labels depend on besides the object.
    folder
        Of the whole set.
    name
        Of the object in its set.

    Returns
    -------
    dict
        As `store.read_record`, or ``{"object": name, "failure": {"reason", "sentence"}}``.
    """
    try:
        placed = place(recipe.objects, name)
        if isinstance(placed, Failure):
            return failed(name, placed.reason or "unusable", placed.detail)
        files, record = _everything(recipe, name, placed, folder)
    except Exception as error:  # any error, ours or a library's, must cost no more than this object
        kind = type(error).__name__
        return failed(name, kind, str(error) if isinstance(error, GraspError) else f"{kind}: {error}")
    return store.write(folder, recipe.address, record, files)


def failed(name: str, reason: str, sentence: str) -> dict[str, Any]:
    """Return the entry of an object that has no labels."""
    return {"object": name, "failure": {"reason": str(reason), "sentence": sentence}}


def _everything(
    recipe: Recipe, name: str, placed: tuple[Placed, ...], folder: Path
) -> tuple[dict[str, bytes], dict[str, Any]]:
    files: dict[str, bytes] = {f"meshes/{name}.obj": _obj(recipe.objects.load(name))}
    placements = []
    for each in placed:
        pictures = _look(recipe, each)
        answers = _answers(recipe, each, pictures, folder)
        labels = [answer.labels for _, _, answer in answers if answer.labels is not None]
        files |= _tables(each, concatenate(labels) if labels else None, pictures)
        placements.append(_placement(each, bool(labels), bool(pictures), answers))
    return files, {"object": name, "mesh": f"meshes/{name}.obj", "placements": placements}


def _look(recipe: Recipe, placed: Placed) -> list[Picture]:
    pictures = []
    for name, eye in recipe.eyes.items():
        seen = render(placed.solid.mesh, eye.camera, eye.sensor, recipe.stream("camera", placed.object, placed.pose, name))
        pictures.append(Picture.of(name, seen, recipe.depth_step))
    return pictures


def _answers(recipe: Recipe, placed: Placed, pictures: list[Picture], folder: Path) -> list[tuple[str, str, Answer]]:
    """Return the answers with the names of their planner and view, the empty one for the mesh."""
    views = {"camera": {p.name: p.view() for p in pictures}}
    views["mesh"] = {"": View.from_mesh(placed.solid.vertices, placed.solid.faces)}
    bench = None if recipe.trials is None else Bench.of(recipe.trials, placed.solid, folder)
    found = []
    for planner, case in recipe.cases.items():
        for name, view in views[case.sees].items():
            names = {"object": placed.object, "pose": placed.pose, "view": name, "planner": planner}
            rngs = recipe.stream("planner", *names.values()), recipe.stream("judge", placed.object, placed.pose)
            answer = ask(case, view, placed.solid, recipe.judge, names, rngs)
            if bench is not None:
                rng = recipe.stream("tries", *names.values())
                answer = tried(answer, case, bench, rng, partial(_noise, recipe, placed))
            found.append((planner, name, answer))
    return found


def _noise(recipe: Recipe, placed: Placed, i: int) -> Seed:
    """Return the seed of the i-th displacement on a placement, whoever planned."""
    return Seed.of(recipe.stream("noise", placed.object, placed.pose, str(i)))


def _path(kind: str, placed: Placed) -> str:
    return f"{kind}/{placed.object}-{placed.pose}.parquet"


def _tables(placed: Placed, labels: Any, pictures: list[Picture]) -> dict[str, bytes]:
    files = {}
    if labels is not None:
        files[_path("candidates", placed)] = table.parquet_bytes(table.to_table(labels))
    if pictures:
        views = views_table.to_table(placed.object, placed.pose, pictures)
        files[_path("views", placed)] = table.parquet_bytes(views)
    return files


def _placement(placed: Placed, labelled: bool, seen: bool, answers: list[tuple[str, str, Answer]]) -> dict[str, Any]:
    return {
        "object": placed.object,
        "pose": placed.pose,
        "probability": placed.probability,
        "margin_m": placed.margin,
        "T_table_object": placed.T_table_object,
        "candidates": _path("candidates", placed) if labelled else None,
        "views": _path("views", placed) if seen else None,
        "answers": [{"planner": planner, "view": view or None, **_told(answer)} for planner, view, answer in answers],
    }


def _told(answer: Answer) -> Mapping[str, Any]:
    counts = Counter() if answer.labels is None else Counter(answer.labels.reason.tolist())
    refusal = answer.refusal
    return {
        "rows": sum(counts.values()),
        "reasons": dict(sorted(counts.items())),
        "refusal": None if refusal is None else {"reason": refusal.reason.value, "detail": refusal.detail},
        "seed": asdict(answer.seed),
        "trials": answer.trials,
    }


def _obj(solid: Solid) -> bytes:
    """Return a solid in its own frame, metres, as Wavefront text that gives back every bit."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in solid.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (solid.faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
