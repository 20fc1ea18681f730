"""Any number of ranks and any strategy gives the bits of one rank; the halos travel once a step."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

import pytest

RunOnRanks = Callable[..., subprocess.CompletedProcess[str]]

CODE = """
import hashlib, sys
from lapwing.case import load_case
from lapwing.creation import create_run
from lapwing.domain import Domain
from lapwing.model import bring_up_to_date
from lapwing_weather import model


name, *strategies = sys.argv[1:]
case = load_case(name, {"weather": model})
geometry = model.geometry(case.settings, case.folder)
for strategy in strategies:
    domain = Domain(geometry.grid)
    run = create_run(
        model, domain, case.settings, geometry, strategy=strategy, transport="p2p"
    )
    for steps in (7, 6):
        run.advance(steps)
    bring_up_to_date(run)
    fields = {**run.state, **{n: v.field for n, v in run.variables.items()}}
    whole = {n: field.gather() for n, field in fields.items()}
    if domain.rank == 0:
        bits = b"".join(whole[n].tobytes() for n in sorted(whole))
        print("digest", hashlib.sha256(bits).hexdigest())
        print("rounds", strategy, run.step.volume.exchanges)
    domain.close()
"""

STRATEGIES = (
    "blocking",
    "3s",
    "5s",
    "6s",
    "edge-first",
    "dataflow",
    "dataflow(4)",
    "deep(2)",
    "deep(4)",
)


@pytest.mark.mpi
@pytest.mark.parametrize("case", ["area-small", "jet-small", "gravity-wave"])
def test_ranks_and_strategies(run_on_ranks: RunOnRanks, case: str) -> None:
    digests: set[str] = set()
    for ranks in (1, 2, 3, 4, 6, 9):
        strategies = list(STRATEGIES) if ranks in (1, 2, 4) else ["blocking", "dataflow"]
        if case == "gravity-wave" and "deep(4)" in strategies:
            strategies.remove("deep(4)")  # its halo would be wider than the channel
        lines = run_on_ranks(ranks, CODE, case, *strategies, timeout=100).stdout.splitlines()
        found = [line for line in lines if line.startswith("digest")]
        assert len(found) == len(strategies)
        digests |= set(found)
        for line in lines:
            if line.startswith("rounds") and ranks > 1:
                _, strategy, rounds = line.split()
                expected = {"deep(2)": 0.5, "deep(4)": 0.25}.get(strategy, 1.0)
                assert float(rounds) == expected, line
    assert len(digests) == 1
