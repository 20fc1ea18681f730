"""`lapwing bench getm`: Table 7-1 by row, times booked to the right timer, refusals."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.core.domain import Domain
from lapwing.model.case import load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run, step_of
from lapwing_lab.bench.getm import paper as getm_paper
from lapwing_lab.bench.getm.timers import FLAT_ROW, ROWS, Writers, book, booked_to
from lapwing_lab.timeline.timeline import Event

RunBench = Callable[..., Any]  # the fixtures in conftest.py
Parse = Callable[..., Any]
Rows = dict[tuple[str, str], dict[str, Any]]  # of the file, by work and method


@pytest.fixture(scope="module")
def rows(run_bench: RunBench, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    """All results of a tiny sea on two ranks, by work and method."""
    file = tmp_path_factory.mktemp("getm") / "getm.json"
    few = ("--sizes", "12x10,9x8", "--levels", "4", "--rounds", "2", "--steps", "1")
    done = run_bench("getm", "--ranks", "2", *few, "--json", str(file), timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    for table in ("5-1", "5-2", "7-1", "7-2", "7-3", "7-4"):
        assert f"Table {table}" in done.stdout
    found = json.loads(file.read_text())["results"]
    return {(row["work"], row["method"]): row for row in found}


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_literal_exchanges_are_those_of_table_7_1(rows: Rows) -> None:
    rounds = {row: rows[f"exchanges/{row}", "literal"]["extra"]["rounds"] for row in ROWS}
    assert rounds == ROWS
    assert rows["exchanges/all 3D", "literal"]["extra"]["rounds"] == 19
    # three of each of the ten micro steps
    assert rows[f"exchanges/{FLAT_ROW}", "literal"]["extra"]["rounds"] == 30


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_needed_exchanges_are_few_and_of_one_message_per_neighbour(rows: Rows) -> None:
    layered = rows["exchanges/all 3D", "needed"]["extra"]
    assert 0 < layered["rounds"] <= 8
    assert 0 < layered["messages"] <= layered["rounds"]  # one neighbour
    whole = {policy: rows["exchanges/all", policy]["extra"] for policy in ("needed", "literal")}
    assert whole["needed"]["messages"] <= whole["needed"]["rounds"]
    assert whole["needed"]["bytes"] < whole["literal"]["bytes"]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_times_of_all_rows_are_there_and_add_up(rows: Rows) -> None:
    for strategy in getm_paper.U_SPLIT_ADV:
        for sample in range(2):
            part = {
                row: rows[f"kelvin3d-12x10/{row}", strategy]["samples"][sample]
                for row in [*getm_paper.TABLE_5_2, *getm_paper.U_SPLIT_ADV[strategy][1]]
            }
            computed = part['"red" zones'] + part['"green" zones']
            assert computed == pytest.approx(part["Part A"] + part["Part B"])
            assert computed > 0
            halo = part["update-halo"] + part["wait-halo"]
            assert part["total"] == pytest.approx(computed + halo)
            assert part["total"] < part["Total runtime"]
    hidden = {s: rows['kelvin3d-12x10/"green" zones', s]["median"] for s in getm_paper.U_SPLIT_ADV}
    assert hidden["blocking"] == 0 < hidden["edge-first"]


@pytest.mark.ranks
@pytest.mark.any_mpi
def test_depth_integrated_rows_are_there(rows: Rows) -> None:
    for row in getm_paper.TABLE_5_1:
        assert rows[f"kelvin-9x8/{row}", "blocking"]["median"] > 0


@pytest.mark.parametrize("name", ["kelvin3d", "kelvin3d-small", "channel", "kelvin"])
def test_every_stage_has_one_timer(name: str) -> None:
    case = load_case(name, installed_models(), ["cells_x=12", "cells_y=12"])
    geometry = case.model.geometry(case.settings, case.folder)
    domain = Domain(geometry.grid)
    run = create_run(
        case.model, domain, case.settings, geometry, strategy="blocking", transport="auto"
    )
    for stage in step_of(run, name).report.stage_names:
        assert booked_to(stage)[0]
    with pytest.raises(LookupError, match="dredging"):
        booked_to("dredging")
    del run
    domain.close()


def test_waits_are_charged_to_who_wrote_what_travels() -> None:
    """A halo of flow_x, written by layer_momentum_x, that travels while turbulence computes."""
    stages: list[tuple[str, list[str], list[str]]] = [
        ("layers_before", [], ["depth"]),
        ("layer_momentum_x", ["depth"], ["flow_x"]),
        ("turbulence", ["tke"], ["tke"]),
        ("tracer_flow", ["flow_x"], ["flow_z"]),
    ]
    events = [
        Event("compute", "layer_momentum_x", 0.0, 1.0, 1),
        Event("start", "depth", 1.0, 1.5, 0),  # nothing of it arrives here
        Event("start", "flow_x", 1.5, 2.0, 0),
        Event("compute", "turbulence", 2.0, 4.0, 1),
        Event("wait", "", 4.0, 6.0, 0),
        Event("unpack", "flow_x", 6.0, 6.25, 0),
        Event("compute", "turbulence", 6.25, 7.25, 1),  # goes on, and flow_x is not needed yet
        Event("compute", "tracer_flow", 7.25, 8.25, 1),
    ]
    booking = book(events, Writers(stages), undivided=False)
    momentum = [booking["layer_momentum_x", what] for what in ("red", "update", "wait")]
    assert momentum == [1.0, 0.5, 2.25]
    mixing = [booking.sum(what, "turbulence") for what in ("green", "red", "halo")]
    assert mixing == [3.0, 0.0, 0.0]
    assert booking["tracer_flow", "red"] == 1.0
    assert booking["layers_before", "update"] == 0.5
    assert booking.sum("halo", timer="momentum_3d") == 2.75


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--sizes", "60"], "--sizes"),
        (["--sizes", "3x60"], "--sizes"),
        (["--strategy", "hope"], "--strategy"),
        (["--policy", "all"], "--policy"),
        (["--levels", "1"], "--levels"),
    ],
)
def test_wrong_requests_are_refused_by_name(arguments: list[str], named: str, parse: Parse) -> None:
    with pytest.raises(UserError, match=named):
        parse("getm", arguments, 2)
