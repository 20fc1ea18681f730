"""Transfers with coarrays compared with messages of MPI: `make bench-transfers`, or

python -m lapwing_lab.bench.lattice.transfers [--bytes 8,65536,4194304] [--json FILE] ...

Two images shift values along a ring and bounce them, by pushes, pulls and messages, and put
arithmetic behind a transfer; the ways of the halos in lab/coarray/exchange.f90 have their lines
counted.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lapwing.base.agreement import describe, exit_code
from lapwing.base.error import UserError
from lapwing.commands.options import Debug, Json

from lapwing_lab.bench.lattice.coarray import SOURCES, ProgramMissingError, build, seconds_of
from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.report import Result, write
from lapwing_lab.bench.measure.request import command_of

WAYS = ("push", "pull", "mpi")
ELEMENTS = 4096  # bytes of a transfer that goes value by value
RANKS = 2
OVERLAPPED = 4 << 20  # bytes, as the report took
# subroutines of exchange.f90 that each way of the halos needs beyond those of all
NEEDED = {
    "mpi": ("exchange_messages", "pack", "unpack"),
    "buffered": ("exchange_buffered", "meet", "pack", "unpack"),
    "direct": ("exchange_direct", "meet", "size_beside"),
    "vector": ("exchange_vector", "meet", "size_beside"),
}


@dataclass(frozen=True, kw_only=True)
class TransfersRequest:
    """Transfers with coarrays compared with messages of MPI."""

    bytes: tuple[int, ...] = options.counts(8, 1 << 30, (8, 65536, 4 << 20), "Bytes of a transfer.")
    transfers: int = options.count(1, 100_000, 50, "Transfers of a run.")
    rounds: int = options.count(1, 1000, 5, "Turns of all programs.")
    build: Path = options.option(Path("build/coarray"), "Folder of the program.", metavar="DIR")
    json: Json = None
    debug: Debug = False


def measure(options: dict[str, Any]) -> int:
    """Measure, print tables, write the file. Local."""
    request = TransfersRequest(**options)
    _print_lines()
    try:
        program = build(request.build, "transfers")
    except ProgramMissingError as problem:
        print(f"bench-transfers: skipped: {problem}; `make system-packages` installs Debian's")
        return 0
    works = [(what, way, n) for n in request.bytes for what in ("ring", "bounce") for way in WAYS]
    works += [("bounce", "elements", ELEMENTS), ("bounce", "push", ELEMENTS)]
    overlaps = [("overlap", way, OVERLAPPED) for way in WAYS]
    found: dict[tuple[str, str, int], list[list[float]]] = {}
    for _ in range(request.rounds):
        for what, way, size in works + overlaps:
            words = [f"what={what}", f"way={way}", f"bytes={size}", f"rounds={request.transfers}"]
            seconds = seconds_of([str(program.resolve()), *words], RANKS)
            found.setdefault((what, way, size), []).append(seconds)
    _print_times({work: min(one[0] for one in found[work]) for work in dict.fromkeys(works)})
    _print_overlap({way: max(found["overlap", way, OVERLAPPED], key=hidden) for way in WAYS})
    if request.json is not None:
        results = [
            Result(f"{what} of {size} bytes", way, [max(one) for one in of])
            for (what, way, size), of in found.items()
        ]
        write(request.json, results, {"coarrays": "OpenCoarrays, gfortran -fcoarray=lib"})
    return 0


def _print_times(least: dict[tuple[str, str, int], float]) -> None:
    print("\n| transfer, bytes | us | GB/s |\n|---|---|---|")
    for (what, way, size), seconds in least.items():
        moved = 2 * size  # a ring of two, there and back
        print(f"| {what} by {way}, {size} | {1e6 * seconds:.1f} | {moved / seconds / 1e9:.3f} |")


def hidden(seconds: Sequence[float]) -> float:
    """The share of the shorter of two times that both together save. Local."""
    transfer, arithmetic, both = seconds
    return (transfer + arithmetic - both) / min(transfer, arithmetic)


def _print_overlap(times: dict[str, list[float]]) -> None:
    print("\n| 4 MB behind arithmetic | transfer, ms | arithmetic | both | hidden |")
    print("|---|---|---|---|---|")
    for way, seconds in times.items():
        told = " | ".join(f"{1e3 * one:.2f}" for one in seconds)
        print(f"| {way} | {told} | {hidden(seconds):.0%} |")


def lines_of_code(name: str, text: str) -> int:
    """The lines of a subroutine or function without comments and empty ones. Local."""
    found = re.search(rf"^  [a-z ]*(?:subroutine|function) {name}\(.*?^  end ", text, re.M | re.S)
    assert found is not None, name
    lines = map(str.strip, found[0].split("\n"))
    return sum(bool(line) and not line.startswith("!") for line in lines)


def _print_lines() -> None:
    text = (SOURCES / "exchange.f90").read_text(encoding="utf-8")
    print("| halos | lines of code beyond what all ways need |\n|---|---|")
    for way, names in NEEDED.items():
        print(f"| {way} | {sum(lines_of_code(name, text) for name in names)} |")


command = command_of(TransfersRequest, "make bench-transfers", measure)


def main(words: list[str]) -> None:
    """Measure, and end the process with the exit code."""
    try:
        command.main(words, prog_name=command.name)
    except UserError as problem:
        print(describe(problem, debug=False), file=sys.stderr)
        sys.exit(exit_code(problem))


if __name__ == "__main__":
    main(sys.argv[1:])
