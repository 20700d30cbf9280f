"""The README's commands are those that CI runs, name what exists, and install the versions that were tested."""

import re
import tomllib
from pathlib import Path

import cv2
import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grasp import Plan
from wrench.convention import PRESETS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAIN, TEST = re.findall(r"^pip install -e .*$", README, re.MULTILINE)


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [Requirement(line) for line in project["dependencies"] + project["optional-dependencies"]["test"]]


def test_main_command_runs_a_module_that_exists():
    module = re.fullmatch(r"pip install -e \. -c constraints\.txt && python -m (experiments\.\w+)", MAIN)
    assert module, MAIN
    assert (ROOT / module[1].replace(".", "/")).with_suffix(".py").is_file()


def test_ci_runs_exactly_the_readme_test_command():
    assert TEST == 'pip install -e ".[test]" -c constraints.txt && pytest'
    assert f"\n({TEST})\n" in (ROOT / ".ci/run").read_text(encoding="utf-8")


@pytest.mark.parametrize("requirement", requirements(), ids=lambda requirement: requirement.name)
def test_requirement_is_pinned_within_its_bounds(requirement):
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}
    assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)])


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_stands_in_the_table(preset):
    assert re.search(rf"^\| choice \|.*`{preset}`", README, re.MULTILINE)


def test_the_lines_of_python_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mask = np.zeros((120, 160), np.uint8)
    mask[40:80, 50:110] = 255
    cv2.imwrite("mask.png", mask)
    (lines,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict = {}
    exec(lines, names)
    assert isinstance(names["plan"], Plan)
    assert Path("plan.png").stat().st_size > 10_000
