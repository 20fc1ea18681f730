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
from lapwing_lab.simulate import simgrid
from lapwing_lab.simulate.simulate import simulate
from lapwing_lab.simulate.work import SimulationRequest, make_work

# the fixture in conftest.py
Lapwing = Callable[..., Any]
EndsBySignal = Callable[..., str]  # likewise

MACHINES = Path(simgrid.__file__).parents[1] / "machine" / "machines"


def free_cluster(folder: Path) -> str:
    """GETM's cluster, whose messages cost the processor nothing."""
    source = MACHINES / "getm-cluster.toml"
    head, _, tail = source.read_text().partition("[packing]")
    path = folder / "free.toml"
    path.write_text(head + "[[compute" + tail.partition("[[compute")[2])
    return str(path)


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
    # 74.6 s over 43200 steps of the report, which is not the column that costs were fitted to
    assert plain["compute"] == pytest.approx(74.60 / 43200, rel=0.03)
    for result in (plain, dataflow):
        assert len(result["samples"]) == 3
        # a step has two or three rounds, one after the other, each of some messages
        assert 2 * 65e-6 < result["alone"] < 900e-6
        assert max(result["compute"], result["alone"]) <= result["median"] * (1 + 1e-9)
    # latency is hidden, what messages cost the processor cannot be
    assert dataflow["hidden"] >= 0.4
    assert dataflow["median"] < 0.97 * (dataflow["compute"] + dataflow["alone"])


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_blocking_hides_nothing_and_says_so(tmp_path: Path) -> None:
    """Every transport; half the ranks' messages stay in a node.

    Exchanges are literal: what leaves ahead of its step would travel between two steps.
    """
    for transport in ("p2p", "persistent"):
        literal = ("exchanges.policy=literal",)
        asked = request(ranks=8, strategies=("blocking",), transport=transport, sets=literal)
        simulation = simulate(asked)
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
    ("case", "sets", "message"),
    [
        ("coast-60x60", ("grid.cells_x=9",), "--set: got grid.cells_x=9; .*exchanges.policy"),
        ("coast-60x60", ("exchanges.policy=some",), "got some; expected needed or literal"),
    ],
)
def test_what_boxes_do_not_take_is_refused(case: str, sets: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_work(request(case, 4, sets=sets))


def test_literal_exchanges_are_told(tmp_path: Path) -> None:
    """Of boxes those of the work, of cases those that they list."""
    literal = ("exchanges.policy=literal",)
    box = make_work(request("tracer-20x20", 4, sets=literal)).document["tracer"]["listed"]
    assert box == [["update_x", "tracer"], ["update_y", "tracer"], ["update_z", "tracer"]]
    case = make_work(request("kelvin", 4, sets=literal)).document["coast"]["listed"]
    assert ("open_boundary", "sea_level") in case
    assert make_work(request("kelvin", 4)).document["coast"]["listed"] == []


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_literal_exchanges_go_to_all_eight_neighbours() -> None:
    found = {}
    for policy in ("needed", "literal"):
        asked = request(
            "coast-20x20", 9, strategies=("blocking",), steps=4, samples=1, alone=False,
            sets=(f"exchanges.policy={policy}",),
        )  # fmt: skip
        simulation = simulate(asked)
        assert not simulation.disagreeing()
        found[policy] = simulation.results[1]
    # three fields, each two cells wide: to the sides and the corners of the rank in the middle
    assert found["literal"].messages == 3 * 8
    assert found["literal"].bytes == 3 * 8 * (4 * 2 * 20 + 4 * 2 * 2)
    assert found["needed"].messages < 3 * 8
    assert found["needed"].checksum == found["literal"].checksum


COSTS = """
[nodes]
count = 4
ranks_per_node = 2
[network]
latency = "20 us"
bandwidth = "1 Gbit/s"
[node]
latency = "1 us"
bandwidth = "4 GB/s"
"""
STAGES = """
[[compute.coast]]
box = [20, 20]
other = "100 ns"
[[compute.weather]]
box = [20, 20]
other = "5 ns"
"""


def costing(folder: Path, name: str, *tables: str) -> str:
    path = folder / f"{name}.toml"
    path.write_text("\n".join((COSTS, *tables, STAGES)))
    return str(path)


def alone_of(machine: str, case: str = "coast-20x20", ranks: int = 4, **others: Any) -> float:
    """The chain of dependent communication of a blocking step, s."""
    asked = SimulationRequest(case, machine, ranks, ("blocking",), steps=4, samples=1, **others)
    simulation = simulate(asked)
    assert not simulation.disagreeing()
    return next(one for one in simulation.results if one.method == "blocking").alone


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_a_message_costs_what_the_machine_file_says(tmp_path: Path) -> None:
    """Each number alone makes the chain longer by what can be worked out."""
    messages = '[messages.mpich.{link}]\nsend = "{send}"\nreceive = "{receive}"\n{more}'

    def tables(send: str = "0 us", receive: str = "0 us", more: str = "") -> str:
        links = ("network", "node")
        return "".join(
            messages.format(link=link, send=send, receive=receive, more=more) for link in links
        )

    free = alone_of(costing(tmp_path, "free", tables()))
    # without a table messages cost nothing either, and none waits for its receive to be posted
    assert free == pytest.approx(alone_of(costing(tmp_path, "none")), rel=0.01)
    sending = alone_of(costing(tmp_path, "sending", tables(send="50 us")))
    assert sending > free + 2 * 50e-6  # at least two messages in a chain of a step
    receiving = alone_of(costing(tmp_path, "receiving", tables(receive="50 us")))
    assert receiving > free + 2 * 50e-6
    bytes_ = alone_of(costing(tmp_path, "bytes", tables(more='send_byte = "100 ns/byte"\n')))
    assert bytes_ > free + 2 * 20 * 8 * 100e-9
    packing = alone_of(costing(tmp_path, "packing", '[packing]\nrow = "5 us"\n'))
    assert packing > free + 20 * 5e-6  # a side along x has a row per cell
    slow = 'bandwidth_by_size = [["64 bytes", "1 MB/s"], ["1 MiB", "1 MB/s"]]\n'
    slower = alone_of(costing(tmp_path, "slow", tables(more=slow)))
    assert slower > free + 2 * 20 * 8 / 1e6
    late = alone_of(costing(tmp_path, "late", tables(more='noise = "100 us"\n')))
    assert late > free + 100e-6
    assert late == alone_of(costing(tmp_path, "late", tables(more='noise = "100 us"\n')))


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_long_messages_wait_for_calls(tmp_path: Path) -> None:
    """Above the eager limit a message is hidden only where MPI is called while it waits."""
    step = {}
    for progress in ("background", "calls"):
        table = "".join(
            f'[messages.mpich.{link}]\nsend = "0 us"\nreceive = "0 us"\n'
            f'eager_limit = "64 bytes"\nprogress = "{progress}"\n'
            for link in ("network", "node")
        )
        machine = costing(tmp_path, progress, table)
        for transport in ("p2p", "persistent"):
            asked = SimulationRequest(
                "coast-20x20", machine, 8, ("blocking", "dataflow", "dataflow:4"), transport,
                steps=4, samples=1,
            )  # fmt: skip
            simulation = simulate(asked)
            assert not simulation.disagreeing()
            for one in simulation.results:
                step[progress, transport, one.method] = one.step
    for transport in ("p2p", "persistent"):
        blocking = [step[progress, transport, "blocking"] for progress in ("background", "calls")]
        # a question and an answer before each round of messages between nodes
        assert blocking[1] > blocking[0] + 2 * 2 * 20e-6
        # the step by hand computes its interior without a call
        assert step["calls", transport, "plain"] > step["background", transport, "plain"]


@pytest.mark.simgrid
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("case", "ranks", "sets"),
    [
        ("kelvin3d-small", 4, ()),
        ("kelvin3d-small", 4, ("exchanges.policy=literal",)),
        ("shelf3d-small", 4, ("physics.drying=true",)),
        ("kelvin-small", 4, ("physics.drying=true",)),
        ("jet-small", 4, ()),
        ("jet-small", 4, ("time.scheme=semi-implicit", "time.step=300")),
        ("jet-small", 4, ("dynamics.diffusion=1e16", "dynamics.diffusion_scheme=implicit")),
    ],
)
def test_any_model_simulates(tmp_path: Path, case: str, ranks: int, sets: tuple[str, ...]) -> None:
    machine = costing(tmp_path, "costs")
    asked = SimulationRequest(
        case, machine, ranks, ("blocking", "dataflow"), steps=2, samples=1, sets=sets
    )
    simulation = simulate(asked)
    assert not simulation.disagreeing()
    for one in simulation.measured():
        # ranks need not be in step where the time begins
        assert one.step >= 0.999 * one.compute > 0


