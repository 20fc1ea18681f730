"""`lapwing bench coast` on a sea of a few cells: complete, and consistent in itself."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.bench.measure.report import Result, write
from lapwing_lab.bench.stages import coast, tables
from lapwing_lab.bench.stages.coast import ADVECTION, KERNELS
from lapwing_lab.bench.stages.request import Work

Parse = Callable[..., Any]  # the fixture in conftest.py


@pytest.fixture
def results() -> list[Result]:
    return coast.measure(Work("@16", 16, 12, steps=2, samples=3))


def test_every_kernel_and_the_step_are_measured(results: list[Result]) -> None:
    names = {"copy-flat", "division", "root", "momentum_x", "momentum_y", "continuity", "step"}
    assert {result.work for result in results} == {f"{name}@16" for name in names}
    assert all(len(result.samples) == 3 for result in results)


def test_shares_follow_from_rates_and_bandwidth(results: list[Result]) -> None:
    bandwidth = results[0].extra["bandwidth"]
    arrays = {"momentum_x": 5, "momentum_y": 5, "continuity": 4}  # both transports, sea level
    stages = {result.work.removesuffix("@16"): result.extra for result in results}
    for name, count in arrays.items():
        extra = stages[name]
        assert extra["bytes_per_cell"] == 8 * count
        if not extra["by_divider"]:
            limit = bandwidth / extra["bytes_per_cell"]
            assert extra["roofline_share"] == pytest.approx(extra["cells_per_second"] / limit)


def test_file_follows_the_schema(results: list[Result], tmp_path: Path) -> None:
    write(tmp_path / "coast.json", results)
    document = json.loads((tmp_path / "coast.json").read_text())
    assert document["schema"] == "lapwing-bench-1"
    step = next(row for row in document["results"] if row["work"] == "step@16")
    assert {"method", "median", "min", "max", "samples", "extra"} <= step.keys()


@pytest.fixture(scope="module")
def layered() -> dict[str, Result]:
    work = Work("@12x10x4", 12, 10, steps=2, samples=3, levels=4)
    results = coast.measure(work)
    assert tables.table(work, KERNELS, results).row_count == len(results) - 4  # limits are no rows
    return {result.work.removesuffix("@12x10x4"): result for result in results}


def test_bytes_of_layered_stages_follow_from_what_they_declare(layered: dict[str, Result]) -> None:
    def bytes_of(stage: str) -> float:
        return layered[stage].extra["bytes_per_cell"]

    assert bytes_of("mix_salinity") == 8 * (3 + 2 / 4)  # tracer twice, diffusivity; depth, level
    assert bytes_of("continuity") == 8 * 4  # as the table of the depth-integrated mode has it
    assert bytes_of("bottom_drag_x") == 8 * 5  # the lowest layer of the flow only
    assert layered["momentum_x"].extra["sweeps"] == 10
    assert layered["temperature_update_x"].extra["sweeps"] == 2


def test_the_later_of_memory_and_divider_counts(layered: dict[str, Result]) -> None:
    """Stages in which nothing is divided wait for memory, and shares follow from either."""
    bandwidth = layered["copy-layers"].extra["bandwidth"]
    division, root = (layered[name].median for name in ("division", "root"))
    assert 0 < division <= root * 2
    for stage in ("internal_pressure_x", "turbulence", "temperature_interface_x", "buoyancy"):
        extra = layered[stage].extra
        memory = extra["bytes_per_cell"] / bandwidth
        divider = extra["divisions_per_cell"] * division + extra["roots_per_cell"] * root
        assert extra["by_divider"] == float(divider > memory)
        share = max(memory, divider) * extra["cells_per_second"]
        assert extra["roofline_share"] == pytest.approx(share)
    assert layered["internal_pressure_x"].extra["by_divider"] == 0


def test_advection_and_step_sum_up_their_stages(layered: dict[str, Result]) -> None:
    cells = 12 * 10 * 4
    parts = [r for name, r in layered.items() if "_interface_" in name or "_update_" in name]
    least = sum(
        part.extra["sweeps"] * cells * part.extra["roofline_share"] / part.extra["cells_per_second"]
        for part in parts
    )
    whole = layered[ADVECTION]
    assert len(parts) == 12
    assert whole.extra["roofline_share"] == pytest.approx(least / whole.median)
    assert whole.median < layered["step"].median


def test_unknown_works_are_refused(parse: Parse) -> None:
    with pytest.raises(UserError, match="--works"):
        parse("coast", ["--works", "7x7"], 1)
    assert [work.name for work in parse("coast", ["--works", "40x24x60,240"], 1).chosen] == [
        "",
        "@40x24x60",
    ]


def test_every_slow_stage_and_no_other_says_why(layered: dict[str, Result]) -> None:
    work = Work("@12x10x4", 12, 10, steps=2, samples=3, levels=4)
    said = {line.split(" ")[0] for line in tables.reasons_of(work, KERNELS, list(layered.values()))}
    stages = {name: r.extra["roofline_share"] for name, r in layered.items() if "sweeps" in r.extra}
    assert said == {name for name, share in stages.items() if share < tables.LEAST}
