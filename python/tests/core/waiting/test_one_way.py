"""A rank that sends and receives nothing back cannot fill its receiver's memory."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_runs import LACKED_HERE

PROGRAM = (Path(__file__).parents[2] / "mpi_programs/waiting/one_way.py").read_text()


@pytest.mark.parametrize(
    "transport",
    ["p2p", "persistent", "neighbor", "datatype", "shared", "onesided", "direct", "pull"],
)
def test_a_sender_waits_for_a_late_receiver(
    run_on_ranks: Callable[..., Any], transport: str
) -> None:
    if transport in LACKED_HERE:
        pytest.skip(LACKED_HERE[transport])
    said = run_on_ranks(2, PROGRAM, transport).stdout
    grew = re.search(r"GREW (\d+)", said)
    ahead = re.search(r"AHEAD (\d+)", said)
    assert grew is not None, said
    assert ahead is not None, said
    assert int(grew[1]) < 10, said  # MB
    assert int(ahead[1]) <= 32, said  # exchanges
