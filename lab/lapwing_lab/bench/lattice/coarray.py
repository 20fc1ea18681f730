"""Coarrays compared with MPI in a lattice Boltzmann run: `make bench-coarray`, or

python -m lapwing_lab.bench.lattice.coarray [--blocks 1x1x2,2x1x1] [--size 32] [--json FILE] ...

The coarray program of lab/coarray in four ways with coarrays and one with messages of MPI, all with
the same kernel, and lapwing's model by its transports alternate on the same box and blocks. Where
the program cannot be compiled it says what is missing, and ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from statistics import median
from typing import Any

from lapwing.base.agreement import describe, exit_code
from lapwing.base.error import UserError
from lapwing.commands.options import Debug, Json
from lapwing.core import mpi_runtime

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.report import Result, write
from lapwing_lab.bench.measure.request import command_of

TRANSPORTS = ("p2p", "onesided", "direct", "pull", "shared")
RUN_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class CoarrayRequest:
    """Coarrays compared with MPI in a lattice Boltzmann run."""

    size: int = options.count(4, 4096, 32, "Cells along each axis.")
    blocks: tuple[options.Shape, ...] = options.shapes(
        "1x1x2",
        (options.Shape((1, 1, 2)), options.Shape((2, 1, 1))),
        "Ways to cut the box, one after the other.",
    )
    steps: int = options.count(1, 100_000, 20, "Steps of a run.")
    rounds: int = options.count(1, 1000, 5, "Turns of all programs.")
    build: Path = options.option(Path("build/coarray"), "Folder of the program.", metavar="DIR")
    json: Json = None
    debug: Debug = False


def measure(options: dict[str, Any]) -> int:
    """Measure, print a table per cut, write the file. Local."""
    request = CoarrayRequest(**options)
    try:
        program = build(request.build)
    except ProgramMissingError as problem:
        print(f"bench-coarray: skipped: {problem}; `make system-packages` installs Debian's")
        return 0
    print(f"{VECTOR}: {_outcome(program, request)}")
    results: list[Result] = []
    for cut in request.blocks:
        measured = _measured(program, request, cut)
        _print_table(request, cut, measured)
        results += measured
    if request.json is not None:
        write(request.json, results, {"coarrays": "OpenCoarrays, gfortran -fcoarray=lib"})
    return 0


command = command_of(CoarrayRequest, "make bench-coarray", measure)


def main(words: list[str]) -> None:
    """Measure, and end the process with the exit code."""
    try:
        command.main(words, prog_name=command.name)
    except UserError as problem:
        print(describe(problem, debug=False), file=sys.stderr)
        sys.exit(exit_code(problem))


def _measured(program: Path, request: CoarrayRequest, cut: options.Shape) -> list[Result]:
    work = f"{cut} of {request.size}"
    names = [f"fortran {way}" for way in WAYS] + [f"lapwing {name}" for name in TRANSPORTS]
    results = {name: Result(work, name, []) for name in names}
    for _ in range(request.rounds):
        for name in names:
            seconds = _seconds(_command(name, program, request, cut), prod(cut))
            results[name].samples.append(seconds / request.steps)
    for result in results.values():
        result.extra["mlups"] = request.size**3 / result.median / 1e6
    return list(results.values())


def _command(name: str, program: Path, request: CoarrayRequest, cut: options.Shape) -> list[str]:
    kind, way = name.split()
    size, blocks = (",".join(map(str, n)) for n in (3 * (request.size,), cut))
    if kind == "fortran":
        path = str(program.resolve())
        numbers = [f"steps={request.steps}", "warm=2", "tau=0.8", "tau_minus=0.8"]
        return [path, f"grid={size}", f"ranks={blocks}", f"way={way}", *numbers]
    module = [sys.executable, "-m", "lapwing_lab.bench.lattice.coarray_model"]
    return [*module, size, blocks, way, str(request.steps), "2"]


def _seconds(command: list[str], ranks: int) -> float:
    return seconds_of(command, ranks)[0]


def seconds_of(command: list[str], ranks: int) -> list[float]:
    """The seconds that a program of lab/coarray prints. Local. Ends the process where none."""
    done = _run(command, ranks)
    for line in done.stdout.splitlines():
        if line.startswith("seconds"):
            return [float(word) for word in line.split()[1:]]
    sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-1000:]}")


def _run(command: list[str], ranks: int) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*mpi_runtime.launcher_command(ranks), *command],
        env=mpi_runtime.launcher_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )


def _outcome(program: Path, request: CoarrayRequest) -> str:
    """The end of a short run with a vector subscript, which OpenCoarrays 2.10 cannot push."""
    small = replace(request, size=8, steps=1)
    done = _run(_command(f"fortran {VECTOR}", program, small, options.Shape((1, 1, 2))), 2)
    if done.returncode == 0:
        return "runs here"
    told = [line for line in (done.stderr + done.stdout).splitlines() if "rror" in line]
    return f"ends with {told[0].strip() if told else done.returncode}"


def _print_table(request: CoarrayRequest, cut: options.Shape, results: list[Result]) -> None:
    blocks = " x ".join(map(str, cut))
    print(f"\n{request.size}^3 cells in {blocks} blocks, {request.rounds} rounds taken in turn\n")
    print("| program | steps/s | MLUPS, median (least to most) | of lapwing p2p |")
    print("|---|---|---|---|")
    base = next(one for one in results if one.method == "lapwing p2p")
    for one in results:
        low, high = (request.size**3 / s / 1e6 for s in (max(one.samples), min(one.samples)))
        ratios = [b / s for b, s in zip(base.samples, one.samples, strict=True)]
        print(
            f"| {one.method} | {1 / one.median:.1f} | {one.extra['mlups']:.2f}"
            f" ({low:.2f} to {high:.2f}) | {median(ratios):.3f} |",
            flush=True,
        )


# ---- the program of lab/coarray, compiled where that can be done
#
# gfortran makes calls of OpenCoarrays out of coarrays, and that makes calls of MPI. Debian compiles
# OpenCoarrays for an MPICH that has the binary interface of all MPICHs, so the program runs on the
# MPICH of this environment: the one that lapwing's model runs on.

WAYS = ("buffered-push", "buffered-pull", "direct-push", "direct-pull", "mpi")
VECTOR = "vector-push"  # one statement for all populations of a face
SOURCES = Path(__file__).resolve().parents[3] / "coarray"
# of each program, in the order of their modules
PROGRAMS = {
    "lbm_coarray": (
        *("lattice", "blocks", "populations", "messages"),
        *("exchange", "options", "files", "lbm_coarray"),
    ),
    "transfers": ("messages", "transfers"),
}
# the flags of lapwing's kernels, or the bits would differ
_FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fprotect-parens")


class ProgramMissingError(Exception):
    """The program cannot be had here; the text says what is missing."""


def build(folder: Path, program: str = "lbm_coarray") -> Path:
    """Compile a program of lab/coarray into a folder and return its path. Local; seconds.

    Raises ProgramMissingError without gfortran, OpenCoarrays or MPICH, and for a gfortran that ends
    with an error of its own, as 15 and 16 do; RuntimeError where the compiler refuses the program.
    """
    compiler, coarrays, mpi = _compiler(), _coarrays(), _mpich()
    libraries = folder / "lib"
    libraries.mkdir(parents=True, exist_ok=True)
    # the name that OpenCoarrays asks for; what MPICH itself needs, it looks for next to that
    targets = {"libmpich.so.12": mpi, mpi.name: mpi, "mpich": mpi.parent / "mpich"}
    for name, target in targets.items():
        (libraries / name).unlink(missing_ok=True)
        (libraries / name).symlink_to(target)
    path = folder / program
    command = [
        *(compiler, *_FLAGS, "-fcoarray=lib", "-J", str(folder), "-o", str(path)),
        *(f"-I{Path(sys.prefix) / 'include'}", str(SOURCES / "messages.c")),
        *(str(SOURCES / f"{name}.f90") for name in (*PROGRAMS[program], "finish")),
        # -rdynamic: finish.f90 stands between OpenCoarrays and MPI
        *(str(coarrays), str(libraries / mpi.name), "-rdynamic", "-Wl,--allow-shlib-undefined"),
        f"-Wl,--disable-new-dtags,-rpath,{libraries.resolve()}",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if "internal compiler error" in done.stderr:
        raise ProgramMissingError(
            f"{compiler} {_version(compiler)} ends with an internal error at a coarray of another "
            "image; gfortran 12, 13 and 14 compile the program (FC=gfortran-14)"
        )
    if done.returncode != 0:
        raise RuntimeError(f"gfortran fails: {done.stderr[-2000:]}")
    return path


def _compiler() -> str:
    name = os.environ.get("FC") or "gfortran"
    found = shutil.which(name)
    if found is None:
        raise ProgramMissingError(f"no {name} (Debian's package gfortran)")
    return found


def _version(compiler: str) -> str:
    done = subprocess.run([compiler, "-dumpfullversion"], capture_output=True, text=True)
    return done.stdout.strip()


def _coarrays() -> Path:
    places = "*/open-coarrays/mpich/lib/libcaf_mpich.so*"
    found = sorted(Path("/usr/lib").glob(places))
    if not found:
        raise ProgramMissingError("no OpenCoarrays for MPICH (Debian's package libcaf-mpich-3)")
    return found[0]


def _mpich() -> Path:
    library = mpi_runtime.built_with()
    if library.family != "MPICH":
        raise ProgramMissingError(
            f"OpenCoarrays is there for MPICH, this environment has {library}"
        )
    return mpi_runtime.library_path()


if __name__ == "__main__":
    main(sys.argv[1:])
