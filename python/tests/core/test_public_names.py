"""The public face: help for every bound name, and nothing that only private modules offer."""

import re
from collections.abc import Iterator
from pathlib import Path

import lapwing
import pytest
from lapwing.core import _core, mpi_runtime
from lapwing.core.versions import versions

ROOT = Path(__file__).parents[3]


def bound_names() -> Iterator[tuple[str, str]]:
    """Every public name of the extension with its text."""
    for name, thing in vars(_core).items():
        if name.startswith("_"):
            continue
        yield name, thing.__doc__ or ""
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_"):
                    yield f"{name}.{member}", value.__doc__ or ""


@pytest.mark.parametrize(("name", "text"), list(bound_names()))
def test_every_bound_name_has_a_sentence(name: str, text: str) -> None:
    lines = [line for line in text.splitlines() if line and f"{name.split('.')[-1]}(" not in line]
    assert "".join(lines)[:1].isalnum(), f"{name} has no text: {text!r}"


def test_packages_outside_lapwing_use_public_modules() -> None:
    private = re.compile(r"^\s*(from lapwing(\.\w+)* import .*\b_|(from|import) lapwing\._)", re.M)
    sources = [
        *(ROOT / "models").glob("*/lapwing_*/*.py"),
        *(ROOT / "adapters").glob("*/lapwing_*/*.py"),
        *(ROOT / "examples").glob("**/*.py"),
    ]
    assert len(sources) > 5
    assert [str(p) for p in sources if private.search(p.read_text())] == []


def test_a_former_name_works_and_says_its_new_one() -> None:
    with pytest.warns(DeprecationWarning, match=r"HaloExchange is called lapwing\.Exchange"):
        former = lapwing.HaloExchange
    assert former is lapwing.Exchange
    assert "HaloExchange" not in dir(lapwing)


def test_versions() -> None:
    found = versions()
    assert list(found) == ["lapwing", "mpi", "compiler", "flags", "python"]
    assert all(found.values())
    assert mpi_runtime.built_with().version in found["mpi"]


def names_in_header(path: str, kind: str) -> set[str]:
    """The public methods of a class, as its header declares them."""
    text = (ROOT / "cpp" / "include" / "lapwing" / path).read_text()
    body = re.search(rf"^class {kind} {{$(.*?)^}};$", text, re.M | re.S)
    assert body is not None
    public = body[1].split("\n  private:")[0]
    without_bodies = re.sub(r"//.*|\{[^{}]*\}", "", public)
    names = re.findall(r"^ {4}(?![\s~])[^()\n]*?(\w+)\(", without_bodies, re.M)
    return set(names) - {kind}


@pytest.mark.parametrize(
    ("kind", "path", "most"),
    [(lapwing.Step, "step/step.hpp", 10), (lapwing.Domain, "mpi/domain.hpp", 12)],
)
def test_a_step_and_a_domain_have_few_names(kind: type, path: str, most: int) -> None:
    in_python = {name for name in dir(kind) if not name.startswith("_")}
    in_python |= set(vars(kind).get("__annotations__", ()))
    in_cpp = names_in_header(path, kind.__name__)
    assert {"run", "observe"} <= in_cpp or {"rank", "note_declared"} <= in_cpp
    assert len(in_python) <= most, sorted(in_python)
    assert len(in_cpp) <= most, sorted(in_cpp)
