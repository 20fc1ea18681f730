"""Coarrays beside MPI in a lattice Boltzmann run: `make bench-coarray`, or

python -m lapwing_bench.coarray.benchmark [--blocks 1x1x2,2x1x1] [--size 32] [--json FILE] ...

The coarray program of bench/coarray in four ways and lapwing's model by four transports take turns
on the same box and blocks. Where the program cannot be compiled it says what is missing, and ends.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from statistics import median

from lapwing.base.agreement import describe, exit_code
from lapwing.base.error import UserError
from lapwing.core import mpi_runtime

from lapwing_bench.coarray.program import WAYS, ProgramMissingError, build
from lapwing_bench.measure.report import Result, write
from lapwing_bench.measure.request import Blocks, OptionParser, blocks_in, number_in

TRANSPORTS = ("p2p", "onesided", "direct", "pull", "shared")
RUN_SECONDS = 300.0


@dataclass(frozen=True)
class CoarrayRequest:
    """How large a box, how it is cut, how often it is run, and where programs and samples go."""

    size: int  # cells along each axis
    blocks: tuple[Blocks, ...]  # ways to cut the box, one after the other
    steps: int  # of a run
    rounds: int
    build: Path
    json: Path | None


def main(words: list[str]) -> None:
    """Measure, print a table per cut, write the file."""
    try:
        options = parse(words)
    except UserError as problem:
        print(describe(problem, debug=False), file=sys.stderr)
        sys.exit(exit_code(problem))
    try:
        program = build(options.build)
    except ProgramMissingError as problem:
        print(f"bench-coarray: skipped: {problem}; `make system-packages` installs Debian's")
        return
    results: list[Result] = []
    for cut in options.blocks:
        measured = _measured(program, options, cut)
        _print_table(options, cut, measured)
        results += measured
    if options.json is not None:
        write(options.json, results, {"coarrays": "OpenCoarrays, gfortran -fcoarray=lib"})


def parse(words: Sequence[str]) -> CoarrayRequest:
    """The request in the options. Local; raises UserError."""
    parser = OptionParser("coarray")
    parser.prog = "make bench-coarray"
    parser.add_argument("--help", action="help", help="say this and end")
    parser.add_argument("--size", default="32", help="cells along each axis (%(default)s)")
    parser.add_argument("--blocks", default="1x1x2,2x1x1", help="ways to cut (%(default)s)")
    parser.add_argument("--steps", default="20", help="of a run (%(default)s)")
    parser.add_argument("--rounds", default="5", help="turns of all programs (%(default)s)")
    parser.add_argument(
        "--build", type=Path, default=Path("build/coarray"), help="folder of the program"
    )
    options = parser.parse_args(words)
    blocks = [blocks_in("--blocks", text) for text in options.blocks.split(",")]
    return CoarrayRequest(
        size=number_in("--size", options.size, 4, 4096),
        blocks=tuple(dict.fromkeys(blocks)),
        steps=number_in("--steps", options.steps, 1, 100_000),
        rounds=number_in("--rounds", options.rounds, 1, 1000),
        build=options.build,
        json=options.json,
    )


def _measured(program: Path, options: CoarrayRequest, cut: Blocks) -> list[Result]:
    work = "x".join(map(str, cut)) + f" of {options.size}"
    names = [f"coarray {way}" for way in WAYS] + [f"lapwing {name}" for name in TRANSPORTS]
    results = {name: Result(work, name, []) for name in names}
    for _ in range(options.rounds):
        for name in names:
            seconds = _seconds(_command(name, program, options, cut), prod(cut))
            results[name].samples.append(seconds / options.steps)
    for result in results.values():
        result.extra["mlups"] = options.size**3 / result.median / 1e6
    return list(results.values())


def _command(name: str, program: Path, options: CoarrayRequest, cut: Blocks) -> list[str]:
    kind, way = name.split()
    size, blocks = (",".join(map(str, n)) for n in (3 * (options.size,), cut))
    if kind == "coarray":
        path = str(program.resolve())
        numbers = [f"steps={options.steps}", "warm=2", "tau=0.8", "tau_minus=0.8"]
        return [path, f"grid={size}", f"ranks={blocks}", f"way={way}", *numbers]
    module = [sys.executable, "-m", "lapwing_bench.coarray.model"]
    return [*module, size, blocks, way, str(options.steps), "2"]


def _seconds(command: list[str], ranks: int) -> float:
    done = subprocess.run(
        [*mpi_runtime.launcher_command(ranks), *command],
        env=mpi_runtime.launcher_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    for line in done.stdout.splitlines():
        if line.startswith("seconds"):
            return float(line.split()[1])
    sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-1000:]}")


def _print_table(options: CoarrayRequest, cut: Blocks, results: list[Result]) -> None:
    blocks = " x ".join(map(str, cut))
    print(f"\n{options.size}^3 cells in {blocks} blocks, {options.rounds} rounds taken in turn\n")
    print("| program | steps/s | MLUPS, median (least to most) | of lapwing p2p |")
    print("|---|---|---|---|")
    base = next(one for one in results if one.method == "lapwing p2p")
    for one in results:
        low, high = (options.size**3 / s / 1e6 for s in (max(one.samples), min(one.samples)))
        ratios = [b / s for b, s in zip(base.samples, one.samples, strict=True)]
        print(
            f"| {one.method} | {1 / one.median:.1f} | {one.extra['mlups']:.2f}"
            f" ({low:.2f} to {high:.2f}) | {median(ratios):.3f} |",
            flush=True,
        )


if __name__ == "__main__":
    main(sys.argv[1:])
