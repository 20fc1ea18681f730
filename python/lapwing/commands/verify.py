"""`lapwing verify`: every strategy and transport against one rank, bit by bit."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from lapwing.base.agreement import DONE, NO, all_came, at_root, end_together, together
from lapwing.base.atomic_file import check_file as check_output
from lapwing.base.error import OutsideError, StateError, UserError, state_error, user_error
from lapwing.base.progress import ProgressBar, Style, resolved
from lapwing.commands.options import (
    FEW_RANKS,
    MOST,
    Debug,
    Json,
    Progress,
    Sets,
    answered,
    on_case,
    ranks_option,
    strategies_option,
    transports_option,
)
from lapwing.commands.trials.program import verify_program
from lapwing.commands.trials.subject import (
    CaseSubject,
    FileSubject,
    Subject,
    Trial,
    has_function,
    on_rank_0,
)
from lapwing.commands.trials.verification import (
    Difference,
    Outcome,
    Verdict,
    Verification,
    Way,
    print_verification,
    ways_of,
)
from lapwing.core import mpi_runtime
from lapwing.core.mpi_runtime import announced_world_size
from lapwing.core.names import chosen_strategies, chosen_threads, chosen_transports
from lapwing.core.versions import write_report
from lapwing.run.request import Request, agree_on_setup, make_setup, ranks_of

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

Array = NDArray[Any]

PLAIN = Way("blocking", "p2p")  # the way in which one rank is run
TRIAL = 20_000  # steps at most until `auto` has chosen
_PIECE = 100  # steps, at least, between two looks whether it has
_LOOKS = 20  # at most, for the step after which a model is not finite any more
CHECKED_CYCLES = 2  # each step of a cycle, with the halos of a start and as they are later


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
    ranks: Annotated[int | None, ranks_option(str(FEW_RANKS))] = None,
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
    strategy: Annotated[list[str] | None, strategies_option("all of them")] = None,
    transport: Annotated[list[str] | None, transports_option("all of them")] = None,
    threads: Annotated[
        str,
        typer.Option(
            "--threads",
            help="Threads of each rank, as numbers separated by commas: the first runs with every "
            "transport, the others with the first transport.",
            metavar="N,...",
        ),
    ] = "1,2,3",
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

    With the first transport every strategy also runs in two and three threads
    of each rank, where the launcher gave it cores.

    What differs is named: strategy, transport, threads, field, the first step
    after which it differs, how many values, and where. What this MPI, this
    machine or the model cannot do is left out, and said.

    A model of your own is a class, as lapwing run takes it. Here a Python file
    may also have a function [b]model[/b]. It makes its domain on the
    communicator that it is given, and returns a lapwing.Step (all fields of its
    stages are compared), or any object with advance(steps) and fields:

      def model(comm, strategy, transport, threads):
          domain = lapwing.Domain((60, 40), comm)
          ...
          return lapwing.Step(
              domain, stages, strategy=strategy, transport=transport, threads=threads)

    Without the argument threads it runs in one.

    Strategies deep:k need wider halos than the stages read: fields made without
    halo= get them, and with a narrower one such strategies are left out.

    A program in C++, C, Fortran or Python, behind --, is run once for each of
    them, with LAPWING_STRATEGY, LAPWING_TRANSPORT and LAPWING_THREADS set, which
    its steps obey.
    They write down a digest of all fields after each run, which is compared.

    Examples:

    lapwing verify kelvin --ranks 4

    lapwing verify --ranks 2 -- build/heat

    lapwing verify my_model.py --ranks 3 --strategy blocking --transport p2p,shared
    """
    ways = ways_of(
        chosen_strategies("--strategy", strategy),
        chosen_transports("--transport", transport),
        chosen_threads("--threads", threads),
    )
    if "--" in sys.argv:
        only_for_cases = {"--set": bool(set_), "--steps": steps != 20, "--after": after != 1000}
        return _run_program(case, ranks, ways, only_for_cases, json, progress, check=check)
    if len(case) > 1:
        remedy = "write -- before a program with arguments"
        raise user_error("case", " ".join(case), "one case, or -- and a program", remedy)
    base = Request(
        case=case[0],
        ranks=ranks or announced_world_size() or FEW_RANKS,
        sets=tuple(set_ or ()),
        leaves_results=False,
        progress=resolved(progress),
        debug=debug,
    )
    request = VerifyRequest(
        base=base,
        ways=tuple(ways),
        steps=steps,
        after=after,
        json=json,
        check=check,
    )

    # only this process knows the number of ranks and whether there is a terminal
    more = ["--ranks", str(base.ranks), "--progress", base.progress]
    return on_case(
        base,
        lambda comm: _run(request, comm),
        more,
        check=lambda ranks: request.file or make_setup(base, ranks),
    )


