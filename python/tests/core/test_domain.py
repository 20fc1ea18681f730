"""Domains in Python, and errors that all ranks raise together: mpi_programs/errors.py."""

import os
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.error import UserError
from lapwing.core import mpi_runtime
from lapwing.core._core import Box
from lapwing.core.domain import Domain
from lapwing.core.steps.stage import Stage
from lapwing.core.steps.step import Step
from numpy.typing import NDArray

PROGRAMS = Path(__file__).parents[1] / "mpi_programs"
RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_mistakes_of_one_rank_are_errors_on_all(run_on_ranks: RunOnRanks, ranks: int) -> None:
    output = run_on_ranks(ranks, (PROGRAMS / "errors.py").read_text(), timeout=60).stdout
    assert [f"rank {r} is content" in output for r in range(ranks)] == [True] * ranks


REDUCED = """
import numpy as np
from lapwing import Domain, UserError

domain = Domain((12, 8))
# the same bits for any number of ranks: the exact sum
numbers = domain.field("numbers", halo=0)
numbers.set(lambda i, j: np.sin(1.0 + i + 12.0 * j) * 10.0 ** (i + 12.0 * j - 40.0))
print("sum", numbers.reduce("sum").hex())
wet = domain.field("wet", halo=0, dtype=bool)
wet.set(lambda i, j: (i + j) % 2 == 0)
assert wet.reduce("sum") == 48
field = domain.field("h", halo=1)
field.set(lambda i, j: i - 100.0 * j)
assert (field.reduce("minimum"), field.reduce("maximum")) == (-700.0, 11.0)
try:
    field.reduce("mean")
except UserError as problem:
    assert "kind of the reduction: got 'mean'; expected one of: minimum, maximum" in str(problem)
"""


def test_numbers_are_reduced_to_the_same_bits_on_any_number_of_ranks(
    run_on_ranks: RunOnRanks,
) -> None:
    sums = [run_on_ranks(ranks, REDUCED).stdout.splitlines() for ranks in (1, 2, 3, 4)]
    assert len({line for lines in sums for line in lines}) == 1
    assert [len(lines) for lines in sums] == [1, 2, 3, 4]


LEFT_OPEN = """
from lapwing import Domain, Exchange
domain = Domain((12, 8), periodic=True)
Exchange([domain.field("depth", halo=1)], transport="TRANSPORT").run()
def another():
    Exchange([Domain((12, 8)).field("h", halo=1)], transport="TRANSPORT").run()
another()
"""


@pytest.mark.parametrize("transport", ["onesided", "direct", "neighbor", "shared"])
def test_mpi_does_not_complain_at_its_end_of_what_was_left_open(
    run_on_ranks: RunOnRanks, transport: str
) -> None:
    output = run_on_ranks(2, LEFT_OPEN.replace("TRANSPORT", transport)).stdout
    assert "WARN" not in output  # Open MPI says more, of its components
    assert "leak" not in output


def test_watchdog_ends_a_job_that_waits_for_a_silent_neighbour(run_on_ranks: RunOnRanks) -> None:
    began = time.monotonic()
    done = run_on_ranks(
        2,
        "import os; os.environ['LAPWING_WATCHDOG'] = '1'\n"
        + (PROGRAMS / "waiting" / "silent_neighbour.py").read_text(),
        timeout=40,
        check=False,
    )
    assert done.returncode != 0
    assert (
        "lapwing: no progress for 1 s (LAPWING_WATCHDOG): rank 0 waits for ranks 1 in the exchange "
        "of depth: float64"
    ) in done.stdout
    assert time.monotonic() - began < 10


ROLL_CALL = """
import os, time
os.environ["LAPWING_WATCHDOG"] = "1"
from lapwing import Domain, Exchange
from lapwing.core.mpi_runtime import start
world = start().COMM_WORLD
domain = Domain((12, 4))
exchange = Exchange([domain.field("depth")], transport="TRANSPORT")
if world.rank == 0:
    exchange.run()
if world.rank == 2:
    domain.close()
time.sleep(30)
"""


