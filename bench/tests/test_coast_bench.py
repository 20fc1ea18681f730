"""`lapwing bench coast` on a sea of a few cells: complete, and consistent in itself."""

import json
from pathlib import Path

import pytest
from lapwing_bench import coast
from lapwing_bench.coast_request import Work
from lapwing_bench.report import Result, write


@pytest.fixture
def results() -> list[Result]:
    return coast.measure(Work("@16", 16, 12, steps=2, samples=3))


def test_every_kernel_and_the_step_are_measured(results: list[Result]) -> None:
    names = {"copy", "momentum_x", "momentum_y", "continuity", "step"}
    assert {result.work for result in results} == {f"{name}@16" for name in names}
    assert all(len(result.samples) == 3 for result in results)


def test_shares_follow_from_rates_and_bandwidth(results: list[Result]) -> None:
    bandwidth = results[0].extra["bandwidth"]
    for result in results[1:]:
        extra = result.extra
        limit = bandwidth / extra["bytes_per_cell"]
        assert extra["roofline_share"] == pytest.approx(extra["cells_per_second"] / limit)


def test_file_follows_the_schema(results: list[Result], tmp_path: Path) -> None:
    write(tmp_path / "coast.json", results)
    document = json.loads((tmp_path / "coast.json").read_text())
    assert document["schema"] == "lapwing-bench-1"
    step = next(row for row in document["results"] if row["work"] == "step@16")
    assert {"method", "median", "min", "max", "samples", "extra"} <= step.keys()
