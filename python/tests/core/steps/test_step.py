"""Steps of Python kernels: the bits of NumPy, errors on all ranks, and exceptions of kernels."""

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lapwing.core.names import strategy_names

PROGRAMS = Path(__file__).parents[2] / "mpi_programs"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.timeout(240)  # all strategies, one after the other
@pytest.mark.parametrize(
    ("ranks", "transport"),
    [
        (1, "p2p"),
        (2, "shared"),
        (4, "p2p"),
        pytest.param(2, "p2p", marks=pytest.mark.slow),
        pytest.param(3, "p2p", marks=pytest.mark.slow),
        pytest.param(4, "persistent", marks=pytest.mark.slow),
    ],
)
def test_steps_give_the_bits_of_numpy(run_on_ranks: RunOnRanks, ranks: int, transport: str) -> None:
    program = (PROGRAMS / "steps.py").read_text()
    strategies = ",".join(strategy_names())
    output = run_on_ranks(ranks, program, strategies, transport, timeout=200).stdout
    assert output.count("the bits of NumPy") == ranks


@pytest.mark.timeout(240)
@pytest.mark.parametrize("ranks", [1, pytest.param(2, marks=pytest.mark.slow), 4])
def test_reductions_stages_in_place_and_rims(run_on_ranks: RunOnRanks, ranks: int) -> None:
    program = (PROGRAMS / "stage_kinds.py").read_text()
    output = run_on_ranks(ranks, program, ",".join(strategy_names()), timeout=200).stdout
    assert output.count("the bits of NumPy") == ranks


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_loop_within_a_step_exchanges_once_every_so_many_times(
    run_on_ranks: RunOnRanks, ranks: int
) -> None:
    program = (PROGRAMS / "loops.py").read_text()
    strategies = "blocking,deep:2,deep:3+dataflow,deep:4,edge-first"
    output = run_on_ranks(ranks, program, strategies, timeout=100).stdout
    assert output.count("\n") == 5 * ranks
    # what forcing writes travels once more, as the loop reads it around the owned cells
    for strategy, exchanges in (("blocking", 12.0), ("deep:2", 4.0), ("deep:4", 3.0)):
        assert output.count(f"{strategy} {exchanges}\n") == ranks


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_mistakes_of_one_rank_are_errors_on_all(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, (PROGRAMS / "step_errors.py").read_text()).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


RAISES = """
import sys, lapwing
domain = lapwing.Domain((20, 16), periodic=True)
heat, new = domain.field("heat", halo=8), domain.field("new", halo=8)

def spread(box, heat, new):
    spread.calls += 1
    if spread.calls >= 3 and domain.rank == int(sys.argv[1]):
        raise ArithmeticError("the heat is too high")

spread.calls = 0
reads = [(heat, 1)]
step = lapwing.Step(domain, [lapwing.Stage(spread, reads=reads, writes=[new]),
                             lapwing.Stage(spread, reads=[(new, 1)], writes=[heat], name="back")],
                    strategy=sys.argv[2])
step.run(10)
"""


@pytest.mark.parametrize(
    ("ranks", "strategy"),
    [
        (1, "blocking"),
        *((3, s) for s in ("blocking", "3s", "edge-first", "dataflow", "deep:2", "auto")),
    ],
)
def test_a_kernel_that_raises_on_one_rank_ends_the_job(
    run_on_ranks: RunOnRanks, ranks: int, strategy: str
) -> None:
    began = time.monotonic()
    done = run_on_ranks(ranks, RAISES, str(ranks - 1), strategy, timeout=40, check=False)
    assert time.monotonic() - began < 20
    assert done.returncode != 0
    assert "ArithmeticError: the heat is too high" in done.stdout
    assert 'raise ArithmeticError("the heat is too high")' in done.stdout or "spread" in done.stdout
    place = rf"lapwing: in stage (spread|back) of step \d, Box.*, on rank {ranks - 1} of {ranks}"
    assert re.search(place, done.stdout)


def test_ranks_that_wait_for_one_that_raised_end_with_the_watchdog(
    run_on_ranks: RunOnRanks,
) -> None:
    """Where the culprit's exception is caught and the rank does something else."""
    code = RAISES.replace(
        "step.run(10)\n",
        "import time\n"
        "try:\n    step.run(10)\n"
        "except ArithmeticError as error:\n"
        "    print(f'rank {domain.rank} met: {error}', flush=True)\n"
        "    time.sleep(30)\n",
    )
    watchdog = {"LAPWING_WATCHDOG": "2"}
    began = time.monotonic()
    done = run_on_ranks(3, code, "1", "blocking", timeout=25, environment=watchdog, check=False)
    assert time.monotonic() - began < 20
    assert done.returncode != 0
    assert "rank 1 met: the heat is too high" in done.stdout
    assert re.search(r"no progress for 2 s \(LAPWING_WATCHDOG\): rank [02] waits for", done.stdout)


def test_a_caller_can_catch_what_a_kernel_raises(run_on_ranks: RunOnRanks) -> None:
    code = RAISES.replace(
        "step.run(10)\n",
        "try:\n    step.run(10)\n"
        "except ArithmeticError as error:\n"
        "    print(error.__notes__[:1], error.__traceback__.tb_next is not None)\n",
    )
    said = run_on_ranks(1, code, "0", "blocking").stdout
    assert said.strip() == (
        "['lapwing: in stage spread of step 2, Box[0:20, 0:16, 0:1], on rank 0 of 1'] True"
    )


