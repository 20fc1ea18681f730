"""Ctrl-C ends waits and runs of steps in the extension, and other threads go on meanwhile."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lapwing.base.stop import StopRequest

RunOnRanks = Callable[..., Any]  # the fixtures in conftest.py
EndsBySignal = Callable[..., str]

WAITING = """
import os, signal, threading, time
from lapwing import Domain, Exchange
from lapwing.core.mpi_runtime import start
world = start().COMM_WORLD
domain = Domain((9, 8), periodic=True)
exchange = Exchange([domain.field("depth")], transport="p2p")
if world.rank == 0:
    counted = []
    def count():
        while True:
            counted.append(time.sleep(0.01))
    threading.Thread(target=count, daemon=True).start()
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    try:
        WAIT
    except KeyboardInterrupt:
        print("INTERRUPTED", time.monotonic() - began < 3, len(counted) > 20, flush=True)
        raise
time.sleep(20)
"""


@pytest.mark.parametrize(
    "wait",
    [
        "exchange.run()",
        "exchange.start().wait()",
        "Exchange([domain.field('other')], transport='neighbor')",
        "Domain((9, 8))",
    ],
)
def test_a_wait_is_interrupted(run_on_ranks: RunOnRanks, wait: str) -> None:
    done = run_on_ranks(2, WAITING.replace("WAIT", wait), check=False)
    assert "INTERRUPTED True True" in done.stdout
    assert "KeyboardInterrupt" in done.stdout
    assert done.returncode != 0


@pytest.mark.parametrize(
    "wait",
    [
        "domain.close()",
        "domain.field('other').gather()",
    ],
)
def test_an_agreement_is_interrupted(run_on_ranks: RunOnRanks, wait: str) -> None:
    """Work that all ranks do together cannot go on without one: the job ends."""
    began = time.monotonic()
    done = run_on_ranks(2, WAITING.replace("WAIT", wait), check=False)
    assert "lapwing: interrupted, while rank 0 waits for " in done.stdout
    assert done.returncode != 0
    assert time.monotonic() - began < 15  # the other rank sleeps for longer


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_long_steps_are_interrupted(
    ends_by_signal: EndsBySignal, tmp_path: Path, ranks: str
) -> None:
    """Interrupts a model in C++, all of whose steps are one call."""
    long = ("--set", "duration=5000d", "--set", "output.every=0", "--set", "check_every=100000000")
    begun = (tmp_path / "here" / "case.toml").exists
    ends_by_signal(
        signal.SIGINT, ["run", "kelvin-small", "--ranks", ranks, "--out", "here", *long], begun
    )


def test_an_interruption_that_was_lost_is_raised_again() -> None:
    """Callbacks from C code lose exceptions: here a lookup of an attribute."""
    before = signal.getsignal(signal.SIGINT)
    with StopRequest() as stop:
        stop.look()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            stop.look()
    assert signal.getsignal(signal.SIGINT) is before


SECOND_THREAD = """
import threading
from lapwing import Domain, Exchange
from lapwing.core.mpi_runtime import start
start()
domain = Domain((9, 8), periodic=True)
exchange = Exchange([domain.field("depth")], transport="TRANSPORT")
said = []
def use():
    for act in (exchange.run, exchange.start, domain.close, lambda: Domain((9, 8))):
        try:
            act()
            said.append("nothing")
        except ValueError as problem:
            said.append(str(problem))
thread = threading.Thread(target=use)
thread.start()
thread.join()
assert len(said) == 4 and all("thread" in text for text in said), said
exchange.run()
print("REFUSED", flush=True)
"""


@pytest.mark.parametrize("transport", ["p2p", "onesided", "direct"])
def test_a_second_thread_is_refused(run_on_ranks: RunOnRanks, transport: str) -> None:
    said = run_on_ranks(2, SECOND_THREAD.replace("TRANSPORT", transport)).stdout
    assert said.count("REFUSED") == 2