@pytest.mark.parametrize(
    "transport", ["p2p", "shared", pytest.param("onesided", marks=pytest.mark.slow)]
)
def test_a_roll_call_tells_who_waits_for_whom(run_on_ranks: RunOnRanks, transport: str) -> None:
    began = time.monotonic()
    code = ROLL_CALL.replace("TRANSPORT", transport)
    said = run_on_ranks(3, code, timeout=40, check=False).stdout
    assert said.count("lapwing: the roll-call of 3 ranks:") == 1, said
    assert "rank 0 waits for ranks 1 in the exchange of depth" in said
    assert "  rank 2 waits for the ranks' agreement" in said
    assert "  no answer of rank 1: computing, stopped" in said
    assert time.monotonic() - began < 20


def test_domains_fields_and_exchanges_can_be_read(run_on_ranks: RunOnRanks) -> None:
    code = (
        "from lapwing import Corners, Domain, Exchange\n"
        "domain = Domain((9, 8), periodic=True)\n"
        "field = domain.field('depth', halo=1, dtype='float32')\n"
        "print(domain, field, Exchange([field], transport='p2p'), "
        "Exchange([field], transport='p2p', corners=Corners.DIRECT).plan, sep='\\n')\n"
    )
    lines = run_on_ranks(1, code).stdout.splitlines()
    assert lines[0].startswith(
        "Domain(rank 0 of 1, [Box[0:9, 0:8, 0:1]], Partition(9 (periodic) x 8"
    )
    assert lines[1] == (
        "Field(FieldSpec(depth: float32, center, order xyzc, halo around(1)) "
        "on rank 0: Box[0:9, 0:8, 0:1])"
    )
    assert lines[2] == "Exchange(p2p, field depth; 0 messages, 0 bytes out, 0 bytes of buffers)"
    assert lines[3] == "rank 0: 0 messages, 0 bytes out, 0 in, 152 copied"


def test_exchange_says_what_it_moves_and_holds(run_on_ranks: RunOnRanks) -> None:
    """Two ranks side by side: each sends a column of 8 values of both fields, one message.

    Messages start in cache lines of their own: 96 bytes take two.
    """
    code = (
        "from lapwing import Domain, Exchange\n"
        "domain = Domain((9, 8))\n"
        "fields = [domain.field('depth', dtype='float32'), domain.field('heat')]\n"
        "exchange = Exchange(fields, transport='p2p')\n"
        "if domain.rank == 0: print(exchange)\n"
    )
    assert run_on_ranks(2, code).stdout == (
        "Exchange(p2p, fields depth, heat; 1 message, 96 bytes out, 256 bytes of buffers)\n"
    )


