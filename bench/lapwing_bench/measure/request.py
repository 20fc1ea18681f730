"""Options of a benchmark, and refusals in the form of all others."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NoReturn, get_args

from lapwing.base.error import user_error

Blocks = tuple[int, int, int]
Style = Literal["auto", "bar", "plain", "none"]  # of progress


class OptionParser(ArgumentParser):
    """A parser of options that raises UserError instead of ending the process."""

    def __init__(self, benchmark: str) -> None:
        """Begin with the options that all benchmarks have. Local."""
        super().__init__(prog=f"lapwing bench {benchmark}", add_help=False, allow_abbrev=False)
        self.add_argument("--json", type=Path, help="file for all samples")
        self.add_argument(
            "--progress", choices=get_args(Style), default="auto", help="how it is shown"
        )

    def error(self, message: str) -> NoReturn:
        """Refuse what argparse could not read."""
        known = ", ".join(option for action in self._actions for option in action.option_strings)
        raise user_error(
            f"options of {self.prog}", message, f"options among {known}", "correct the option"
        )


def parse(arguments: Sequence[str], ranks: int) -> Path | None:
    """The file for the samples, of a benchmark without other options. Local."""
    json: Path | None = OptionParser("pack").parse_args(arguments).json
    return json


def names_in(option: str, text: str, known: Sequence[str]) -> tuple[str, ...]:
    """The names in a list with commas, each once. Local; raises UserError for others."""
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in known:
            expected = f"names among {', '.join(known)}"
            raise user_error(option, repr(name), expected, "separate names by commas, no blanks")
    return names


def blocks_in(option: str, text: str) -> Blocks:
    """Blocks along x, y and z, written 1x1x2. Local; raises UserError."""
    found = re.fullmatch(r"([1-9]\d{0,4})x([1-9]\d{0,4})x([1-9]\d{0,4})", text)
    if found is None:
        raise user_error(option, repr(text), "blocks along x, y and z like 1x1x2", "change it")
    x, y, z = map(int, found.groups())
    return x, y, z


def number_in(option: str, text: str, least: int, most: int) -> int:
    """The whole number in a text. Local; raises UserError outside `least` to `most`."""
    if not text.isdecimal() or not least <= int(text) <= most:
        expected = f"a whole number from {least} to {most}"
        raise user_error(option, repr(text), expected, "give such a number")
    return int(text)
