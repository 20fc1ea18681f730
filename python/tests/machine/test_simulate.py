"""`lapwing simulate`: real code in simulated time, against what can be worked out by hand."""

import json
import math
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.machine.simulate import simgrid
from lapwing.machine.simulate.simulate import simulate
from lapwing.machine.simulate.work import SimulationRequest, make_work

# the fixture in conftest.py
Lapwing = Callable[..., Any]
EndsBySignal = Callable[..., str]  # likewise


def request(case: str = "coast-60x60", ranks: int = 4, **others: Any) -> SimulationRequest:
    return SimulationRequest(case, "getm-cluster", ranks, **others)


def test_version_is_the_pinned_one() -> None:
    root = Path(__file__).resolve().parents[3]
    assert f"simgrid=={simgrid.VERSION} " in (root / "requirements" / "simgrid.txt").read_text()


@pytest.mark.parametrize(
    ("case", "ranks", "grid", "blocks"),
    [
        ("coast-60x60", 16, (240, 240), (4, 4)),
        ("coast-40x40", 36, (240, 240), (6, 6)),
        ("coast-40x24", 60, (240, 240), (6, 10)),
        ("tracer-24x40", 60, (240, 240), (10, 6)),
    ],
)
def test_boxes_make_the_sea_of_the_report(
    case: str, ranks: int, grid: tuple[int, int], blocks: tuple[int, int]
) -> None:
    work = make_work(request(case, ranks))
    assert (work.grid, work.blocks) == (grid, blocks)
    assert f"{work.box[0]}x{work.box[1]}" == case.partition("-")[2]


def test_a_case_is_cut_as_asked(tmp_path: Path) -> None:
    cube = ("grid.cells_x=48", "grid.cells_y=40", "grid.cells_z=36")
    work = make_work(request("lbm-350", 12, sets=cube, blocks=(1, 3, 4)))
    assert (work.model, work.grid, work.box) == ("lattice", (48, 40, 36), (48, 14, 9))
    assert work.document["grid"] == {"size": [48, 40, 36], "periodic": [True, True, True]}
    assert work.document["blocks"] == [1, 3, 4]
    assert make_work(request("lbm-350", 12, sets=cube)).blocks == (3, 2, 2)
    for case, blocks, message in (
        ("lbm-350", (1, 3, 3), "--blocks: got 1x3x3 = 9 blocks; expected 12"),
        ("lbm-350", (2, 6), None),
        ("taylor-green", (1, 1, 12), "blocks"),  # of 4 cells: some would be empty
        ("coast-60x60", (3, 4), "--blocks: .*none with a box per rank"),
    ):
        asked = request(case, 12, sets=cube if case == "lbm-350" else (), blocks=blocks)
        if message is None:
            assert make_work(asked).blocks == (2, 6, 1)
            continue
        with pytest.raises(UserError, match=message):
            make_work(asked)


def test_a_transport_that_smpi_lacks_is_refused() -> None:
    with pytest.raises(UserError, match="p2p, persistent"):
        simulate(request(transport="shared"))


def test_without_simgrid_the_remedy_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(UserError, match="make simgrid"):
        simulate(request())


@pytest.mark.simgrid
@pytest.mark.timeout(900)  # the driver may have to be compiled
def test_times_are_those_of_the_machine_file(lapwing: Lapwing, tmp_path: Path) -> None:
    """Computing as charged, messages no faster than the network, one result of all methods."""
    out = tmp_path / "s.json"
    answer = lapwing(
        "simulate", "coast-60x60", "--machine", "getm-cluster", "--ranks", 16,
        "--strategy", "dataflow", "--json", out, timeout=850,
    )  # fmt: skip
    assert answer.code == 0, answer.out
    document = json.loads(out.read_text())
    assert document["schema"] == "lapwing-simulate-1"
    assert document["same_bits"]
    plain, dataflow = document["results"]
    # 74.6 s over 43200 steps of the report
    assert plain["compute"] == pytest.approx(74.60 / 43200, rel=1e-3)
    for result in (plain, dataflow):
        assert len(result["samples"]) == 3
        # a step has two or three rounds, one after the other
        assert 2 * 65e-6 < result["alone"] < 400e-6
        assert max(result["compute"], result["alone"]) <= result["median"] * (1 + 1e-9)
    assert dataflow["hidden"] >= 0.95
    assert dataflow["over_longer"] <= 1.15


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_blocking_hides_nothing_and_says_so(tmp_path: Path) -> None:
    """Every transport; half the ranks' messages stay in a node."""
    for transport in ("p2p", "persistent"):
        simulation = simulate(request(ranks=8, strategies=("blocking",), transport=transport))
        assert not simulation.disagreeing()
        blocking = simulation.results[1]
        assert blocking.step == pytest.approx(blocking.compute + blocking.alone, rel=0.02)
        assert simulation.hidden(blocking) < 0.1


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_a_shipped_case_and_a_wrong_one(tmp_path: Path) -> None:
    simulation = simulate(request("kelvin-small", 4, strategies=("blocking",), steps=4))
    assert not simulation.disagreeing()
    with pytest.raises(UserError, match="strategy"):
        simulate(request("kelvin-small", 4, strategies=("no-such-strategy",)))


