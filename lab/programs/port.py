"""Time the shelf model of examples/12_port by hand, with exchanges and with stages.

python lab/programs/port.py [--ranks 2] [--rounds 5] [--network 1gbit] [--json FILE]

Builds the programs in build/port and runs them alternately; they must print the same bits.
With --network each rank is on a node of an emulated cluster (`lapwing netlab`, root).
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "12_port"
BUILD = ROOT / "build" / "port"
BIN = Path(sys.executable).parent
VERSIONS = {
    "by hand": ["before"],
    "exchanges": ["exchanges"],
    "stages, blocking": ["stages", "blocking"],
    "stages, edge-first": ["stages", "edge-first"],
    "stages, dataflow": ["stages", "dataflow"],
}
WORKS = {"60x60": (60, 60, 4000), "240x160": (240, 160, 800), "600x400": (600, 400, 100)}
Run = Callable[..., str]


def printed(*command: str | int | Path) -> str:
    """Return what a command prints; where it fails, end with its message."""
    path = f"{BIN}:{os.environ['PATH']}"
    done = subprocess.run(
        list(map(str, command)), env={**os.environ, "PATH": path}, text=True, capture_output=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: ended with {done.returncode}\n{done.stderr}")
    return done.stdout


def build() -> None:
    """Compile the programs."""
    folder = printed(BIN / "lapwing", "--cmake-dir").strip()
    printed("cmake", "-G", "Ninja", "-S", EXAMPLE, "-B", BUILD, f"-Dlapwing_DIR={folder}")
    printed("cmake", "--build", BUILD)


def lines_of(version: str) -> int:
    """Lines of Fortran with the communication, which porting changes."""
    changed = ["domain", "halo", "momentum", "continuity", "tracer", "main"]
    total = 0
    for name in changed:
        own, before = (EXAMPLE / folder / f"{name}.f90" for folder in (version, "before"))
        if version == "stages" and name == "halo":
            continue
        total += len((own if own.exists() else before).read_text().splitlines())
    return total


def launcher(ranks: int, network: str | None) -> list[str]:
    """The command that starts a program on the ranks."""
    start = ["mpiexec", "-n", str(ranks)]
    if network is None:
        return start
    nodes = [BIN / "lapwing", "netlab", "run", "--nodes", ranks, "--rate", network, "--"]
    return [*map(str, nodes), *start]


def timed(start: list[str], work: str, version: str) -> tuple[float, str]:
    """Microseconds per step, and the bits, of one run."""
    name, *strategy = VERSIONS[version]
    nx, ny, steps = WORKS[work]
    text = printed(*start, BUILD / f"shelf_{name}", nx, ny, steps, *strategy)
    found = re.search(r"bits of u, v, z, c (.*)\n([\d.]+) us per step", text)
    assert found, text
    return float(found[2]), found[1]


def main() -> None:
    """Read the arguments, build, measure alternately, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2, help="processes (2)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each, alternating (5)")
    parser.add_argument("--network", metavar="RATE", help="a node per rank, with links like 1gbit")
    parser.add_argument("--json", type=Path, help="all samples, into this file")
    request = parser.parse_args()
    build()
    for version in ("before", "exchanges", "stages"):
        print(f"{version}: {lines_of(version)} lines of the parts that porting changes")
    start = launcher(request.ranks, request.network)
    samples: dict[str, dict[str, list[float]]] = {}
    for work in WORKS:
        samples[work] = {version: [] for version in VERSIONS}
        seen = set()
        for number in range(request.rounds + 1):  # the first is not counted
            for version in VERSIONS:
                microseconds, bits = timed(start, work, version)
                seen.add(bits)
                samples[work][version] += [microseconds] * (number > 0)
        if len(seen) > 1:
            sys.exit(f"{work}: the versions differ: {seen}")
        hand = samples[work]["by hand"]
        for version, all_of in samples[work].items():
            ratios = [mine / theirs for mine, theirs in zip(all_of, hand, strict=True)]
            spread = f"({min(ratios):.2f} to {max(ratios):.2f})"
            print(
                f"{work:8} {version:19} {median(all_of):9.1f} us per step"
                f"   {median(ratios):.2f} of by hand {spread}"
            )
    if request.json:
        request.json.write_text(json.dumps(samples, indent=1) + "\n")


if __name__ == "__main__":
    main()
