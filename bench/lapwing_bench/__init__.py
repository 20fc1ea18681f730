"""The benchmarks behind `lapwing bench`.

A benchmark takes the rest of the command line; every rank calls it, rank 0 prints. It returns the
exit code. Modules are imported when a benchmark runs: listing the names must not load MPI.
"""

from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

Benchmark = Callable[[Sequence[str]], int]


def _benchmark(name: str, default_ranks: int) -> Benchmark:
    def run(arguments: Sequence[str]) -> int:
        parser = ArgumentParser(prog=f"lapwing bench {name}")
        parser.add_argument("--json", type=Path, help="file to write all samples to")
        json: Path | None = parser.parse_args(arguments).json
        result: int = import_module(f"lapwing_bench.{name}").run(json)
        return result

    run.__name__ = name
    run.default_ranks = default_ranks  # type: ignore[attr-defined]  # read by `lapwing bench`
    return run


benchmarks: dict[str, Benchmark] = {
    "exchange": _benchmark("exchange", 2),
    "coast": _benchmark("coast", 1),
    "pack": _benchmark("pack", 1),
}
