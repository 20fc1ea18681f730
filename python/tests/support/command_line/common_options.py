"""The table of options that mean the same in every command, held against the commands."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[4] / "docs" / "reference" / "commands.md"

Rows = Mapping[tuple[str, str], frozenset[str]]  # commands by option and value


def rows() -> Rows:
    """The rows of the table."""
    found = {}
    for line in PAGE.read_text().splitlines():
        if cells := re.fullmatch(r"\| `(--[a-z]+)` \|(.*?)\|.*\|(.*?)\|", line):
            value = "|".join(re.findall(r"`(.*?)`", cells[2]))
            found[cells[1], value] = frozenset(re.findall(r"`(.*?)`", cells[3]) or cells[3].split())
    return found


def options_of(command: Any) -> dict[str, str]:
    """The value of each option of a command by its name, as the help shows it."""
    return {one.opts[0]: one.metavar or "" for one in command.params if one.opts[0][:2] == "--"}


def faults(commands: Mapping[str, Any], must: bool = True) -> Iterator[str]:
    """What the table and the commands say differently; `must`: all options of a row are there."""
    table = rows()
    known = {option for option, _ in table}
    for name, command in commands.items():
        row = name.split()[0]
        there = {(o, v) for o, v in options_of(command).items() if o in known}
        said = {what for what, listed in table.items() if row in listed or "all" in listed}
        yield from (f"{name}: {o} {v} is not in the table" for o, v in sorted(there - said))
        if must:
            yield from (f"{name}: has no {o} {v}" for o, v in sorted(said - there))
