"""Machine files of the reports: what the reports say of their machines, in step times."""

from __future__ import annotations

import math

import pytest
from lapwing.base.error import UserError
from lapwing_lab.machine.charges import node_of, rank_speeds, require_room
from lapwing_lab.machine.machine import load_machine, machine_names
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.events import forecast_machine
from lapwing_lab.predict.predict import predict
from lapwing_lab.simulate import simulate

DYN = "lapwing_lab.reproduce.dyn:Dyn"


def entries(case: str, machine: str, ranks: int, *strategies: str) -> list[Entry]:
    return predict(PredictionRequest(case, machine, (ranks,), strategies)).entries


def test_a_quarter_of_getms_tide_can_hide_messages() -> None:
    # Table A1, 60x60: of 74.60 s without halos, momentum has 17.26 and sealevel 1.43
    stages = load_machine("getm-cluster").computing("coast", (60, 60)).stages
    flat = ("momentum_x", "momentum_y", "continuity", "between_steps")
    cells = {name: stages[name].widened((60, 60)).cell for name in flat}
    hides = 1 - cells["between_steps"] / sum(cells.values())
    assert hides == pytest.approx((17.26 + 1.43) / 74.60, abs=0.01)


@pytest.mark.parametrize(("box", "ranks"), [("60x60", 16), ("40x24", 60)])
def test_time_between_steps_is_charged_and_hides_nothing(box: str, ranks: int) -> None:
    blocking, zones = entries(f"coast-{box}", "getm-cluster", ranks, "blocking", "edge-first")
    reported = {"60x60": 74.60, "40x24": 23.57}[box]  # s of 43200 steps, Table 5-1
    assert blocking.compute == pytest.approx(reported / 43200, rel=0.05)
    # what hides the most takes at least the time that nothing can hide behind
    hideable = 0.26 * blocking.compute
    assert blocking.step - zones.step <= hideable


def test_the_closed_form_knows_the_time_between_steps() -> None:
    request = PredictionRequest("coast-60x60", "getm-cluster", (16,), model="closed-form")
    (found,) = predict(request).entries
    assert found.compute == pytest.approx(74.60 / 43200, rel=0.05)


@pytest.mark.parametrize("name", machine_names())
def test_without_an_eager_limit_no_message_waits_for_its_receive(name: str) -> None:
    machine = load_machine(name)
    limits = [cost.eager_limit for cost in machine.message_costs(None).links.values()]
    limit = min(limits, default=math.inf)
    options = simulate._options(machine, None)
    forecast = forecast_machine(machine, None)
    for key in ("async-small-thresh", "send-is-detached-thresh"):
        assert float(options[f"smpi/{key}"]) == pytest.approx(min(limit, 2**30), abs=2)
    assert (forecast.eager, forecast.detached) == (limit, limit)


@pytest.mark.parametrize("ranks", [4, 16, 36, 64])
def test_half_of_the_ranks_are_on_each_of_two_clusters(ranks: int) -> None:
    machine = load_machine("das3-two-clusters")
    nodes = [node_of(machine, rank, ranks) for rank in range(ranks)]
    assert len(set(nodes)) == ranks
    assert [machine.shape.group_of(node) for node in nodes] == [
        int(2 * rank >= ranks) for rank in range(ranks)
    ]
    assert rank_speeds(machine, ranks) == [1.0] * (ranks // 2) + [1.08] * (ranks // 2)


def test_the_smaller_of_two_clusters_limits_both() -> None:
    machine = load_machine("das3-two-clusters")
    require_room(machine, 64)
    with pytest.raises(UserError, match="at most 64"):
        require_room(machine, 65)


def test_two_clusters_are_slower_than_one() -> None:
    names = ("das3-ethernet", "das3-two-clusters")
    one, two = (entries(DYN, name, 64, "6s")[0] for name in names)
    assert two.step > 1.05 * one.step


def test_a_call_of_the_weather_stages_costs_as_much_as_the_routine() -> None:
    machine = load_machine("das3-ethernet")
    stages = machine.computing("weather", (30, 30)).stages
    calls = sum(cost.call for name, cost in stages.items() if name != "relaxation")
    assert calls == pytest.approx(machine.computing(DYN, (30, 30)).stages["dyn"].call, rel=0.02)


@pytest.mark.parametrize(
    "name", ["das3-ethernet", "das3-myrinet", "das3-two-clusters", "das3-myrinet-tcp"]
)
def test_splitting_a_box_costs_what_the_report_says(name: str) -> None:
    # section 5.1: less than 5 % at 4 ranks, almost 20 % at 64
    for ranks, low, high in ((4, 0.002, 0.05), (64, 0.15, 0.20)):
        whole, split = entries(DYN, name, ranks, "blocking", "6s")
        assert low < split.compute / whole.compute - 1 < high


def test_the_vector_machine_has_sixty_processors() -> None:
    machine = load_machine("nec-sx6")
    require_room(machine, 60)
    assert [node_of(machine, rank, 60) for rank in (0, 7, 8, 55, 56, 59)] == [0, 0, 1, 6, 7, 7]
    with pytest.raises(UserError, match="at most 60"):
        require_room(machine, 61)


def test_relaxation_runs_on_the_frame_alone() -> None:
    # Table 7-1, 8 processors: 241.81 s of 40 steps
    stages = load_machine("nec-sx6").computing("weather", (602, 71)).stages
    frame = 1 - (602 - 16) * (568 - 16) / (602 * 568)
    cell = sum((frame if name == "relaxation" else 1) * s.cell for name, s in stages.items())
    row = sum(cost.row for cost in stages.values())
    seconds = 40 * 602 * 71 * 60 * (cell + row / 602)
    assert seconds == pytest.approx(241.81, rel=0.005)
