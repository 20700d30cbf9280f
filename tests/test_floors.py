"""Imports go downward only, and the house rules that a parser can see hold in every source file."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FLOORS = {"wrench": 0, "grasp": 1, "objects": 2, "get2d": 3, "get3d": 3, "baselines": 3, "physics": 3, "labels": 4}
FLOORS |= {"experiments": 5, "tests": 6}
PERCEPTION = ("perceive", "settings", "segment", "footprint", "height", "table", "components")
ALLOWED_BETWEEN_PEERS = {("baselines", f"get2d.{module}") for module in PERCEPTION}
SOURCES = sorted(path for package in FLOORS if package != "tests" for path in (ROOT / package).rglob("*.py"))


def imported(tree: ast.AST) -> Iterator[tuple[ast.stmt, str]]:
    """Yield each import with the dotted name of what it asks for; relative ones cannot leave the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)


def violations(source: str, package: str) -> list[str]:
    """Return what a file of `package` with this text does against the rules."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    deferred = {node for function in functions for node in ast.walk(function)}
    found = ["is longer than 250 lines"] if len(source.splitlines()) > 250 else []
    for node, name in imported(tree):
        top, *rest = name.split(".")
        same_or_higher = top != package and FLOORS.get(top, -1) >= FLOORS[package]
        if same_or_higher and (package, ".".join([top, *rest[:1]])) not in ALLOWED_BETWEEN_PEERS:
            found.append(f"imports {name}, which is not on a lower floor")
        if package != "experiments" and top in ("hydra", "omegaconf"):
            found.append(f"imports {name} outside experiments")
        if package != "experiments" and top == "matplotlib" and node not in deferred:
            found.append(f"imports {name} at module level")
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    if package != "experiments" and any(isinstance(call, ast.Name) and call.id == "print" for call in calls):
        found.append("prints outside experiments")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_source_keeps_the_rules(path):
    assert violations(path.read_text(encoding="utf-8"), path.relative_to(ROOT).parts[0]) == []


def test_every_package_has_a_floor():
    assert {path.parent.name for path in ROOT.glob("*/*.py")} <= FLOORS.keys()


@pytest.mark.parametrize(
    ("package", "source", "fault"),
    [
        ("wrench", "from grasp.plan import Plan", "grasp.plan.Plan, which"),
        ("grasp", "def f():\n    import experiments.timing", "experiments.timing, which"),
        ("get3d", "from get2d import segment", "get2d.segment, which"),
        ("baselines", "from get2d import planner", "get2d.planner, which"),
        ("experiments", "import tests.oracles", "tests.oracles, which"),
        ("labels", "import hydra", "hydra outside"),
        ("get2d", "try:\n    import matplotlib.pyplot\nexcept ImportError:\n    pass", "matplotlib.pyplot at module"),
        ("physics", "def f():\n    print(1)", "prints"),
        ("objects", "\n" * 251, "250 lines"),
    ],
)
def test_a_violation_is_found(package, source, fault):
    (found,) = violations(source, package)
    assert fault in found


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("grasp", "import numpy\nfrom wrench import Contacts\nfrom grasp.plan import Plan\nfrom . import plan"),
        ("baselines", "from get2d.segment import mask\nfrom get2d import footprint\nfrom objects import shapes"),
        ("get2d", "def f():\n    import matplotlib.pyplot"),
        ("experiments", "import hydra\nimport matplotlib.pyplot\nfrom labels import record\nprint(1)"),
        ("objects", "\n" * 250),
    ],
)
def test_what_is_allowed_is_not_a_violation(package, source):
    assert violations(source, package) == []
