"""Folders are layers, as the tables of CONTRIBUTING.md list them, lowest first."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INCLUDE = ROOT / "cpp" / "include" / "lapwing"
SOURCE = ROOT / "cpp" / "src"
PYTHON = ROOT / "python" / "lapwing"
OUTSIDE = ("python/src", "models", "adapters", "lab", "examples")

MOST_FILES = 15

Edges = Mapping[str, Iterable[str]]  # of each file: those that it names


def layers_of(language: str) -> list[str]:
    """The layers in the table of CONTRIBUTING.md under this language, lowest first."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    table = re.search(rf"^\| {re.escape(language)} \|.*\n(?:\|.*\n)+", text, re.M)
    assert table, f"no table of {language} in CONTRIBUTING.md"
    return re.findall(r"^\| `(\w+)` \|", table[0], re.M)


def layer_of(file: str) -> str:
    """The folder that a file is in: the layer."""
    return file.split("/")[0]


def faults(edges: Edges, layers: list[str]) -> list[str]:
    """Files in no layer, upward edges and circles, in words."""
    found = [f"{file}: in no layer" for file in edges if layer_of(file) not in layers]
    for file, named in edges.items():
        for other in named:
            pair = layer_of(file), layer_of(other)
            if set(pair) <= set(layers) and layers.index(pair[0]) < layers.index(pair[1]):
                found.append(f"{file}: names {other}, of a higher layer")
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as circle:
        found.append("circle: " + " -> ".join(circle.args[1]))
    return found


# ---- C++


def included(path: Path) -> Iterator[str]:
    """The headers of the library that a file includes, by layer and name."""
    for name in re.findall(r'^#include [<"](?:lapwing/)?([\w/]+\.hpp)[>"]', path.read_text(), re.M):
        if (INCLUDE / name).exists() or (SOURCE / name).exists():
            yield name


def cpp_edges() -> dict[str, list[str]]:
    """What each file of the library includes."""
    roots = (INCLUDE, SOURCE)
    files = {
        path.relative_to(root).as_posix(): path for root in roots for path in root.rglob("*.?pp")
    }
    return {name: list(included(path)) for name, path in files.items()}


def needed_by_users(edges: Edges) -> set[str]:
    """The headers that code outside the library includes, and those that these include."""
    outside = [path for folder in OUTSIDE for path in (ROOT / folder).rglob("*.?pp")]
    todo = [name for path in outside if "tests" not in path.parts for name in included(path)]
    needed: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            todo.extend(edges[name])
    return needed


def test_cpp_folders_are_layers() -> None:
    edges = cpp_edges()
    del edges["lapwing.hpp"]  # the front door, above all layers
    assert len(edges) > 100
    assert faults(edges, layers_of("C++")) == []


@pytest.mark.skipif(not (ROOT / "lab").exists(), reason="without lab/, which is a user too")
def test_what_is_installed_is_what_users_need() -> None:
    edges = cpp_edges()
    installed = {path.relative_to(INCLUDE).as_posix() for path in INCLUDE.rglob("*.hpp")}
    assert installed == needed_by_users(edges)


def test_each_cpp_layer_says_what_it_knows() -> None:
    for layer in layers_of("C++"):
        assert (SOURCE / layer / "README.md").exists(), layer


# ---- Python


def modules() -> dict[str, Path]:
    """The modules of lapwing, as paths without their ending; packages by their folder."""
    paths = [path for path in PYTHON.rglob("*.py") if path.parent != PYTHON]
    return {
        path.relative_to(PYTHON).with_suffix("").as_posix().removesuffix("/__init__"): path
        for path in paths
    }


def imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    """The modules of lapwing that a file imports anywhere, in functions and for types too."""
    for node in ast.walk(ast.parse(path.read_text())):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        for name in names:
            parts = name.split(".")
            if parts[0] == "lapwing" and "/".join(parts[1:]) in known:
                yield "/".join(parts[1:])
                break


def front_doors(path: Path) -> set[str]:
    """The outermost packages that a file imports from; those of lapwing's own modules left out."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return {name.split(".")[0] for name in found if not name.startswith("lapwing.")}


def python_edges() -> dict[str, list[str]]:
    """What each module imports; a package and its own modules are one name for another."""
    known = modules()
    return {
        name: [other for other in imported(path, known) if other != name]
        for name, path in known.items()
    }


def test_python_packages_are_layers() -> None:
    edges = python_edges()
    assert len(edges) > 100
    assert faults(edges, layers_of("Python")) == []


def test_only_the_front_door_imports_lapwing_itself() -> None:
    assert [name for name, path in modules().items() if "lapwing" in front_doors(path)] == []


def test_lapwing_imports_no_model_and_nothing_of_the_laboratory() -> None:
    for name, path in modules().items():
        assert not [root for root in front_doors(path) if root.startswith("lapwing_")], name


@pytest.mark.parametrize(
    ("header", "name", "most"), [("step/step.hpp", "Step", 10), ("mpi/domain.hpp", "Domain", 12)]
)
def test_a_class_of_the_door_has_few_methods(header: str, name: str, most: int) -> None:
    text = re.sub(r"//.*", "", (INCLUDE / header).read_text())
    public = re.search(rf"^class {name} {{\n  public:\n(.*?)^  private:", text, re.M | re.DOTALL)[1]
    calls = re.findall(r"^    (?:[\w:<>&*\[\], ]+ )?(\w+)\(", public, re.M)
    methods = set(calls) - {name, "operator"}
    assert 5 < len(methods) <= most, methods


def test_stage_types_are_few() -> None:
    declared = re.compile(r"^(?:struct|class) (\w*Stage\w*) {", re.M)
    headers = [*INCLUDE.rglob("*.hpp"), *SOURCE.rglob("*.hpp")]
    types = {name for header in headers for name in declared.findall(header.read_text())}
    # as a model declares it and a step runs it, as numbers; and the table of a step
    assert types == {"Stage", "StageSpec", "StepStages"}


# ---- both


def test_folders_can_be_looked_over() -> None:
    roots = ["cpp", "python", "models", "adapters", "lab", "examples", "tests"]
    folders = [path for root in roots for path in (ROOT / root).rglob("*") if path.is_dir()]
    full = {}
    for folder in folders:
        made = (".pyc", ".pyi")
        files = [one for one in folder.iterdir() if one.is_file() and one.suffix not in made]
        if len(files) > MOST_FILES:
            full[folder.relative_to(ROOT).as_posix()] = len(files)
    assert full == {}
    assert len([path for path in PYTHON.iterdir() if path.name != "__pycache__"]) <= 10


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ({"low/a": ["high/b"], "high/b": []}, ["low/a: names high/b, of a higher layer"]),
        ({"low/a": ["low/b"], "low/b": ["low/a"]}, ["circle: low/a -> low/b -> low/a"]),
        ({"attic/a": []}, ["attic/a: in no layer"]),
        ({"high/b": ["low/a"], "low/a": []}, []),
    ],
)
def test_faults_are_found(edges: Edges, expected: list[str]) -> None:
    assert faults(edges, ["low", "high"]) == expected
