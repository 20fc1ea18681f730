"""`lapwing verify`: every strategy and transport against one rank, bit by bit."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from lapwing.commands.options import (
    MOST,
    Debug,
    Json,
    OnlyStrategies,
    OnlyTransports,
    Progress,
    Sets,
    answered,
    on_case,
)


@answered
def verify(
    case: Annotated[
        list[str],
        typer.Argument(
            help="Name of a shipped case, path of a TOML file, a model of your own: FILE.py:CLASS "
            "or MODULE:CLASS, a file with a function model; or, behind --, any program.",
            metavar="CASE | -- PROGRAM...",
        ),
    ],
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            help="Ranks to start with mpiexec. Default: 4, or those of an mpiexec already there.",
            metavar="N",
        ),
    ] = None,
    steps: Annotated[
        int,
        typer.Option(
            min=1, max=MOST, help="Steps to run before the fields are compared.", metavar="K"
        ),
    ] = 20,
    after: Annotated[
        int,
        typer.Option(
            min=0,
            max=MOST,
            help="Steps of a case on one rank before: all start from the state that they lead to. "
            "A function model starts as it starts.",
            metavar="K",
        ),
    ] = 1000,
    strategies: OnlyStrategies = None,
    transports: OnlyTransports = None,
    set_: Sets = None,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="First run a few steps with wrong values wherever a stage does not say that it "
            "reads, and name what depends on them.",
        ),
    ] = False,
    json: Json = None,
    progress: Progress = "auto",
    debug: Debug = False,
) -> int:
    """Run every strategy with every transport, and compare with one rank bit by bit.

    What differs is named: strategy, transport, field, the first step after
    which it differs, how many values, and where. What this MPI, this machine
    or the model cannot do is left out, and said.

    A model of your own is a class, as lapwing run takes it. Here a Python file
    may also have a function [b]model[/b]. It makes its domain on the
    communicator that it is given, and returns a lapwing.Step (all fields of its
    stages are compared), or any object with advance(steps) and fields:

      def model(comm, strategy, transport):
          domain = lapwing.Domain((60, 40), comm)
          ...
          return lapwing.Step(domain, stages, strategy=strategy, transport=transport)

    Strategies deep(k) need wider halos than the stages read: fields made without
    halo= get them, and with a narrower one such strategies are left out.

    A program in C++, C, Fortran or Python, behind --, is run once for each of
    them, with LAPWING_STRATEGY and LAPWING_TRANSPORT set, which its steps obey.
    They write down a digest of all fields after each run, which is compared.

    Examples:

    lapwing verify kelvin --ranks 4

    lapwing verify --ranks 2 -- build/heat

    lapwing verify my_model.py --ranks 3 --strategies blocking --transports p2p,shared
    """
    from lapwing.base.error import user_error
    from lapwing.base.progress import resolved
    from lapwing.core.mpi_runtime import announced_world_size
    from lapwing.core.names import chosen_strategies, chosen_transports
    from lapwing.inspect.verify.command import DEFAULT_RANKS, VerifyRequest, run_program, run_verify
    from lapwing.run.request import Request

    if "--" in sys.argv:
        chosen = chosen_strategies("--strategies", strategies)
        moved = chosen_transports("--transports", transports)
        only_for_cases = {"--set": bool(set_), "--steps": steps != 20, "--after": after != 1000}
        ways = [(s, t) for s in chosen for t in moved]
        return run_program(case, ranks, ways, only_for_cases, json, progress, check=check)
    if len(case) > 1:
        remedy = "write -- before a program with arguments"
        raise user_error("case", " ".join(case), "one case, or -- and a program", remedy)
    base = Request(
        case=case[0],
        ranks=ranks or announced_world_size() or DEFAULT_RANKS,
        sets=tuple(set_ or ()),
        leaves_results=False,
        progress=resolved(progress),
        debug=debug,
    )
    request = VerifyRequest(
        base=base,
        strategies=chosen_strategies("--strategies", strategies),
        transports=chosen_transports("--transports", transports),
        steps=steps,
        after=after,
        json=json,
        check=check,
    )

    # only this process knows the number of ranks and whether there is a terminal
    more = ["--ranks", str(base.ranks), "--progress", base.progress]
    return on_case(base, lambda comm: run_verify(request, comm), more)