def test_a_kernel_that_raises_while_it_is_checked_keeps_its_traceback(
    run_on_ranks: RunOnRanks,
) -> None:
    """All ranks learn of it; the culprit's error is caused by its kernel's error."""
    code = RAISES.replace(
        "step.run(10)\n",
        "step.check()\n"
        "try:\n    step.run(10)\n"
        "except lapwing.OutsideError as error:\n"
        "    cause = error.__cause__\n"
        "    where = [] if cause is None else traceback.extract_tb(cause.__traceback__)\n"
        "    said = str(error).splitlines()[-1]\n"
        "    print(domain.rank, said, repr(cause), [frame.name for frame in where])\n",
    ).replace("import sys,", "import sys, traceback,")
    said = sorted(run_on_ranks(3, code, "1", "blocking").stdout.splitlines())
    problem = "ArithmeticError: the heat is too high"
    assert said == [
        f"0 {problem} None []",
        f"1 {problem} ArithmeticError('the heat is too high') ['__call__', 'spread']",
        f"2 {problem} None []",
    ]


def test_arrays_show_what_a_stage_declared_and_no_more(run_on_ranks: RunOnRanks) -> None:
    """Shapes follow the extents, sides apart; what is not written cannot be."""
    code = (
        "import numpy as np, lapwing\n"
        "domain = lapwing.Domain((12, 10), periodic=True)\n"
        "a, b = domain.field('a', halo=3), domain.field('b', halo=1, levels=4, components=2)\n"
        "seen = []\n"
        "def kernel(box, a, b):\n"
        "    seen.append((a.shape, a.flags.writeable, b.shape, b.flags.writeable))\n"
        "    a[0, 0] = 1\n"
        "one_sided = lapwing.Extent((2, 0, 0), (1, 3, 0))\n"
        "stage = lapwing.Stage(kernel, reads=[(a, one_sided)], writes=[b])\n"
        "step = lapwing.Step(domain, [stage])\n"
        "try: step.run()\n"
        "except ValueError as error: print(seen, error)\n"
    )
    assert run_on_ranks(1, code).stdout.strip() == (
        "[((15, 13), False, (12, 10, 4, 2), True)] assignment destination is read-only"
    )


def test_a_step_can_be_read(run_on_ranks: RunOnRanks) -> None:
    code = RAISES.replace(
        "step.run(10)\n", "print(step.report.describe())\nprint(step.report.stage_names)\n"
    )
    said = run_on_ranks(1, code, "0", "blocking").stdout
    assert "exchange" in said
    assert "heat" in said
    assert "['spread', 'back']" in said


def test_models_with_steps_are_collected(run_on_ranks: RunOnRanks) -> None:
    """Neither a step's kernels nor its domain keep an unreferenced model alive."""
    code = (
        "import gc, weakref, lapwing\n"
        "class Model:\n"
        "    def __init__(self):\n"
        "        self.domain = lapwing.Domain((12, 10))\n"
        "        self.heat, self.new = self.domain.field('heat'), self.domain.field('new')\n"
        "        stage = lapwing.Stage(self.spread, reads=[(self.heat, 1)], writes=[self.new])\n"
        "        self.step = lapwing.Step(self.domain, [stage])\n"
        "    def spread(self, box, heat, new): new[...] = heat[1:-1, 1:-1]\n"
        "model = Model()\n"
        "model.step.run(3)\n"
        "model.domain.close()\n"
        "model = weakref.ref(model)\n"
        "gc.collect()\n"
        "print(model())\n"
    )
    assert run_on_ranks(1, code).stdout.strip() == "None"


def test_a_step_keeps_what_it_needs(run_on_ranks: RunOnRanks) -> None:
    """Domain, fields and stages may go out of sight."""
    code = (
        "import gc, lapwing\n"
        "def make():\n"
        "    domain = lapwing.Domain((12, 10), periodic=True)\n"
        "    a, b = domain.field('a'), domain.field('b')\n"
        "    a.fill(2.0)\n"
        "    def add(box, a, b): b += a[2:, 1:-1]\n"
        "    return lapwing.Step(domain, [lapwing.Stage(add, reads=[(a, 1), b], writes=[b])])\n"
        "step = make()\n"
        "gc.collect()\n"
        "step.run(3)\n"
        "a, b = step.report.fields\n"
        "print(b[b.domain.box].sum() == 6.0 * b.domain.box.volume)\n"
    )
    assert run_on_ranks(2, code).stdout.split() == ["True", "True"]


RANGES = """
import numpy as np
from lapwing import Domain, Step, stage, Strategy

domain = Domain((12, 8), periodic=True)
a, b = domain.field("a"), domain.field("b")
seen, open_ranges = [], []


@stage(reads=[(a, 1)], writes=[b])
def there(box, a, b):
    b[...] = a.at(x=-1)


@stage(reads=[(b, 1)], writes=[a])
def back(box, b, a):
    a[...] = b.at(y=+1)


def begin(name):
    assert not open_ranges, (name, open_ranges)
    open_ranges.append(name)
    seen.append(name)


for strategy in ("blocking", "dataflow"):
    step = Step(domain, [there, back], strategy=strategy)
    step.name_ranges(begin, lambda name: open_ranges.remove(name))
    step.run(2)
    assert not open_ranges
    names = {"there", "back", "halo of a", "halo of b"}
    assert names <= set(seen) <= names | {"wait"}, seen
    seen.clear()
    step.name_ranges(lambda name: seen.append(name))  # tools that need no end
    step.run()
    assert "there" in seen
    step.name_ranges(None)
    seen.clear()
    step.run()
    assert seen == []
print("ranges seen")
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_named_ranges_are_told_to_a_tool(run_on_ranks: RunOnRanks, ranks: int) -> None:
    assert run_on_ranks(ranks, RANGES).stdout.count("ranges seen") == ranks
