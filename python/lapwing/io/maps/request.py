"""The caller's description of a file of maps, and the file itself while it is open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lapwing.base.error import user_error

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class MapRequest:
    """The caller's description of a file; empty texts leave the answer to the file."""

    name: str = "mask"  # the caller's name of the file: "MASK", "grid.mask", "mask"
    wet: str = ""  # an expression that is true in wet cells: "depth > 10"
    axes: str = ""  # "x,y" or "y,x": the order of the two dimensions in the file
    variable: str = ""  # the name of the variable
    size: str = ""  # "NX,NY": cells along x and y, where a binary file cannot say them

    def __post_init__(self) -> None:
        """Refuse two answers to one question."""
        if self.wet and self.variable:
            raise user_error(
                self.option("variable", self.variable),
                "an expression as well",
                "one of them: an expression names its variables itself",
                f"leave one out, or write {self.option('wet', f'{self.variable} == 1')}",
            )

    def option(self, word: str, value: str = "...") -> str:
        """Write an option as this caller does: --wet "...", grid.wet = "...", wet="...". Local."""
        if self.name == "MASK":
            return f'--{word} "{value}"'
        table, dot, _ = self.name.rpartition(".")
        return f'{table}.{word} = "{value}"' if dot else f'{word}="{value}"'


@dataclass(frozen=True)
class MapSource:
    """An open file: its variables, not yet read, and its name in messages."""

    data: xarray.Dataset  # decoded as CF says, when it is read
    path: Path
    request: MapRequest

    @property
    def subject(self) -> str:
        """The name of the file in messages: MASK sea.nc. Local."""
        return f"{self.request.name} {self.path}"

    def about(self, variable: str) -> str:
        """Name a variable of the file for messages. Local."""
        return f"{self.subject}, {variable}"