def test_stages_without_costs_are_named(tmp_path: Path) -> None:
    machine = tmp_path / "coast.toml"
    machine.write_text(COSTS + '[[compute.coast]]\nbox = [20, 20]\nmomentum = "100 ns"\n')
    with pytest.raises(UserError, match=r"nothing for continuity; .*stage_costs.py"):
        simulate(SimulationRequest("coast-20x20", str(machine), 4, ("blocking",)))


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_networks_of_other_shapes(tmp_path: Path) -> None:
    """Two clusters on a slow link, a torus, a fat tree, and nodes of two speeds."""
    network = '[network]\nlatency = "20 us"\nbandwidth = "1 Gbit/s"\n'
    link = 'latency = "20 us"\nbandwidth = "1 Gbit/s"\n'
    group = f"[[group]]\nnodes = 2\n{link}"
    shapes = {
        "switch": network,
        "torus": f"{network}torus = [2, 2]\n",
        "tree": f"{network}fat_tree = {{ down = [2, 2], up = [1, 1] }}\n",
        "groups": f'{group}{group}[joint]\nlatency = "1 ms"\nbandwidth = "1 Gbit/s"\n',
    }
    head = COSTS.partition("[network]")[0]
    node = "[node]" + COSTS.partition("[node]")[2]
    found = {}
    for name, text in shapes.items():
        path = tmp_path / f"{name}.toml"
        path.write_text("\n".join((head, text, node, STAGES)))
        found[name] = alone_of(str(path), ranks=8)
    # two messages of a chain cross between the groups, in place of links that they would have had
    assert found["groups"] > found["switch"] + 2 * (1e-3 - 20e-6)
    assert found["torus"] > 0
    assert found["tree"] > 0
    slow = tmp_path / "slow.toml"
    speeds = head.replace("count = 4", "count = 4\nspeeds = [[2, 1.0], [2, 0.5]]")
    slow.write_text("\n".join((speeds, network, node, STAGES)))
    step = {}
    for weighted in (False, True):
        asked = SimulationRequest(
            "coast-20x20", str(slow), 8, ("blocking",), steps=4, samples=1, weighted=weighted
        )
        simulation = simulate(asked)
        assert not simulation.disagreeing()
        step[weighted] = simulation.results[1].compute
    assert step[False] == pytest.approx(3 * 400 * 1e-7 / 0.5, rel=1e-3)
    assert step[True] < 0.75 * step[False]


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_arrivals_and_messages_need_not_wait_for_a_long_tile(tmp_path: Path) -> None:
    """A box that fits into one tile hides all where it is cut; `auto` finds that out."""
    names = ("blocking", "dataflow", "dataflow:4", "auto")
    asked = SimulationRequest("coast-40x24", free_cluster(tmp_path), 12, names)
    simulation = simulate(asked)
    assert not simulation.disagreeing()
    _, blocking, whole, cut, auto = simulation.results
    assert simulation.hidden(cut) >= 0.94  # three quarters of the computing are between steps
    assert simulation.hidden(whole) < simulation.hidden(cut)
    assert auto.step <= 1.03 * min(blocking.step, whole.step, cut.step)
    assert "dataflow:4" in auto.choice


@pytest.mark.simgrid
@pytest.mark.timeout(900)
def test_a_tracer_has_layers_and_hides_its_halos(tmp_path: Path) -> None:
    asked = SimulationRequest(
        "tracer-20x20", free_cluster(tmp_path), 4, ("dataflow", "dataflow:4"), steps=2
    )
    simulation = simulate(asked)
    assert not simulation.disagreeing()
    plain, whole, cut = simulation.results
    # 60 layers and ten stages of a few tens of ns
    assert plain.compute > 400 * 60 * 10 * 2e-8
    assert simulation.hidden(whole) >= 0.95
    # short rows cost more, so a box that is cut in four computes for longer; messages stay hidden
    assert cut.compute > plain.compute
    assert min(cut.samples) - cut.compute <= 0.05 * min(cut.chain)


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
    text = (MACHINES / "lbm-xe6.toml").read_text()
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
