"""A request to verify a model, and what can be found wrong with it before MPI starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lapwing.base.atomic_file import check_file as check_output
from lapwing.base.error import user_error
from lapwing.inspect.verify.subject import check_file
from lapwing.run.request import Request, make_setup, ranks_of

DEFAULT_RANKS = 4  # the fewest with neighbours along both axes and across a corner


@dataclass(frozen=True)
class VerifyRequest:
    """What the user asked of `lapwing verify`."""

    base: Request  # case or file, ranks, settings
    strategies: tuple[str, ...]
    transports: tuple[str, ...]
    steps: int
    after: int  # steps of a case on one rank, before all others
    json: Path | None
    check: bool = False  # first, whether stages do what they do not declare

    @property
    def file(self) -> Path | None:
        """The Python file, where it is no case."""
        return Path(self.base.case) if self.base.case.endswith(".py") else None


def with_ranks(request: VerifyRequest, started: int | None) -> VerifyRequest:
    """The request with the number of ranks that it means; `started`: those that are there. Local.

    UserError where the two disagree.
    """
    wanted = request.base.ranks or started or DEFAULT_RANKS
    base = replace(request.base, ranks=wanted)
    return replace(request, base=replace(base, ranks=ranks_of(base, started)))


def check_request(request: VerifyRequest) -> None:
    """Raise UserError for what can be found wrong with it by one process. Local."""
    if request.json is not None:
        check_output("--json", request.json)
    if request.file is None:
        make_setup(request.base, request.base.ranks or 1)
        return
    check_file(request.file)
    if request.base.sets:
        raise user_error(
            "--set",
            ", ".join(request.base.sets),
            f"a case, but {request.file} is a Python file",
            "change the file, or leave --set out",
        )
