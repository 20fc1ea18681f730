"""`lapwing predict`: against what can be worked out by hand, and what real ranks plan."""

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.core import _core
from lapwing.core.partition import Grid
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.predict.amdahl import amdahl
from lapwing_lab.predict.entry import Entry, PredictionRequest
from lapwing_lab.predict.outlines import outline_of_rank, outlines_of
from lapwing_lab.predict.predict import parse_ranks, predict
from lapwing_lab.predict.report import print_prediction
from lapwing_lab.predict.subject import Cut, subject_of

# the fixture in conftest.py
Lapwing = Callable[..., Any]

# every cell of a stage 1 us, messages 1 ms and 1 MB/s, none of it on the processor
SIMPLE = """
[nodes]
count = 8192
ranks_per_node = 2
[network]
latency = "1 ms"
bandwidth = "1 MB/s"
[node]
latency = "1 ms"
bandwidth = "1 MB/s"
[[compute.coast]]
box = [60, 60]
momentum_x = "1 us"
momentum_y = "1 us"
continuity = "1 us"
"""


def machine(folder: Path, text: str = SIMPLE) -> str:
    path = folder / "simple.toml"
    path.write_text(text)
    return str(path)


def entry(case: str, machine: str, ranks: int, strategy: str = "blocking", **more: Any) -> Entry:
    return predict(PredictionRequest(case, machine, (ranks,), (strategy,), **more)).entries[0]


def test_one_rank_computes_and_nothing_else(tmp_path: Path) -> None:
    found = entry("coast-60x60", machine(tmp_path), 1)
    assert found.step == pytest.approx(3 * 60 * 60 * 1e-6)
    assert (found.waiting, found.messages, found.bytes) == (0, 0, 0)


def test_two_ranks_wait_for_latency_and_bytes(tmp_path: Path) -> None:
    found = entry("coast-60x60", machine(tmp_path), 2)
    cells = 3 * 60 * 60 * 1e-6
    # rows of 60 values and 16 bytes with every message: across a cut along y three exchanges in a
    # step that begins with momentum_x, two in one that begins with momentum_y; of two steps one
    # message that goes one way alone arrives while its receiver still waits for another
    message = 1e-3 + (60 * 8 + 16) / 1e6
    assert found.step == pytest.approx(cells + 2 * message, rel=1e-6)
    assert found.bytes == 1.5 * 60 * 8


def test_links_of_a_torus_and_of_a_fat_tree_take_their_latency(tmp_path: Path) -> None:
    cells, bytes_ = 3 * 60 * 60 * 1e-6, (60 * 8 + 16) / 1e6
    alone = SIMPLE.replace("ranks_per_node = 2", "ranks_per_node = 1")
    for shape, latency in (
        ("torus = [2, 64, 64]", 1e-3),  # neighbours
        ("fat_tree = { down = [64, 128], up = [1, 16] }", 1e-3),  # below one switch
        ("fat_tree = { down = [1, 8192], up = [1, 1] }", 2e-3),  # each has a switch of its own
    ):
        file = machine(tmp_path, alone.replace("[network]", f"[network]\n{shape}"))
        found = entry("coast-60x60", file, 2)
        assert found.step == pytest.approx(cells + 2 * (latency + bytes_), rel=1e-6)


def test_costs_of_the_processor_are_added(tmp_path: Path) -> None:
    free = entry("coast-60x60", machine(tmp_path), 2)
    costs = '[messages.mpich.node]\nsend = "2 ms"\nreceive = "3 ms"\n[packing]\nrow = "1 us"\n'
    charged = entry("coast-60x60", machine(tmp_path, SIMPLE + costs), 2)
    assert charged.processor > 0
    assert charged.step > free.step + 5e-3
    assert free.processor == 0


def test_short_messages_get_less_of_the_bandwidth(tmp_path: Path) -> None:
    free = '[messages.mpich.node]\nsend = "0 s"\nreceive = "0 s"\n'
    slow = free + 'bandwidth_by_size = [["100 bytes", "0.1 MB/s"], ["1 kB", "0.1 MB/s"]]\n'
    # bytes are ten times as long on the way, of two messages per step: short ones need no receive
    more = 2 * 9 * (60 * 8 + 16) / 1e6
    steps = [entry("coast-60x60", machine(tmp_path, SIMPLE + one), 2).step for one in (free, slow)]
    assert steps[1] == pytest.approx(steps[0] + more, rel=1e-6)