@pytest.mark.parametrize("crowded", [False, True])
def test_domain_says_whether_ranks_share_cores(run_on_ranks: RunOnRanks, crowded: bool) -> None:
    code = (
        "import os, sys\n"
        "if sys.argv[1] == 'True': os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from lapwing import Domain\n"
        "from lapwing.run.summary import crowding\n"
        "domain = Domain((9, 8))\n"
        "assert domain.node.cores == len(os.sched_getaffinity(0))\n"
        "assert domain.node.ranks == 2\n"
        "assert domain.node.oversubscribed == (domain.node.cores < 2)\n"
        "if domain.rank == 0: print(crowding(domain))\n"
    )
    said = run_on_ranks(2, code, str(crowded)).stdout.strip()
    if crowded:
        assert said == "['2 ranks on 1 core: waits let others run; timings mean little']"
    elif len(os.sched_getaffinity(0)) > 1:
        assert said == "[]"


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_options_of_an_exchange_change_no_values(run_on_ranks: RunOnRanks, ranks: int) -> None:
    """Messages without land, and corners: the halos are those of p2p."""
    code = (
        "import numpy as np, lapwing\n"
        "wet = np.ones((24, 20), bool); wet[5:12, 3:9] = False; wet[0, :] = False\n"
        "mask = lapwing.Mask(wet)\n"
        "domain = lapwing.Domain((24, 20), periodic=(True, False), ranks_per_node=2)\n"
        "def filled():\n"
        "    made = [domain.field('a', halo=2), domain.field('b', halo=1, levels=3, order='z')]\n"
        "    for number, field in enumerate(made):\n"
        "        box = domain.box\n"
        "        for i in range(box.lo[0], box.hi[0]):\n"
        "            for j in range(box.lo[1], box.hi[1]):\n"
        "                at = (i - box.lo[0] + 2 - number, j - box.lo[1] + 2 - number)\n"
        "                field.array()[at] = wet[i, j] * (100.0 * i + j + number)\n"
        "    return made\n"
        "def halos(**options):\n"
        "    made = filled()\n"
        "    exchange = lapwing.Exchange(made, **options)\n"
        "    for _ in range(3): exchange.run()\n"
        "    return [field.array().copy() for field in made]\n"
        "reference = halos(transport='p2p')\n"
        "for options in (dict(wet=mask), dict(transport='p2p', wet=mask),\n"
        "                dict(transport='shared', wet=mask, corners=lapwing.Corners.DIRECT)):\n"
        "    for got, want in zip(halos(**options), reference):\n"
        "        assert np.array_equal(got, want), (options, domain.rank)\n"
        "try: lapwing.Exchange([domain.field('c')], wet=lapwing.Mask(wet[1:]))\n"
        "except lapwing.UserError as error: assert 'mask: got 23 x 20' in str(error)\n"
        "else: raise AssertionError\n"
        "domain.close()\n"
        "print('halos of p2p')\n"
    )
    assert run_on_ranks(ranks, code).stdout.count("halos of p2p") == ranks


def test_a_field_gets_the_halo_of_the_step_that_uses_it_first() -> None:
    """Halos are as wide as the strategy needs, empty if unread; one cell if no step knows."""
    domain = Domain((40, 30))
    near, far, alone = (domain.field(name) for name in ("near", "far", "alone"))

    def kernel(box: Box, around: NDArray[Any], own: NDArray[Any]) -> None:
        own[...] = around[1:-1, 1:-1]

    def back(box: Box, own: NDArray[Any], target: NDArray[Any]) -> None:
        target[...] = own

    stages = [
        Stage(kernel, reads=[(near, 1)], writes=[far]),
        Stage(back, reads=[far], writes=[near]),
    ]
    Step(domain, stages, strategy="deep:3").run()
    alone.fill(1.0)
    widths = [-field.core.allocated(0).lo[0] for field in (near, far, alone)]
    assert widths == [3, 2, 1]
    with pytest.raises(UserError, match="make the step before the field is used"):
        Step(domain, [Stage(kernel, reads=[(alone, 2)], writes=[far])])
    domain.close()


CHOICES = """
import lapwing
domain = lapwing.Domain((60, 40), periodic=True)
heat = domain.field("heat", halo=2)
found, given = lapwing.Exchange([heat]), lapwing.Exchange([heat], transport="p2p")
assert given.choice == "", given.choice
assert found.choice.startswith(f"auto took {found.transport}"), found.choice
print(found.choice)
del found, given
domain.close()
"""


def test_a_choice_says_what_it_found_and_when_it_has_paid(run_on_ranks: RunOnRanks) -> None:
    lines = run_on_ranks(2, CHOICES).stdout.splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]  # all ranks found the same
    assert re.search(r"p2p [0-9.e+]+ us", lines[0])
    # windows of Open MPI are not tried
    assert ("onesided" in lines[0]) == (mpi_runtime.built_with().family != "Open MPI")
    assert re.search(r"measuring took [0-9.e+]+ us, (paid after \d+ exchanges|and it is)", lines[0])


def test_one_rank_measures_nothing(run_on_ranks: RunOnRanks) -> None:
    assert "unmeasured" in run_on_ranks(1, CHOICES).stdout
