"""The request of `lapwing tune`, and the checks of it before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lapwing.base.atomic_file import check_file
from lapwing.base.error import user_error
from lapwing.core.steps.tuned import load
from lapwing.run.request import Request, Setup
from lapwing.run.tuned import tuned_path

from lapwing_lab.machine.charges import message_charges, require_room
from lapwing_lab.machine.machine import load_machine


@dataclass(frozen=True)
class TuneRequest:
    """The options of `lapwing tune` as the user gave them."""

    base: Request  # case, ranks, settings
    machine: str | None = None  # whose costs a prediction takes; none: of the partition alone
    mpi: str | None = None
    strategies: tuple[str, ...] = ()  # none: all that have a name
    transports: tuple[str, ...] = ()  # likewise
    exhaustive: bool = False
    json: Path | None = None


def check_request(request: TuneRequest, setup: Setup) -> None:
    """Raise UserError for what one process can find wrong. Local; writes nothing."""
    ranks = setup.partition.ranks
    if ranks == 1:
        raise user_error(
            "--ranks",
            "1",
            "2 or more, as one rank has nothing to send and nothing to choose",
            f"lapwing tune {request.base.case} --ranks 2",
        )
    if "auto" in request.strategies:
        got = "'auto', which takes one of the others by measurement"
        raise user_error("--strategy", got, "strategies to measure", "leave it out")
    if request.machine is not None:
        machine = load_machine(request.machine)
        require_room(machine, ranks)
        message_charges(machine, request.mpi)
    path = tuned_path(request.base.case, setup.case)
    check_file("tuned file", path)
    load(path)
    check_file("--json", request.json)