def test_strategies_hide_what_messages_take(tmp_path: Path) -> None:
    file = machine(tmp_path)
    steps = {name: entry("coast-60x60", file, 16, name).step for name in ("blocking", "dataflow")}
    assert steps["dataflow"] == pytest.approx(3 * 60 * 60 * 1e-6, rel=0.02)
    assert steps["blocking"] > steps["dataflow"] + 2e-3


def test_ranks_that_are_alike_have_the_outlines_of_their_own(tmp_path: Path) -> None:
    subject = subject_of("coast-20x20")
    cut = subject.cut(load_machine(machine(tmp_path)), 42)
    few = outlines_of(cut, subject.make(cut.pattern or cut), "dataflow", 2)
    for rank in (0, 5, 17, 41):
        alone = Cut(cut.grid, cut.blocks, cut.partition)
        own = outlines_of(alone, subject.make(alone), "dataflow", 2)
        mine, theirs = few.outlines[few.of_rank[rank]], own.outlines[own.of_rank[rank]]
        assert sorted(few.peers[rank]) == sorted(own.peers[rank])
        assert (mine.messages, mine.bytes) == (theirs.messages, theirs.bytes)


def _cells(outline: Any) -> list[float]:
    """The cells of each task of the first step."""
    return [task["cells"] for task in outline.data()["steps"][0]["tasks"]]


def test_ranks_with_other_coasts_have_outlines_of_their_own(tmp_path: Path) -> None:
    cells = {}
    for skips in ("true", "false"):
        subject = subject_of("northsea", (f"run.skip_land={skips}",))
        cut = subject.cut(load_machine(machine(tmp_path)), 6)
        found = outlines_of(cut, subject.make(cut), "blocking", 1)
        for rank in range(6):
            own = outline_of_rank(cut.partition, subject.make(cut), "blocking", rank, 1)
            mine, theirs = map(_cells, (found.outlines[found.of_rank[rank]], own))
            assert mine == theirs
            cells[skips, rank] = sum(mine)
    assert sum(cells["true", rank] for rank in range(6)) < 0.8 * sum(
        cells["false", rank] for rank in range(6)
    )


def test_thousands_of_ranks_take_seconds(tmp_path: Path) -> None:
    begin = time.monotonic()
    found = entry("coast-60x60", machine(tmp_path), 4096, "dataflow")
    assert time.monotonic() - begin < 60
    assert found.ranks == 4096
    assert found.step == pytest.approx(found.compute, rel=0.01)


def test_a_case_on_more_ranks_gets_faster_until_latency(tmp_path: Path) -> None:
    found = predict(PredictionRequest("kelvin", machine(tmp_path), (1, 4, 16), ("dataflow",)))
    steps = [one.step for one in found.entries]
    assert steps == sorted(steps, reverse=True)
    assert found.speed_up(found.entries[0]) == 1
    assert found.efficiency(found.entries[-1]) < 1 + 1e-9


def test_the_closed_form_adds_computing_latencies_and_bytes(tmp_path: Path) -> None:
    found = entry("coast-60x60", machine(tmp_path), 2, model="closed-form")
    rounds = 3  # exchanges along one axis
    expected = 3 * 60 * 60 * 1e-6 + rounds * 1e-3 + 2 * 60 * 8 / 1e6
    assert found.step == pytest.approx(expected, rel=0.02)
    # latency of the formula is that of a ping-pong, with the calls at both ends
    calls = "".join(
        f'[messages.mpich.{link}]\nsend = "300 us"\nreceive = "200 us"\n'
        for link in ("network", "node")
    )
    costly = entry("coast-60x60", machine(tmp_path, SIMPLE + calls), 2, model="closed-form")
    assert costly.step == pytest.approx(found.step + rounds * 500e-6)
    with pytest.raises(UserError, match="hides nothing"):
        entry("coast-60x60", machine(tmp_path), 2, "dataflow", model="closed-form")


