"""A page of docs/measurements: what it measures, and what of it is made from kept results."""

from __future__ import annotations

import re
import shlex
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lapwing_lab.bench.kept.results import Kept

Results = Mapping[str, Kept]  # by name of the measurement, without the page's
Made = Callable[[Results], str]  # Markdown

# <!-- made NAME --> ... <!-- end NAME -->
_BLOCK = re.compile(r"<!-- made (?P<name>[\w-]+) -->\n(?P<text>.*?)<!-- end (?P=name) -->", re.S)


_COLUMNS = 120
SCRIPTS = Path(__file__).parents[3] / "programs"


def _wrapped(content: str) -> str:
    """Text and lists in lines that fit a page; tables stay. Local."""
    lines = []
    for line in content.split("\n"):
        if len(line) <= _COLUMNS or line.startswith("|"):
            lines.append(line)
            continue
        indent = "  " if line.startswith("- ") else ""
        lines += textwrap.wrap(
            line, _COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
        )
    return "\n".join(lines)


@dataclass(frozen=True)
class Measurement:
    """A benchmark that is run several times: what follows `lapwing bench`.

    `within`: a command of lapwing that it runs in, `netlab run ...` say. `mpi`: mpich, or openmpi,
    whose environment is another one. `script`: a program of the folder bench that takes the
    arguments instead. `once`: it computes the same each time, so that one invocation tells all.
    """

    name: str
    arguments: tuple[str, ...]
    within: tuple[str, ...] = ()
    mpi: str = "mpich"
    script: str = ""
    once: bool = False

    def program(self) -> Path:
        """The command `lapwing` of its environment, or the script. Local."""
        if self.script:
            return SCRIPTS / self.script
        here = Path(sys.prefix)
        folder = here.parent / ".venv-openmpi" if self.mpi == "openmpi" else here
        return folder / "bin" / "lapwing"

    def command(self, file: Path) -> list[str]:
        """The command line that writes its report. Local."""
        program = str(self.program())
        before = [program, *self.within, "--"] if self.within else []
        begin = [sys.executable, program] if self.script else [*before, program, "bench"]
        return [*begin, *self.arguments, "--json", str(file)]

    @property
    def run(self) -> str:
        """The command as a reader types it."""
        before = f"lapwing {' '.join(self.within)} -- " if self.within else ""
        program = f"python lab/programs/{self.script}" if self.script else f"{before}lapwing bench"
        return f"{program} {shlex.join(self.arguments)}"


@dataclass(frozen=True)
class Page:
    """A document, its measurements, and its blocks by name, each made from the results."""

    name: str
    measurements: tuple[Measurement, ...]
    blocks: Mapping[str, Made]

    @property
    def document(self) -> Path:
        """Where it is, from the root of the sources."""
        return Path("docs", "measurements", f"{self.name}.md")

    def kept(self, results: Path) -> Results:
        """What is kept for it, in its folder of the results. Local."""
        files = {one.name: results / self.name / f"{one.name}.json" for one in self.measurements}
        return {
            name.removeprefix(f"{self.name}-"): Kept.read(file)
            for name, file in files.items()
            if file.exists()
        }

    def written(self, text: str, results: Results) -> str:
        """The document with the blocks that the results suffice for made from them. Local.

        KeyError for a block that the page does not know, or lacks.
        """
        there = [found["name"] for found in _BLOCK.finditer(text)]
        if sorted(there) != sorted(self.blocks):
            expected = ", ".join(sorted(self.blocks))
            raise KeyError(f"{self.document}: got blocks {there}; expected each of {expected} once")

        def made(block: re.Match[str]) -> str:
            name = block["name"]
            try:
                content = self.blocks[name](results)
            except KeyError:  # not measured yet: what is there stays
                return block[0]
            return f"<!-- made {name} -->\n\n{_wrapped(content.strip())}\n\n<!-- end {name} -->"

        return _BLOCK.sub(made, text)
