"""A small set of labels to export, made once per session folder."""

from pathlib import Path

from labels import generate, load, manifest, store
from tests.labelled import small

SETTINGS = ("objects.kinds=[bracket,ring]", "objects.count=1", "limit=2")


def labelled(folder: Path):
    """Return labels of two small objects with their recipe."""
    made = small(*SETTINGS)
    records = [generate.label_object(made, folder, name) for name in made.objects.names]
    store.write_whole(folder / manifest.NAME, store.json_bytes(manifest.manifest(made, records, [])))
    return load(folder), made


def rows(data, planner):
    """Return the labels of a planner, placement by placement."""
    return [each.labels[each.labels.planner == planner] for each in data]