@dataclass(frozen=True)
class VerifyRequest:
    """The options of `lapwing verify` as the user gave them."""

    base: Request  # case or file, ranks, settings
    ways: tuple[Way, ...]
    steps: int
    after: int  # steps of a case on one rank, before all others
    json: Path | None
    check: bool = False  # True if stages are first checked for undeclared reads and writes

    @property
    def file(self) -> Path | None:
        """The Python file with a function `model`, if the subject is not a case or a class.

        UserError if it is not a Python file.
        """
        path = Path(self.base.case)
        return path if path.suffix == ".py" and has_function(path) else None


def _run(request: VerifyRequest, comm: Comm) -> int:
    """Run everything, print the table, and return the exit code, the same on all ranks.

    Collective. Errors are printed, not raised, as `run_case` does.
    """
    where = ["set-up"]
    comm = comm.Dup()  # a model that takes another one is found out
    try:
        at_root(comm, lambda: check_output("--json", request.json))
        subject = _subject(request, comm)
        found = _verify(request, subject, comm, where)
        where[0] = "table"
        together(comm, lambda: _tell(request.json, found) if comm.rank == 0 else None)
    except Exception as problem:
        return end_together(comm, problem, where[0], request.base.debug)
    return DONE if found.is_right else NO


def _run_program(
    command: Sequence[str],
    ranks: int | None,
    ways: Sequence[Way],
    only_for_cases: Mapping[str, bool],
    json: Path | None,
    progress: Style,
    *,
    check: bool,
) -> int:
    """Verify a program, print the table, and return the exit code. Local; starts ranks.

    UserError for an option out of `only_for_cases` that was given.
    """
    check_output("--json", json)
    for option, given in only_for_cases.items():
        if given:
            raise user_error(
                option, "a program", "a case", "let the program's own arguments say it"
            )
    found = verify_program(command, ranks or FEW_RANKS, ways, progress, check=check)
    _tell(json, found)
    return DONE if found.is_right else NO


def _subject(request: VerifyRequest, comm: Comm) -> Subject:
    """The case, or the model in a file. Collective."""
    base = request.base
    path = together(comm, lambda: request.file)
    if path is None:
        return CaseSubject(agree_on_setup(base, comm), request.after)
    ranks_of(base, comm.size)
    if base.sets:
        expected = f"a case or a class, but {path} has a function"
        remedy = "change the file, or leave --set out"
        raise user_error("--set", ", ".join(base.sets), expected, remedy)
    return together(comm, lambda: FileSubject(path))


def _verify(request: VerifyRequest, subject: Subject, comm: Comm, where: list[str]) -> Verification:
    # the first time for its errors only: all ranks meet them before rank 0 is alone with the model
    subject.create(comm, PLAIN).close()
    subject.prepare(comm)
    where[0] = "check of the stages"
    undeclared = _undeclared(subject, comm, request.steps) if request.check else None
    where[0] = "one rank"
    alone = on_rank_0(comm, lambda: _reference(subject, request.steps))
    values, changed = alone if alone is not None else ({}, {})
    outcomes, style = [], request.base.progress if comm.rank == 0 else "none"
    with ProgressBar(style, len(request.ways)) as attempts:
        for way in request.ways:
            where[0] = str(way)
            attempts.begin(where[0])
            outcomes.append(_try(subject, comm, way, request.steps, values))
    return Verification(subject.name, comm.size, request.steps, changed, outcomes, undeclared)


def _undeclared(subject: Subject, comm: Comm, steps: int) -> str:
    """Describe what a stage does undeclared, found by a few checked steps; "" for nothing.

    Collective. UserError for a model without a Step.
    """
    trial = subject.create(comm, PLAIN)
    step = trial.step
    if step is None:
        got = f"{subject.name}, which has no lapwing.Step"
        expected = "a model whose stages say what they read and write"
        raise user_error("--check", got, expected, "leave --check out")
    step.check()
    found = ""
    try:
        trial.advance(min(steps, CHECKED_CYCLES * step.report.positions))
    except UserError as problem:  # on all ranks together
        found = str(problem)
    trial.close()
    return found


def _alone(subject: Subject) -> Trial:
    """The subject on this rank alone, as all others are compared with. Local."""
    return subject.create(mpi_runtime.start().COMM_SELF, PLAIN)


def _reference(subject: Subject, steps: int) -> tuple[dict[str, Array], dict[str, float]]:
    """The fields after the steps on this rank alone, and the share of each that they changed.

    StateError where values are not finite any more: the bits of a NaN depend on the order of
    operands, so strategies would differ though nothing is wrong with them.
    """
    trial = _alone(subject)
    before = _gathered(trial)
    trial.advance(steps)
    after = _gathered(trial)
    trial.close()
    if place := _unstable(before, after):
        raise _instability(subject, steps, place)
    changed = {
        name: float(np.mean(_bits(values) != _bits(before[name]))) for name, values in after.items()
    }
    return after, changed


