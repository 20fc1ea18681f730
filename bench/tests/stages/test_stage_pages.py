"""Pages of the stages of models: made from kept results, medians over the invocations."""

from typing import Any

from lapwing_bench.kept.pages.stages import PAGES
from lapwing_bench.kept.results import kept

COAST = PAGES[0]
STAGE = {"bytes_per_cell": 24.3, "divisions_per_cell": 1.0, "roots_per_cell": 0.0, "sweeps": 2.0}


def row(work: str, method: str, seconds: float, **extra: float) -> dict[str, Any]:
    return {"work": work, "method": method, "samples": [seconds], "extra": extra}


def report(rate: float, share: float) -> dict[str, Any]:
    """One invocation at two sizes; the second is bound by divisions."""
    rows = []
    for size, by_divider in (("8x8x4", 0.0), ("4x4x4", 1.0)):
        rows += [
            row(f"copy-layers@{size}", "numpy", 1e-3, bandwidth=4e10, bytes=4e7),
            row(f"division@{size}", "vectors", 0.12e-9),
            row(f"root@{size}", "vectors", 0.21e-9),
            row(f"mix@{size}", "coast", 1e-4, cells_per_second=rate, roofline_share=share,
                by_divider=by_divider, **STAGE),
            row(f"step@{size}", "coast", 1e-3, cells_per_second=rate / 20, roofline_share=share),
        ]  # fmt: skip
    versions = {"mpi": "MPICH Version:      5.0.2", "compiler": "g++ 12.2"}
    machine = {"processor": "a processor", "cores": 2, "usable_cores": 2}
    return {"results": rows, "machine": machine, "versions": versions}


def made(block: str) -> list[str]:
    reports = [report(3e8, 0.5), report(4e8, 0.6), report(8e8, 0.7)]
    when = [{"began": f"2026-12-0{day}T10:00:00", "load": 0.0} for day in (1, 2, 3)]
    return COAST.blocks[block]({"stages": kept("it", reports, when)}).splitlines()


def test_stages_have_rates_and_shares_and_sums_their_spread() -> None:
    lines = made("stages")
    assert lines[2] == "| stage | bytes | div + roots | 8x8x4 | 4x4x4 |"
    assert lines[4] == "| `mix` | 24 | 1 + 0 | 400 (60 %) | 400 (60 %, d) |"
    assert lines[5] == "| `step` |  |  | 20.0 (60 %, 55-65) | 20.0 (60 %, 55-65) |"


def test_copies_and_divisions_have_a_row_for_each_size() -> None:
    assert made("copies")[2:] == [
        "| 8x8x4 | 40.0 | - | 0.12 | 0.21 |",
        "| 4x4x4 | 40.0 | - | 0.12 | 0.21 |",
    ]
