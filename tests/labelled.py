"""Small recipes for labels, and comparison of what runs wrote."""

import os
from dataclasses import replace
from functools import cache

import numpy as np
from hydra import compose, initialize_config_dir

from experiments.label_recipe import recipe
from grasp import presets
from labels.record import TEXTS, Labels, untried
from wrench import Contacts

FAST = ["debug=fast", "object_set=some"]
TOLD = ("provenance.json", ".lock", "config.yaml")  # tell times and places, which differ between equal runs


def config(*overrides):
    with initialize_config_dir(str(presets.CONF), version_base="1.3"):
        return compose("label", [*FAST, *overrides])


@cache
def small(*overrides):
    """Return the recipe that overrides make; little work per object."""
    return recipe(config(*overrides))


def from_meshes(folder, *overrides):
    """Return the recipe of a folder of meshes in metres."""
    return small("objects=mesh_dir", f"objects.folder={folder}", "objects.unit=m", "limit=null", *overrides)


def planar(made):
    """Return a recipe of GET-2D alone, the same whatever is edited while tests run."""
    return replace(made, cases={"get2d": made.cases["get2d"]}, made_by="tests")


def content(folder):
    """Return the bytes of every file that must be the same in equal runs, by name."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in files.items() if name not in TOLD}


def same(a, b):
    """Assert that two batches of labels are equal, field by field, NaN included."""
    for name in a.__dataclass_fields__:
        if name == "contacts":
            for part in ("points", "normals", "made"):
                np.testing.assert_array_equal(getattr(a.contacts, part), getattr(b.contacts, part))
        else:
            np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


class Deadly:
    """A set of which one object ends the process that loads it."""

    def __init__(self, objects, names, deadly):
        self.objects, self.rest, self.names, self.deadly = objects, objects.rest, names, deadly

    def load(self, name):
        if name == self.deadly:
            os._exit(1)
        return self.objects.load(name)


def made_up(closed, reasons=None, draws=None):
    """Return labels that were closed in so many draws, of 10 unless told otherwise; all else is empty."""
    n = len(closed)
    columns = {name: np.zeros(n) for name in Labels.__dataclass_fields__ if name not in (*TEXTS, "contacts")}
    columns |= {name: np.full(n, "") for name in TEXTS}
    columns |= {"T_table_gripper": np.tile(np.eye(4), (n, 1, 1)), "origin_m": np.zeros((n, 3)), **untried(n)}
    columns |= {"closed": closed, "draws": np.full(n, 10) if draws is None else draws}
    columns |= {} if reasons is None else {"reason_code": reasons}
    return Labels(**columns, contacts=Contacts(np.zeros((n, 3, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3), bool)))
