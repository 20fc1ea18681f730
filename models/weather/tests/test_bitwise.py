"""Any number of ranks and any strategy gives the bits of one rank; the halos travel once a step."""

from __future__ import annotations

import pytest
from atmosphere import DIGESTS
from model_runs import RunOnRanks, lines_on

STRATEGIES = (
    "blocking",
    "3s",
    "5s",
    "6s",
    "edge-first",
    "dataflow",
    "dataflow:4",
    "deep:2",
    "deep:4",
)


@pytest.mark.parametrize(
    "case",
    [
        "area-small",
        pytest.param("jet-small", marks=pytest.mark.slow),
        pytest.param("gravity-wave", marks=pytest.mark.slow),
    ],
)
def test_ranks_and_strategies(run_on_ranks: RunOnRanks, case: str) -> None:
    digests: set[str] = set()
    for ranks in (1, 2, 3, 4, 6, 9):
        strategies = list(STRATEGIES) if ranks in (1, 2, 4) else ["blocking", "dataflow"]
        if case == "gravity-wave" and "deep:4" in strategies:
            strategies.remove("deep:4")  # its halo would be wider than the channel
        found, rounds = lines_on(run_on_ranks, ranks, DIGESTS, case, *strategies)
        digests |= set(found)
        for line in rounds if ranks > 1 else ():
            _, strategy, number = line.split()
            expected = {"deep:2": 0.5, "deep:4": 0.25}.get(strategy, 1.0)
            assert float(number) == expected, line
    assert len(digests) == 1
