"""The reference of Fortran: each public type and procedure of the module, with its comment."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

LOG = logging.getLogger("mkdocs.plugins.fortran")
MODULES = (
    "lapwing_c",  # some of its types
    *("lapwing_faces", "lapwing_domains", "lapwing_fields", "lapwing_exchanges"),
    *("lapwing_extents", "lapwing_reductions", "lapwing_uses", "lapwing_kernels"),
    *("lapwing_stages", "lapwing_steps", "lapwing_census"),
    *("lapwing_transposes", "lapwing_solvers", "lapwing_lines", "lapwing_stores"),
    "lapwing_port_checks",
)
ARRAYS = ("lapwing_array.inc", "lapwing_view.inc", "lapwing_port_array.inc")
TYPE = re.compile(r"^  type(?:, bind\(C\))? ?:: (lapwing_\w+)\n(.*?)^  end type", re.M | re.S)
PROCEDURE = re.compile(
    r"^  ((?:pure )?(?:[\w() ]+? )?(?:subroutine|function) (\w+)\(.*?\)[^\n]*)\n(.*?)^  end ",
    re.M | re.S,
)

# what is said of them stands where they are generic
GENERIC = ("get", "gather", "take", "forward", "backward", "solve")
# of a type or rank, as the others are alike, and what users call them
ONE_OF_MANY = {
    "take_real64": "take",
    "forward_array": "forward",
    "backward_array": "backward",
    "solve_array": "solve",
    "create_step": "create",
    "create_of_stages": "create",
}
# forms of one function
FORMS = {"cross_of_cells": "cross", "cross_of_extents": "cross"}
# what one module has for another
HIDDEN = (
    "name_pair",
    "known_domain",
    "keep",
    "method_of",
    "groups_of",
    "handles_of",
    "take_census",
    "point_to",
    "view_of",
    "take_memory",
    "seen_real64",
    *("held_stage", "keep_stage", "problem_of", "see_arrays", "work_of_all"),
)


def fortran_as_markdown(root: Path) -> str:
    """A section per module file; procedures of types are named as they are called."""
    parts: list[str] = []
    for module in MODULES:
        path = next((root / "fortran/src").glob(f"{module}.[fF]90"))
        text = path.read_text()
        for arrays in (name for name in ARRAYS if name in text):
            text += (path.parent / arrays).read_text()
        parts += [f"## {module}", _about(text), *_types(text), *_procedures(text, module)]
    return "\n\n".join(parts)


def _about(text: str) -> str:
    """The comment that a text begins with."""
    return " ".join(line.removeprefix("!> ") for line in _leading(text.splitlines()))


def _leading(lines: list[str]) -> Iterator[str]:
    for line in lines:
        if not line.startswith("!>"):
            return
        yield line


def _types(text: str) -> Iterator[str]:
    for found in TYPE.finditer(text):
        data = found[2].partition("  contains\n")[0]
        hidden = re.compile(r"c_ptr|c_null|, private\b|type\(stage_pointer\)")
        shown = [line for line in data.splitlines() if not hidden.search(line)]
        yield f"### type({found[1]})\n\n{_above(text, found.start(), found[1])}"
        if not shown:
            continue
        yield "```fortran\n" + "\n".join(line.removeprefix("    ") for line in shown) + "\n```"


def _procedures(text: str, module: str) -> Iterator[str]:
    for found in PROCEDURE.finditer(text):
        called = _called(text, found[2])
        if called.startswith("%"):  # of a type
            self = re.search(r"class\((\w+)\), intent\(\w+\) :: self", found[3])
            called = self[1] + called
        if not called:
            continue
        head = re.sub(r" *&\n *", " ", found[1]).strip().replace(found[2], found[2].lower(), 1)
        arguments = [line[4:] for line in _declarations(found[3])]
        yield f"**{called}**\n\n{_above(text, found.start(), called)}"
        yield "```fortran\n" + "\n".join([head, *arguments]) + "\n```"


def _called(text: str, name: str) -> str:
    """How users call a procedure; empty: they do not."""
    public = " ".join(re.findall(r"^  public :: (.*)$", text, re.M))
    if name in HIDDEN:
        return ""
    name = FORMS.get(name, name)
    if re.search(rf"\b{name}\b", public):
        return name
    # of one type and rank, as the others are alike
    if name in ("WRAP", "CHECK_ARRAY", "GET2", "GATHER2"):
        return "field%" + name.lower().rstrip("2")
    if name == "VIEW2":
        return "views%get"
    if name in ONE_OF_MANY:
        return f"%{ONE_OF_MANY[name]}"
    bound = re.search(rf"^    procedure :: (?:(\w+) => )?{name}$", text, re.M)
    return f"%{bound[1] or name}" if bound else ""


def _declarations(body: str) -> Iterator[str]:
    for line in body.splitlines():
        if "intent(" in line or "procedure(" in line or ", optional ::" in line:
            yield line.replace("TYPE_OF_VALUES", "real(real64)")


def _above(text: str, start: int, name: str) -> str:
    lines: list[str] = []
    for line in reversed(text[:start].splitlines()):
        if not line.strip().startswith("!>"):
            break
        lines.insert(0, line.strip().removeprefix("!>").strip())
    word = name.partition("%")[2]
    if not lines and word not in GENERIC:
        LOG.warning("%s: a public name without a comment", name)
    generic = re.search(rf"((?:^    !>.*\n)+)    generic :: {word} =>", text, re.M)
    if not lines and generic:
        lines = [line.strip().removeprefix("!> ") for line in generic[1].splitlines()]
    prose = " ".join(lines)
    return re.sub(r"(\bcall \w+%\w+\([^)]*\))", r"`\1`", prose).replace("<", "&lt;")
