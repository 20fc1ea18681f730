"""Recipes of other package managers agree with pyproject.toml; wheels are merged as they say.

What CMake's find_package says where it cannot go on is clear as well.
"""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PACKAGING = ROOT / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUN = [Requirement(text) for text in PROJECT["tool"]["dynamic-metadata"][0]["always"]]
EASYBUILD = sorted((PACKAGING / "easybuild").glob("*.eb"))


def least(requirement: Requirement) -> str:
    (only,) = requirement.specifier
    assert only.operator == ">="
    return only.version


def test_the_recipe_of_spack_requires_what_the_package_requires() -> None:
    tree = ast.parse((PACKAGING / "spack" / "package.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    depends = {
        node.args[0].value: ast.unparse(node)
        for node in calls
        if isinstance(node.func, ast.Name) and node.func.id == "depends_on"
    }
    for requirement in RUN:
        spec = f"py-{requirement.name.lower()}@{least(requirement)}:"
        assert "run" in depends[spec], spec
    for text in PROJECT["build-system"]["requires"]:
        requirement = Requirement(text)
        assert f"py-{requirement.name}@{least(requirement)}:" in depends
    python = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"python@{python}:" in depends


@pytest.mark.parametrize("file", EASYBUILD, ids=lambda file: file.name)
def test_a_recipe_of_easybuild_is_of_this_version(file: Path) -> None:
    recipe: dict[str, Any] = {"SOURCE_TAR_GZ": "tar", "PYPI_SOURCE": "pypi"}
    exec(compile(file.read_text(), file.name, "exec"), recipe)
    toolchain = "-".join(recipe["toolchain"].values())
    assert file.name == f"{recipe['name']}-{recipe['version']}-{toolchain}.eb"
    assert recipe["version"] == PROJECT["project"]["version"]
    given = {name.lower().replace("_", "-"): version for name, version, *_ in recipe["exts_list"]}
    given |= {name.lower(): version for name, version in recipe["dependencies"]}
    for requirement in [*RUN, *map(Requirement, PROJECT["build-system"]["requires"])]:
        version = given.get(requirement.name.lower().replace("netcdf4", "netcdf4-python"))
        if version is None:  # in a bundle of the site
            assert requirement.name in ("numpy", "scipy", "rich", "jinja2")
        else:
            assert Version(version) >= Version(least(requirement)), requirement.name


def test_the_recipe_of_apptainer_is_shell_on_files_that_exist() -> None:
    text = (PACKAGING / "apptainer.def").read_text()
    sections = dict(re.findall(r"^%(\w+)\n((?:    .*\n|\n)+)", text, re.M))
    assert {"files", "post", "environment", "test", "runscript"} <= set(sections)
    for name in ("post", "environment", "test", "runscript"):
        subprocess.run(["bash", "-n", "-c", sections[name]], check=True)
    assert (ROOT / re.search(r"-c (\S+\.txt)", sections["post"])[1]).exists()
    assert "LAPWING_ARCH" in sections["post"]


def wheels_tool() -> Any:
    spec = importlib.util.spec_from_file_location("wheels", PACKAGING / "wheels.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_wheel(path: Path, kind: str, text: str = "x = 1\n") -> Path:
    path.parent.mkdir()
    metadata = f"Name: lapwing\nRequires-Dist: {kind}==5.0\nRequires-Dist: numpy>=2\n"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("lapwing/pure.py", text)
        file.writestr(f"lapwing/builds/{kind}-x86-64-v3/lapwing/core/_core.so", kind)
        file.writestr("lapwing-0.1.0.dist-info/METADATA", metadata)
        file.writestr("lapwing-0.1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        file.writestr("lapwing-0.1.0.dist-info/RECORD", "")
    return path


def test_wheels_are_merged_without_the_mpi_of_either(tmp_path: Path) -> None:
    name = "lapwing-0.1.0-cp311-cp311-linux_x86_64.whl"
    given = [write_wheel(tmp_path / kind / name, kind) for kind in ("mpich", "openmpi")]
    merged = wheels_tool().merge(given, tmp_path / "out")
    with zipfile.ZipFile(merged) as file:
        names = file.namelist()
        metadata = file.read("lapwing-0.1.0.dist-info/METADATA").decode()
        record = file.read("lapwing-0.1.0.dist-info/RECORD").decode()
    assert sum(entry.endswith("_core.so") for entry in names) == 2
    assert "numpy>=2" in metadata
    assert "mpi==" not in metadata.replace("mpich", "mpi")
    assert [row.split(",")[0] for row in record.splitlines()] == names


def test_wheels_whose_python_differs_are_refused(tmp_path: Path) -> None:
    name = "lapwing-0.1.0-cp311-cp311-linux_x86_64.whl"
    given = [
        write_wheel(tmp_path / "a" / name, "mpich"),
        write_wheel(tmp_path / "b" / name, "openmpi", ""),
    ]
    with pytest.raises(SystemExit, match=r"lapwing/pure\.py"):
        wheels_tool().merge(given, tmp_path / "out")


@pytest.mark.compiler
def test_a_project_in_c_alone_is_told_to_add_cxx(tmp_path: Path) -> None:
    programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    if not shutil.which("cmake", path=programs):
        pytest.skip("no cmake")
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(life LANGUAGES C)"]
    (tmp_path / "CMakeLists.txt").write_text("\n".join([*lines, "find_package(lapwing REQUIRED)"]))
    done = subprocess.run(
        ["bash", "-c", "cmake -S . -B build -Dlapwing_DIR=$(lapwing --cmake-dir)"],
        cwd=tmp_path,
        env=os.environ | {"PATH": programs},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode != 0
    words = "lapwing: got a project without CXX; expected C++ among its languages; add CXX"
    assert words in " ".join(done.stderr.split())