def _unstable(before: Mapping[str, Array], after: Mapping[str, Array]) -> str:
    """The field that has become infinite or NaN, with its first such cell; "" if all is well.

    Local. Cells that were so at the start may be a mask, and are ignored.
    """
    for name, values in after.items():
        spoilt = ~np.isfinite(values) & np.isfinite(before[name])
        if spoilt.any():
            return f"field {name} is not finite at {_first(spoilt)}"
    return ""


def _first(marked: NDArray[np.bool_]) -> tuple[int, ...]:
    """The index of the first cell that is marked."""
    return tuple(int(n) for n in np.argwhere(marked)[0])


def _instability(subject: Subject, steps: int, place: str) -> StateError:
    """The error for a model that did not stay finite, with the first such step.

    Runs it again on this rank alone. `place`: its place after all steps.
    """
    trial = _alone(subject)
    before = _gathered(trial)
    done, found = 0, ""
    while not found and done < steps:
        piece = min(-(-steps // _LOOKS), steps - done)
        trial.advance(piece)
        done += piece
        found = _unstable(before, _gathered(trial))
    trial.close()
    return state_error(
        f"{subject.name}, run on one rank",
        f"{found or place} after {done} steps: the case is unstable",
        "values that are finite, as only those have bits to compare",
        "choose fewer steps (--steps, --after) or a shorter time step; "
        "strategy auto needs many: leave it out (--strategy)",
    )


def _gathered(trial: Trial) -> dict[str, Array]:
    """The whole grid of every field on rank 0, nothing elsewhere. Collective."""
    whole = {name: one.gather() for name, one in trial.fields.items()}
    return {name: values for name, values in whole.items() if values is not None}


def _try(
    subject: Subject, comm: Comm, way: Way, steps: int, wanted: Mapping[str, Array]
) -> Outcome:
    """Run it one way and compare. Collective; rank 0 finds the result and sends it to all."""
    try:
        trial = subject.create(comm, way)
    except (UserError, OutsideError) as problem:
        if not all_came(comm):
            raise  # a failure of this rank: the other ranks wait in vain
        return Outcome(way.strategy, way.transport, way.threads, "unavailable", str(problem))
    done = _advanced(trial, steps)
    if done > steps:
        wanted = on_rank_0(comm, lambda: _reference(subject, done)[0]) or {}
    differences = comm.bcast(_compare(trial, wanted, None))
    taken = trial.strategy if way.strategy == "auto" != trial.strategy else ""
    trial.close()
    if differences:
        differences = _first_differences(subject, comm, way, done) or differences
    verdict: Verdict = "differs" if differences else "equal"
    return Outcome(
        *(way.strategy, way.transport, way.threads),
        verdict,
        differences=differences,
        steps=done,
        taken=taken,
    )


def _advanced(trial: Trial, steps: int) -> int:
    """Run the steps; if `auto` tries strategies first, run on to its choice, and this many with it.

    Returns the steps run. Collective.
    """
    trial.advance(steps)
    done, piece = steps, max(steps, _PIECE)
    while trial.strategy == "auto" and done < TRIAL:
        trial.advance(piece)
        done += piece
    if done > steps:
        trial.advance(steps)
        done += steps
    return done


def _first_differences(subject: Subject, comm: Comm, way: Way, steps: int) -> list[Difference]:
    """Run it again compared with one rank, step by step, to the first difference. Collective."""
    trials = [subject.create(comm, way), *([_alone(subject)] if comm.rank == 0 else [])]
    differences: list[Difference] = []
    for step in range(1, steps + 1):
        for trial in trials:
            trial.advance(1)
        wanted = _gathered(trials[1]) if comm.rank == 0 else {}
        differences = comm.bcast(_compare(trials[0], wanted, step))
        if differences:
            break
    for trial in trials:
        trial.close()
    return differences


def _compare(trial: Trial, wanted: Mapping[str, Array], step: int | None) -> list[Difference]:
    """The fields whose bits differ in owned cells, on rank 0. Collective."""
    differences = []
    for name, values in _gathered(trial).items():
        field = trial.fields[name]
        owned = np.zeros(values.shape, bool)  # cells without an owner are computed by no rank
        for subdomain in field.domain.partition.subdomains:
            owned[field.index_of(subdomain.box)] = True
        mask = (_bits(values) != _bits(wanted[name])) & owned
        if cells := int(mask.sum()):
            differences.append(Difference(name, step, cells, _first(mask)))
    return differences


def _bits(values: Array) -> Array:
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")


def _tell(json: Path | None, found: Verification) -> None:
    """Print the table and write the file. Rank 0."""
    print_verification(found)
    if json is not None:
        write_report(json, "lapwing-verify-1", asdict(found))
        print(f"JSON  {json}")
