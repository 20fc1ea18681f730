"""`lapwing bench weather` on an area of a few cells: complete, and consistent in itself."""

from collections.abc import Callable
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing_lab.bench.measure.report import Result
from lapwing_lab.bench.stages import tables, weather
from lapwing_lab.bench.stages.request import Work
from lapwing_lab.bench.stages.weather import KERNELS

Parse = Callable[..., Any]  # the fixture in conftest.py

WORK = Work("@20x18x4", 20, 18, steps=3, samples=3, levels=4)
EXPLICIT = {"time_filter", "columns", "momentum_x", "momentum_y", "scalars", "relaxation", "step"}


@pytest.fixture(scope="module")
def explicit() -> dict[str, Result]:
    return by_name(weather.measure(WORK, "explicit"))


def by_name(results: list[Result]) -> dict[str, Result]:
    return {result.work.removesuffix(WORK.name): result for result in results}


def test_every_stage_and_the_step_are_measured(explicit: dict[str, Result]) -> None:
    limits = {"copy-layers", "division", "root"}  # no stage works on surface fields alone
    assert explicit.keys() == EXPLICIT | limits
    assert all(len(result.samples) == 3 for result in explicit.values())


def test_bytes_follow_from_what_stages_declare(explicit: dict[str, Result]) -> None:
    """Fields with layers, and those of the surface by the number of layers."""
    expected = {
        "time_filter": 8 * (4 * 4 + 4 / 4),  # three states of four fields, one of them twice
        "columns": 8 * (4 + 4 + 3 / 4),  # state now, what is made; pressure, ground, outflow
        "momentum_x": 8 * (7 + 1 / 4),
        "scalars": 8 * (10 + 4 / 4),
        "relaxation": 8 * (4 * 3 + 3 / 4),
    }
    found = {stage: explicit[stage].extra["bytes_per_cell"] for stage in expected}
    assert found == expected


def test_a_sweep_of_the_frame_is_a_strip(explicit: dict[str, Result]) -> None:
    strip = (20 * 18 - 4 * 2) / 4  # columns
    relaxation = explicit["relaxation"]
    assert relaxation.extra["sweeps"] == 4
    rate = strip * 4 / relaxation.median
    assert relaxation.extra["cells_per_second"] == pytest.approx(rate)


def test_the_step_sums_up_its_stages(explicit: dict[str, Result]) -> None:
    """Time and limit: what stages must move, at the rate of the copy."""
    stages = [explicit[name] for name in EXPLICIT - {"step"}]
    spent = sum(stage.extra["sweeps"] * stage.median for stage in stages)
    least = sum(s.extra["sweeps"] * s.median * s.extra["roofline_share"] for s in stages)
    step = explicit["step"]
    assert step.extra["roofline_share"] == pytest.approx(least / step.median)
    assert 0.2 * step.median < spent < 1.5 * step.median  # medians of few, short samples


@pytest.mark.parametrize("scheme", ["semi-implicit", "semi-lagrangian"])
def test_other_schemes_have_stages_of_their_own(scheme: str) -> None:
    found = by_name(weather.measure(WORK, scheme))
    own = {
        "semi-implicit": {"implicit_source", "implicit_lift", "implicit_correction"},
        "semi-lagrangian": {"displacements", "arrival", "inflow"},
    }
    assert EXPLICIT | own[scheme] <= found.keys()


def test_slow_stages_say_why(explicit: dict[str, Result]) -> None:
    said = {line.split(" ")[0] for line in tables.reasons_of(WORK, KERNELS, [*explicit.values()])}
    stages = {
        name: r.extra["roofline_share"] for name, r in explicit.items() if "sweeps" in r.extra
    }
    assert said == {name for name, share in stages.items() if share < tables.LEAST}


def test_works_and_schemes_of_a_request(parse: Parse) -> None:
    with pytest.raises(UserError, match="--schemes"):
        parse("weather", ["--schemes", "implicit"], 1)
    chosen = parse("weather", ["--works", "202x190x40,60x60x40"], 1)
    assert [work.name for work in chosen.chosen] == ["@60x60x40", "@202x190x40"]
    named = weather.named(chosen.chosen, "semi-implicit")
    assert named[0].name == "@60x60x40,semi-implicit"
    assert chosen.schemes == ("explicit",)
