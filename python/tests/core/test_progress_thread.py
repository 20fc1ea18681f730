"""LAPWING_PROGRESS_THREAD: the same bits, and an end also of programs that close nothing."""

import subprocess
from collections.abc import Callable

import pytest

RunOnRanks = Callable[..., "subprocess.CompletedProcess[str]"]

PROGRAM = """
import os, sys, lapwing, numpy as np
domain = lapwing.Domain((40, 32), periodic=True)
heat, new = domain.field("heat", halo=1), domain.field("new", halo=1)
heat.set(lambda i, j: np.sin(i + 2.0 * j))

def spread(box, old, new):
    new[...] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])

step = lapwing.Step(domain, [[lapwing.Stage(spread, reads=[(heat, 1)], writes=[new])],
                             [lapwing.Stage(spread, reads=[(new, 1)], writes=[heat])]],
                    strategy=sys.argv[1], transport=sys.argv[2])
step.run(200)
whole = heat.gather()
if whole is not None:
    print(hash(whole.tobytes()), len(os.listdir("/proc/self/task")))
if sys.argv[3] == "close":
    domain.close()
"""


@pytest.mark.parametrize("transport", ["p2p", "persistent", "shared"])
@pytest.mark.parametrize("end", ["close", "leave"])
def test_bits_are_the_same_with_a_progress_thread(
    run_on_ranks: RunOnRanks, transport: str, end: str
) -> None:
    said = {}
    for wish in ("0", "1"):
        environment = {"LAPWING_PROGRESS_THREAD": wish, "PYTHONHASHSEED": "0"}
        done = run_on_ranks(
            2, PROGRAM, "dataflow", transport, end, timeout=60, environment=environment
        )
        said[wish] = done.stdout.split()
    assert said["0"][0] == said["1"][0]
    assert int(said["1"][1]) > int(said["0"][1])  # threads of the process


def test_other_values_are_refused(run_on_ranks: RunOnRanks) -> None:
    environment = {"LAPWING_PROGRESS_THREAD": "often"}
    done = run_on_ranks(
        2, PROGRAM, "blocking", "p2p", "close", timeout=60, environment=environment, check=False
    )
    assert done.returncode != 0
    assert "LAPWING_PROGRESS_THREAD: got often; expected 1 for a thread" in done.stdout
