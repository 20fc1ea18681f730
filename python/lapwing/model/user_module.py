"""Objects in Python files and modules of the user's, by the name FILE.py:NAME or MODULE:NAME."""

from __future__ import annotations

import ast
import sys
import traceback
from dataclasses import dataclass
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from lapwing.base.atomic_file import is_file
from lapwing.base.error import UserError, user_error

FORMS = "FILE.py:CLASS or MODULE:CLASS"
DEFAULT = "model"  # the name in a file that is given without one, where there is one


@dataclass(frozen=True)
class Named:
    """An object in a module, and where it was found."""

    text: str  # as the user wrote it
    name: str
    value: Any
    path: Path  # the file of the module
    is_file: bool  # requested as a file


def names_python(text: str) -> bool:
    """True if a text names an object in a Python file or module, and no other file. Local."""
    place, colon, _ = text.rpartition(":")
    return text.endswith(".py") or (bool(colon) and not is_file(Path(text)) and place != "")


def object_of(text: str, folder: Path) -> Named:
    """The object that a text names; files are found from `folder`. Local.

    UserError for a file or module that is not there or cannot be run, or does not have the name.
    """
    place, colon, name = text.rpartition(":")
    if not colon:
        place, name = text, ""
    is_file = place.endswith(".py")
    module = _run_file(text, folder / place) if is_file else _imported(text, place)
    name = name or _only_model(module)
    if not hasattr(module, name):
        near = _models(module)
        remedy = f"did you mean {place}:{near[0]}?" if near else "name a class of it"
        no_name = f"the classes {', '.join(near)}" if near else "no class with `create`"
        got = f"no {name!r} in {place}" if name else f"{no_name} in {place}"
        raise user_error(f"model {text}", got, f"a name in it: {FORMS}", remedy)
    path = Path(module.__file__ or place)
    return Named(text, name, getattr(module, name), path, is_file)


def _only_model(module: ModuleType) -> str:
    """The name of the one model that a file has; "" if there are several or none. Local."""
    found = _models(module)
    return DEFAULT if hasattr(module, DEFAULT) else found[0] if len(found) == 1 else ""


def _models(module: ModuleType) -> list[str]:
    """The names of the classes of a module that can be created on a domain. Local."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and hasattr(value, "create")
    ]


def check_file(path: Path) -> ast.Module:
    """Parse a Python file; UserError for no such file. Local; runs nothing."""
    try:
        return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
    except (OSError, SyntaxError, ValueError) as problem:
        remedy = f"name a model as {FORMS}"
        raise user_error(f"model {path}", str(problem), "a Python file", remedy) from problem


def _run_file(text: str, path: Path) -> ModuleType:
    """The module of a file, which is run once per process. Local."""
    path = path.resolve()
    known = sys.modules.get(f"lapwing_file_{path.stem}")
    if known is not None and known.__file__ == str(path):
        return known
    check_file(path)
    sys.path.insert(0, str(path.parent))  # it may import what lies next to it
    spec = spec_from_file_location(f"lapwing_file_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        del sys.modules[spec.name]
        raise _unusable(text, problem, str(path)) from problem
    return module


def _imported(text: str, place: str) -> ModuleType:
    """The module of a dotted name, looked for in the present folder too. Local."""
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return import_module(place)
    except (Exception, SystemExit) as problem:
        raise _unusable(text, problem, f"{place.replace('.', '/')}.py") from problem


def _unusable(text: str, problem: BaseException, file: str) -> UserError:
    trace = traceback.extract_tb(problem.__traceback__)
    lines = [frame.lineno for frame in trace if frame.filename.endswith(file)]
    where = f" in line {lines[-1]}" if lines else ""
    got = f"{type(problem).__name__}: {problem}{where}"
    return user_error(f"model {text}", got, f"{FORMS}, which Python can import", "fix the module")