def test_amdahl_finds_the_serial_fraction() -> None:
    ranks = (1, 4, 16, 64)
    assert amdahl(ranks, [0.1 + 0.9 / n for n in ranks]) == pytest.approx(0.1)
    assert amdahl(ranks, [1 / n for n in ranks]) == pytest.approx(0, abs=1e-12)
    assert math.isnan(amdahl((4,), [1.0]))


def test_numbers_of_ranks_are_read() -> None:
    assert parse_ranks("16, 64,16") == (16, 64)
    for text in ("", "0", "4x4", "-1", "9999999999"):
        with pytest.raises(UserError, match="--ranks"):
            parse_ranks(text)


def test_what_cannot_be_predicted_is_refused_by_name(tmp_path: Path) -> None:
    file = machine(tmp_path)
    for case, strategy, ranks, words in (
        ("coast-60x60", "blocking", 100_000, "at most 16384"),
        ("coast-60x60", "auto", 2, "by measurement"),
        ("coast-60x60", "fast", 2, "--strategy"),
        ("jet", "blocking", 2, "stage_costs.py"),
        ("kelvin3d-small", "blocking", 2, "stage_costs.py"),
        ("nothing", "blocking", 2, "nothing"),
    ):
        with pytest.raises(UserError, match=words):
            entry(case, file, ranks, strategy)


def test_stages_that_tasks_do_not_show_are_refused(tmp_path: Path) -> None:
    file = machine(tmp_path, SIMPLE + '[[compute.weather]]\nbox = [20, 20]\nother = "1 us"\n')
    for case, setting, stage in (
        ("jet-small", "time.scheme=semi-implicit", "implicit_source"),
        ("kelvin-small", "physics.drying=true", "brake"),
    ):
        with pytest.raises(UserError, match=f"stage {stage}.*lapwing simulate"):
            entry(case, file, 4, sets=(setting,))


def test_halos_that_return_are_priced(tmp_path: Path) -> None:
    file = machine(tmp_path, SIMPLE + '[[compute.lattice]]\nbox = [9, 9, 9]\nother = "1 us"\n')
    found = entry("taylor-green", file, 4, sets=("lattice.kernel=in-place",))
    assert found.messages == 3
    assert found.step > found.compute + 1e-3


def test_a_domain_stands_in_for_one_rank_only() -> None:
    from lapwing.core.domain import Domain, Exchange
    from lapwing.core.mpi_runtime import start
    from lapwing.core.partition import block_partition

    alone = start().COMM_SELF
    partition = block_partition(Grid((12, 8)), (3, 2))
    domain = Domain(partition, alone, in_place_of=4)
    assert (domain.rank, domain.ranks) == (4, 6)
    assert domain.box == _core.Box((4, 4, 0), (8, 8, 1))
    Exchange([domain.field("v", halo=1)], transport="p2p").run()  # nothing travels
    domain.close()
    with pytest.raises(UserError, match="0 to 5"):
        Domain(partition, alone, in_place_of=6)


def test_a_node_of_another_machine_may_hold_more_than_this_one() -> None:
    import lapwing
    from lapwing.core.domain import Domain
    from lapwing.core.mpi_runtime import start
    from lapwing.core.partition import block_partition

    nodes = block_partition(Grid((64 * 6000, 64 * 5600)), (64, 64))  # 1.1 TB for a field
    domain = Domain(nodes, start().COMM_SELF, ranks_per_node=4096, in_place_of=70)
    a, b = domain.field("a"), domain.field("b")
    stage = lapwing.Stage(
        lambda box, *_: None, name="s", reads=[(a, lapwing.around(1))], writes=[b]
    )
    lapwing.Step(domain, [stage], strategy="blocking")  # no memory is touched
    assert a.owned.shape == b.owned.shape == (6000, 5600)
    domain.close()