@pytest.mark.parametrize(
    ("case", "setting", "remedy"),
    [
        ("kelvin3d", "layers.levels=20", "tracer-60x60"),
        ("kelvin-small", "physics.drying=true", "set physics.drying=false"),
    ],
)
def test_what_a_simulation_would_leave_out_is_refused(case: str, setting: str, remedy: str) -> None:
    with pytest.raises(UserError) as refusal:
        make_work(request(case, 4, sets=(setting,)))
    assert setting.partition("=")[0] in str(refusal.value)
    assert remedy in str(refusal.value)


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_arrivals_and_messages_need_not_wait_for_a_long_tile() -> None:
    """A box that fits into one tile hides all where it is cut; `auto` finds that out."""
    names = ("blocking", "dataflow", "dataflow(4)", "auto")
    simulation = simulate(request("coast-40x24", 12, strategies=names))
    assert not simulation.disagreeing()
    _, blocking, whole, cut, auto = simulation.results
    assert simulation.hidden(cut) >= 0.95
    assert simulation.hidden(whole) < simulation.hidden(cut)
    assert auto.step <= 1.03 * min(blocking.step, whole.step, cut.step)
    assert "dataflow(4)" in auto.choice


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_a_tracer_has_layers_and_hides_its_halos() -> None:
    simulation = simulate(request("tracer-20x20", 4, strategies=("dataflow(4)",), steps=2))
    assert not simulation.disagreeing()
    plain, cut = simulation.results
    # 60 layers and ten stages of a few tens of ns
    assert plain.compute > 400 * 60 * 10 * 2e-8
    assert simulation.hidden(cut) >= 0.95


@pytest.mark.simgrid
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("case", "sets", "bytes_per_cell"),
    [
        ("taylor-green", (), 456),
        ("taylor-green", ("lattice.kernel=in-place",), 304),
        ("cavity-small", (), 456),  # walls: the step by hand too
        ("porous-small", ("lattice.precision=single",), 456),
    ],
)
def test_lattice_cases_end_with_the_same_bits(
    case: str, sets: tuple[str, ...], bytes_per_cell: int
) -> None:
    asked = SimulationRequest(
        case, "lbm-lima", 6, ("blocking", "edge-first", "dataflow"), steps=2, samples=1, sets=sets
    )
    simulation = simulate(asked)
    assert not simulation.disagreeing()
    names = [result.method for result in simulation.results]
    assert ("plain" in names) == (case == "cavity-small")
    work = simulation.work
    cells = math.prod(work.box)
    for result in simulation.results:
        assert result.compute == pytest.approx(cells * bytes_per_cell * 24 / 38.9e9, rel=1e-3)
        # ranks begin a sample of two steps a barrier's latency apart
        assert result.step + 2e-6 > max(result.compute, result.alone)


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_messages_share_a_node(tmp_path: Path) -> None:
    """Twice as many ranks on a node exchange no faster together, where its file says so."""
    text = (Path(simgrid.__file__).parents[1] / "machines" / "lbm-xe6.toml").read_text()
    alone = {}
    for shared in ("true", "false"):
        machine = tmp_path / f"{shared}.toml"
        machine.write_text(text.replace("shared = true", f"shared = {shared}"))
        for ranks in (4, 8):
            sets = (*(f"grid.cells_{axis}=32" for axis in "xy"), f"grid.cells_z={8 * ranks}")
            asked = SimulationRequest(
                "lbm-350", str(machine), ranks, ("blocking",), steps=2, samples=1, sets=sets,
                blocks=(1, 1, ranks),
            )  # fmt: skip
            alone[shared, ranks] = simulate(asked).results[0].alone
    # two messages of 40 bytes per cell of a face and rank
    assert alone["true", 8] > 8 * 2 * 40 * 32 * 32 / 12.5e9
    assert alone["true", 8] / alone["true", 4] == pytest.approx(2, rel=0.15)
    assert alone["false", 8] == pytest.approx(alone["false", 4], rel=0.05)


@pytest.mark.simgrid
@pytest.mark.timeout(300)  # the first one compiles the driver
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_simulator_ends_with_the_command(
    ends_by_signal: EndsBySignal, tmp_path: Path, number: signal.Signals
) -> None:
    simulate(request(ranks=4, steps=2, strategies=("blocking",)))  # the driver is there
    words = ["simulate", "coast-60x60", "--machine", "getm-cluster", "--ranks", "60"]
    err = ends_by_signal(
        number,
        [*words, "--steps", "100000"],
        lambda: simulators_of(tmp_path) != [],
        environment={"TMPDIR": str(tmp_path)},
    )
    assert err.strip() == f"error: ended by {number.name}"
    assert simulators_of(tmp_path) == []
    assert not list(tmp_path.glob("lapwing-simulate-*"))


def simulators_of(folder: Path) -> list[str]:
    """Command lines of the processes that simulate with files of a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has ended
            found.append(process.read_bytes().replace(b"\0", b" ").decode())
    return [line for line in found if "smpimain" in line and f"{folder}/" in line]
