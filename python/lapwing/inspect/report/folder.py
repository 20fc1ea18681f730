"""The content of the folder of a run, read for its page."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from lapwing.base.error import UserError, user_error
from lapwing.inspect.census import Census, census_of
from lapwing.io.result_files import CASE, OUTPUT, POINTS, PROFILE, RESTART
from lapwing.run.pictures import PARTITION
from lapwing.run.summary import Summary, summary_of

CENSUS, TIMELINE = "census.json", "timeline.png"
Made = TypeVar("Made")
_MOST_BYTES = 64 * 2**20  # largest file that goes into the page


@dataclass(frozen=True)
class Variable:
    """A variable of the NetCDF file."""

    name: str
    long_name: str
    units: str
    shape: str  # dimensions and their lengths


@dataclass(frozen=True)
class Profile:
    """The course of a run, and its machine."""

    cut: str
    strategy: str
    transport: str
    machine: dict[str, Any]
    versions: dict[str, str]
    summary: Summary


@dataclass(frozen=True)
class RunFolder:
    """The results of a run; None or empty for what is not there."""

    path: Path
    settings: str  # case.toml
    model: str
    title: str
    profile: Profile | None
    census: Census | None
    pictures: list[Path]  # of the end of the run
    partition: Path | None
    timeline: Path | None
    variables: list[Variable]
    files: list[tuple[str, int, str]]  # name, bytes, last change in UTC


def read_folder(folder: Path) -> RunFolder:
    """Read the folder of a run. Local.

    UserError where it is not the folder of a run, and for a file in it that cannot be read.
    """
    if not (folder / CASE).is_file():
        got = f"no {CASE} in it" if folder.is_dir() else "no such folder"
        remedy = "make one with `lapwing run CASE --out DIR`"
        raise user_error(str(folder), got, "the folder of a run", remedy)
    settings, case = _settings(folder / CASE)
    drawn = [
        path for path in sorted(folder.glob("*.png")) if path.name not in (PARTITION, TIMELINE)
    ]
    return RunFolder(
        path=folder,
        settings=settings,
        model=str(case.get("model", "")),
        title=str(case.get("title", "")),
        profile=_report(folder / PROFILE, "lapwing-profile-1", _profile),
        census=_report(folder / CENSUS, "lapwing-census-1", census_of),
        pictures=drawn,
        partition=_there(folder / PARTITION),
        timeline=_there(folder / TIMELINE),
        variables=_variables(folder / OUTPUT),
        files=[_file(path) for name in _RESULTS if (path := folder / name).is_file()],
    )


_RESULTS = (OUTPUT, POINTS, RESTART, CASE, PROFILE)


def _there(path: Path) -> Path | None:
    return path if path.is_file() else None


def _unreadable(path: Path, got: object, expected: str) -> UserError:
    command = HOW_TO_ADD.get(path.name, "lapwing run")
    return user_error(str(path), str(got), expected, f"remove it, or write it again: {command}")


def _text(path: Path) -> str:
    """The text of a file that is small enough to be shown."""
    if path.stat().st_size > _MOST_BYTES:
        raise _unreadable(path, f"{path.stat().st_size:,} bytes", f"at most {_MOST_BYTES:,}")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as problem:
        raise _unreadable(path, problem, "text") from None


def _settings(path: Path) -> tuple[str, dict[str, Any]]:
    text = _text(path)
    try:
        return text, tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise _unreadable(path, problem, "a case in TOML") from None


def _report(path: Path, schema: str, made_of: Callable[[dict[str, Any]], Made]) -> Made | None:
    """Read the JSON that a command of lapwing wrote; None without it."""
    if not path.is_file():
        return None
    try:
        document = json.loads(_text(path))
        if document["schema"] != schema:
            raise _unreadable(path, f"schema {document['schema']}", schema)
        return made_of(document)
    except (ValueError, KeyError, TypeError, IndexError) as problem:
        raise _unreadable(path, repr(problem), f"JSON of {schema}") from None


def _profile(document: dict[str, Any]) -> Profile:
    about = ("cut", "strategy", "transport", "machine", "versions")
    return Profile(**{name: document[name] for name in about}, summary=summary_of(document))


# parts that a folder may lack, and the commands that add them
HOW_TO_ADD = {
    PROFILE: "lapwing run --resume DIR, or run the case again",
    CENSUS: "lapwing census DIR/case.toml --ranks N --json DIR/census.json",
    TIMELINE: "lapwing timeline DIR/case.toml --ranks N --out DIR",
}


def _variables(path: Path) -> list[Variable]:
    """The content of the NetCDF file, without its values."""
    if not path.is_file():
        return []
    import netCDF4

    try:
        with netCDF4.Dataset(path) as data:
            return [
                Variable(
                    name,
                    str(getattr(one, "long_name", "")),
                    str(getattr(one, "units", "")),
                    ", ".join(
                        f"{dim} {n:,}" for dim, n in zip(one.dimensions, one.shape, strict=True)
                    ),
                )
                for name, one in data.variables.items()
            ]
    except OSError as problem:
        raise _unreadable(path, problem, "a NetCDF file") from None


def _file(path: Path) -> tuple[str, int, str]:
    found = path.stat()
    changed = datetime.fromtimestamp(found.st_mtime, UTC)
    return path.name, found.st_size, f"{changed:%Y-%m-%d %H:%M:%S}"