def test_the_command_tells_table_reasons_picture_and_json(tmp_path: Path, lapwing: Lapwing) -> None:
    files = tmp_path / "p.json", tmp_path / "p.png"
    options = ("--ranks", "4,16", "--strategy", "blocking,dataflow", "--explain")
    output = lapwing(
        "predict", "kelvin", "--machine", machine(tmp_path), *options,
        "--json", str(files[0]), "--plot", str(files[1]),
    ).out  # fmt: skip
    assert "efficiency" in output
    assert "waits least" in output
    assert "serial fraction" in output
    report = json.loads(files[0].read_text())
    assert report["schema"] == "lapwing-predict-1"
    keys = {"ranks", "strategy", "step_seconds", "compute", "halo", "slowest_rank"}
    assert all(keys <= set(row) for row in report["entries"])
    assert files[1].read_bytes().startswith(b"\x89PNG")


def test_messages_without_land_are_priced_whole() -> None:
    """Ranks that are alike in their tasks may differ in the land of their messages."""
    told = [
        predict(PredictionRequest("northsea", "infiniband", (100,), ("blocking",), sets=sets))
        for sets in ((), ("run.wet_messages=lists",))
    ]
    assert told[0].entries == told[1].entries


def test_the_closed_form_explains_no_rank(capsys: pytest.CaptureFixture[str]) -> None:
    request = PredictionRequest("coast-60x60", "office", (16,), model="closed-form")
    print_prediction(predict(request), explain=True)
    assert "16 ranks: the closed form knows no ranks" in capsys.readouterr().out


MEMORY = """
[memory]
cache = "{cache}"
bandwidth = "1 MB/s"
core_bandwidth = "1 MB/s"
"""


def memory_bytes(case: str, name: str, strategy: str) -> float:
    """Bytes per step that stages load and store where no field stays in a cache, counted here."""
    loaded = load_machine(name)
    subject = subject_of(case)
    cut = subject.cut(loaded, 1)
    found: dict[str, Any] = (
        outlines_of(cut, subject.make(cut.pattern or cut), strategy, 1).outlines[0].data()
    )
    sizes = [size for _, size in found["fields"]]
    total = 0.0
    for step in found["steps"]:
        for task in step["tasks"]:
            if task["kind"] == "compute":
                written = set(step["writes"][task["entry"]])
                read = set(step["reads"][task["entry"]]) - written
                cells = math.prod(hi - lo for lo, hi in zip(*task["box"], strict=True))
                total += cells * (sum(sizes[f] for f in read) + 2 * sum(sizes[f] for f in written))
    steps: int = sum(step["steps"] for step in found["steps"])
    return total / steps


def test_fields_that_outgrow_the_cache_cost_what_memory_takes(tmp_path: Path) -> None:
    in_cache = entry("coast-60x60", machine(tmp_path), 1).step
    roomy = machine(tmp_path, SIMPLE + MEMORY.format(cache="1 GiB"))
    assert entry("coast-60x60", roomy, 1).step == pytest.approx(in_cache)
    tiny = machine(tmp_path, SIMPLE + MEMORY.format(cache="1 kB"))
    bytes_of_step = memory_bytes("coast-60x60", tiny, "blocking")
    assert bytes_of_step > 60 * 60 * 3 * 3 * 8  # each stage reads at least a field and writes one
    assert entry("coast-60x60", tiny, 1).step == pytest.approx(in_cache + bytes_of_step / 1e6)


def test_tiles_save_passes_over_memory(tmp_path: Path) -> None:
    """A cache with room for some rows of all fields, but not for the box."""
    name = machine(tmp_path, SIMPLE + MEMORY.format(cache="60 kB"))
    steps = {
        strategy: entry("coast-60x60", name, 1, strategy).step
        for strategy in ("blocking", "tiled(4)", "deep(4)+tiled(4)")
    }
    assert steps["tiled(4)"] < 0.8 * steps["blocking"]
    assert steps["deep(4)+tiled(4)"] < 0.8 * steps["tiled(4)"]


def test_steps_of_a_pass_are_priced_as_as_many_steps(tmp_path: Path) -> None:
    name = machine(tmp_path)
    several = entry("coast-60x60", name, 4, "deep(2)")
    tiled = entry("coast-60x60", name, 4, "deep(2)+tiled(8)")
    assert tiled.compute == pytest.approx(several.compute)
    assert (tiled.messages, tiled.bytes) == (several.messages, several.bytes)
    assert several.compute <= tiled.step <= several.step  # tiles hide messages besides
