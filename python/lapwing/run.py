"""The driver: a case from its file to its pictures, on the ranks that there are."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lapwing.agenda import Agenda, Due
from lapwing.agreement import DONE, end_together, together
from lapwing.atomic_file import complete_or_absent, make_folder
from lapwing.case import Case
from lapwing.creation import create_run, step_of
from lapwing.duration import format_clock, format_duration
from lapwing.earlier_output import Earlier, find_earlier
from lapwing.error import OutsideError, UserError, outside_error, user_error
from lapwing.model import Run, StateError, Variable
from lapwing.output import OutputFile, describe_variable
from lapwing.progress import make_reporter
from lapwing.request import Plan, Request, agree_on_plan
from lapwing.restart import read_restart, write_restart
from lapwing.settings import unknown_key
from lapwing.summary import crowding, gather_summary, print_summary
from lapwing.tuned import TunedFile

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

    from lapwing.domain import Domain

OUTPUT, RESTART, CASE, PARTITION = "output.nc", "restart.lapwing", "case.toml", "partition.png"

_NOTHING: dict[str, NDArray[Any]] = {}

_NO_RESTART = "none was written; --set run.restart_every=... writes one on the way"

_CHECKING = (
    "every stage undivided and several times, with wrong values wherever it does not say that it "
    "reads"
)
_CHECKED = "no stage read or wrote what it does not declare, in any step"

_REPORTS = 400  # updates of the progress over a whole run, at least


def run_case(request: Request, comm: Comm) -> int:
    """Run a case on all ranks of `comm` and return the exit code, the same on every rank.

    Collective. Errors are printed, not raised: those that all ranks meet once and in order, one
    that a single rank meets with its rank, stage and step, followed by MPI_Abort.
    """
    job = _Job(request, comm)
    try:
        job.run_all()
    except Exception as problem:
        return end_together(comm, problem, job.where(), request.debug)
    except KeyboardInterrupt:
        comm.Abort(3)
    return DONE


class _Job:
    """One run of one case, and how far it has come."""

    def __init__(self, request: Request, comm: Comm) -> None:
        self.request = request
        self.comm = comm
        self.root = comm.rank == 0
        self.stage = "set-up"
        self.run: Run | None = None
        self.file: OutputFile | None = None  # on rank 0 only
        self.last_restart = ""  # what to say about the last good restart
        self.stepping = 0.0  # s inside the time step
        self.tuned: TunedFile | None = None

    def where(self) -> str:
        """How far the job has come, for messages."""
        step = f", step {self.run.step_number}" if self.run is not None else ""
        return f"{self.stage}{step}"

    def run_all(self) -> None:
        """From the request to the pictures. Collective."""
        plan = agree_on_plan(self.request, self.comm)
        from lapwing.domain import Domain  # needs MPI, which the caller has started

        self.domain = domain = Domain(plan.partition, self.comm)
        case = plan.case
        self.tuned = _tuned_file(case)
        run = create_run(
            case.model,
            domain,
            case.settings,
            plan.geometry,
            strategy=case.run.strategy,
            transport=case.run.transport,
            tuned=self.tuned,
        )
        self.run = run
        if self.request.check:
            step_of(run, case.name).check()
        self.agenda = Agenda(
            run.dt,
            case.run.duration,
            case.output.every,
            case.run.restart_every,
            case.run.check_every,
        )
        chosen = _chosen(run, case.output.variables)
        first = self.resume(plan, run)
        try:
            self.at_root(lambda: self.begin(plan, run, chosen, first))
            self.compute(plan, run, chosen, first)
        except StateError as problem:
            self.keep_good_records()
            raise StateError(f"{problem}\n  restart:  {self.last_restart or _NO_RESTART}") from None
        except Exception:  # not what ends the process from outside: --restart can use the records
            if self.file is not None:
                self.file.discard()
            raise
        self.draw(plan, run)
        self.at_root(lambda: self.say_where(plan, run))
        domain.close()

    def resume(self, plan: Plan, run: Run) -> int:
        """Put the state of the restart file into the model; the step that it starts from."""
        if self.request.restart is None:
            return 0
        path = self.request.restart
        step, state = self.at_root(lambda: self.read_state(path, plan, run)) or (0, _NOTHING)
        step = int(self.comm.bcast(step))
        for name, field in run.state.items():
            field.scatter(state.get(name))
        run.resume(step)
        self.last_restart = f"{path}, step {step}"
        return step

    def read_state(self, path: Path, plan: Plan, run: Run) -> tuple[int, dict[str, NDArray[Any]]]:
        """What is in the restart file, checked against model and end of the run. Local."""
        step, state = read_restart(path, plan.belongs)
        if sorted(state) != sorted(run.state):
            raise user_error(
                f"--restart {path}",
                f"the fields {sorted(state)}",
                f"{sorted(run.state)}",
                "restart with the version of the model that wrote the file",
            )
        if step >= self.agenda.last:
            raise user_error(
                f"--restart {path}",
                f"a state after {format_clock(step * run.dt)}, step {step}",
                f"one before the end of the run at {format_clock(self.agenda.last * run.dt)}",
                "run for longer with --set run.duration=...",
            )
        return step, state

    def begin(self, plan: Plan, run: Run, chosen: dict[str, Variable], first: int) -> None:
        """Open the output, write the case, say what is coming. Rank 0."""
        make_folder(plan.out)
        lines = self.open_output(plan, chosen, first)
        with _writing(plan.out / CASE), complete_or_absent(plan.out / CASE) as part:
            part.write_text(plan.case.to_toml(plan.out), encoding="utf-8")
        notes = [f"  note   {self.tuned.words}"] if self.tuned is not None else []
        if self.request.check:
            notes.append(f"  check  {_CHECKING}")
        lines = _headlines(plan, run, self.agenda, first, self.domain) + notes + lines
        print("\n".join(lines), flush=True)

    def open_output(self, plan: Plan, chosen: dict[str, Variable], first: int) -> list[str]:
        """Make the output file, with the records before step `first` that lie in the folder.

        Rank 0. Returns lines that say what was found.
        """
        path = plan.out / OUTPUT
        earlier: Earlier | None = None
        lines: list[str] = []
        if first > 0:
            earlier, notes = find_earlier(path, plan.belongs, self.agenda, first)
            lines = [f"  note   {note}" for note in notes]
        described = {name: describe_variable(v, plan.geometry) for name, v in chosen.items()}
        with _writing(path):
            self.file = OutputFile(path, plan.case, plan.geometry, described, plan.belongs)
            if earlier is not None:
                self.file.take(earlier)
                lines += _what_is_kept(earlier, self.agenda, first)
        return lines

    def compute(self, plan: Plan, run: Run, chosen: dict[str, Variable], first: int) -> None:
        """The time loop with everything that is due in it, up to the finished output file."""
        piece = max(1, min(plan.case.run.check_every, self.agenda.last // _REPORTS))
        style = self.request.progress if self.root else "none"
        run.step.reset_times()
        began = time.perf_counter()
        if first == 0:
            self.record(run, chosen)
        with make_reporter(style, first, self.agenda.last, run.dt) as reporter:
            for due in self.agenda.after(first):
                self.stage = "time step"
                while run.step_number < due.step:
                    self.advance(run, min(piece, due.step - run.step_number))
                    reporter.at(run.step_number)
                self.serve(due, plan, run, chosen)
        self.stage = "output"
        self.at_root(self.close_output)
        if self.tuned is not None:
            self.tuned.keep(self.domain, run.step.strategy, run.step.choice)
        wall = time.perf_counter() - began
        steps = self.agenda.last - first
        self.summary = gather_summary(self.comm, run.step, self.stepping, steps, wall)

    def advance(self, run: Run, steps: int) -> None:
        """Run some steps and take their time."""
        began = time.perf_counter()
        run.advance(steps)
        self.stepping += time.perf_counter() - began

    def serve(self, due: Due, plan: Plan, run: Run, chosen: dict[str, Variable]) -> None:
        """Check the state, then write what is due: nothing is ever written of a bad state."""
        self.stage = "check of the state"
        run.check_state()
        if due.output:
            self.record(run, chosen)
        if due.restart:
            self.keep_state(plan, run)

    def record(self, run: Run, chosen: dict[str, Variable]) -> None:
        """Add a record to the output. Collective."""
        self.stage = "output"
        values = {name: variable.field.gather() for name, variable in chosen.items()}

        def write() -> None:
            assert self.file is not None
            step = run.step_number
            known = {name: array for name, array in values.items() if array is not None}
            with _writing(self.file.path):
                self.file.append(step * run.dt, step, known)

        self.at_root(write)

    def keep_state(self, plan: Plan, run: Run) -> None:
        """Write a restart file in the place of the one before. Collective."""
        self.stage = "restart file"
        values = {name: field.gather() for name, field in run.state.items()}
        path, step = plan.out / RESTART, run.step_number

        def write() -> None:
            known = {name: array for name, array in values.items() if array is not None}
            with _writing(path):
                write_restart(path, plan.belongs, step, known)

        self.at_root(write)
        self.last_restart = f"{path}, step {step}"

    def close_output(self) -> None:
        """Finish the output file. Rank 0."""
        self.stage = "output"
        assert self.file is not None
        with _writing(self.file.path):
            self.file.close()

    def keep_good_records(self) -> None:
        """After a bad state: the records before it are whole and worth looking at. Local.

        Without new ones an earlier file is left as it is.
        """
        if self.file is None:
            return
        if self.file.records > self.file.taken:
            self.close_output()
        else:
            self.file.discard()

    def draw(self, plan: Plan, run: Run) -> None:
        """The pictures of the end. Collective."""
        self.stage = "pictures"
        name, variable = next(iter(run.variables.items()))
        values = variable.field.gather()
        self.at_root(lambda: _draw(plan, run, name, variable, values))

    def say_where(self, plan: Plan, run: Run) -> None:
        """The table and the names of the files. Rank 0."""
        if self.request.check:
            print(f"\ncheck       {_CHECKED}")
        elif self.summary is not None:
            print_summary(self.summary)
        print("".join(f"{line}\n" for line in self.found(plan, run)), end="")
        name = next(iter(run.variables))
        for what, file in (
            ("picture", f"{name}.png"),
            ("subdomains", PARTITION),
            ("NetCDF", OUTPUT),
            ("restart", RESTART),
            ("case", CASE),
        ):
            print(f"{what:<11} {plan.out / file}", flush=True)

    def found(self, plan: Plan, run: Run) -> list[str]:
        """What strategy `auto` took and why, and where it is kept. Local."""
        if plan.case.run.strategy != "auto":
            return []
        choice = str(run.step.choice)
        if run.step.strategy == "auto":
            choice = "auto had not measured enough before the run was over: longer runs have"
        elif choice and self.tuned is not None:
            choice += f"; {self.tuned.words}"
        return [choice] if choice else []

    def at_root(self, work: Callable[[], Any]) -> Any:
        """Run local work on rank 0; all ranks raise when it does. None elsewhere. Collective."""
        return together(self.comm, work if self.root else lambda: None)


def _tuned_file(case: Case) -> TunedFile | None:
    """The file that `auto` looks into, None for none. Local; UserError without `auto`."""
    if case.run.tuned is None:
        return None
    if case.run.strategy != "auto":
        raise user_error(
            "run.tuned",
            f"{case.run.tuned} with strategy {case.run.strategy}",
            "it with strategy auto, which looks into it",
            "add --strategy auto, or leave run.tuned out",
        )
    return TunedFile(case.run.tuned)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Turn what a disk can do into an OutsideError that names the file."""
    try:
        yield
    except (UserError, OutsideError):
        raise
    except (OSError, RuntimeError) as problem:  # the NetCDF library raises RuntimeError
        raise outside_error(
            str(path),
            f"{problem}{_free_space(path.parent)}",
            "to write it",
            "look at the free space of that disk",
        ) from problem


def _free_space(folder: Path) -> str:
    """How full the disk is, as the NetCDF library does not say; nothing where nobody knows."""
    try:
        return f" ({shutil.disk_usage(folder).free / 2**20:.1f} MiB free on that disk)"
    except OSError:
        return ""


def _what_is_kept(earlier: Earlier, agenda: Agenda, first: int) -> list[str]:
    """What a continued run does with the records that it found, in words."""
    kept, found = earlier.kept, len(earlier.steps)
    line = f"  output keeps {kept} of {found} records of {earlier.path} and appends to them"
    gap = earlier.missing_after(agenda, first)
    if gap is None:
        return [line]
    return [line, f"  note   records are missing in it after step {gap}, up to step {first}"]


def _chosen(run: Run, names: list[str]) -> dict[str, Variable]:
    """The variables to write, all by default. Local; UserError for an unknown name."""
    for name in names:
        if name not in run.variables:
            raise unknown_key("output.variables", name, run.variables, "a variable of the model")
    return {name: run.variables[name] for name in names or run.variables}


def _headlines(plan: Plan, run: Run, agenda: Agenda, first: int, domain: Domain) -> list[str]:
    case, size = plan.case, plan.geometry.grid.size
    cells = " x ".join(str(n) for n in size if n > 1)
    wet = int(np.asarray(plan.geometry.wet).sum())
    ranks = plan.partition.ranks
    start = f", from step {first} on" if first else ""
    return [
        f"{case.name}: {case.title}",
        f"  grid   {cells} cells, {wet:,} wet",
        f"  time   {agenda.last} steps of {format_duration(run.dt)} = "
        f"{format_clock(agenda.last * run.dt)}{start}",
        f"  ranks  {ranks} ({plan.cut}), strategy {case.run.strategy}, "
        f"transport {case.run.transport}"
        + (", progress thread" if os.environ.get("LAPWING_PROGRESS_THREAD") == "1" else ""),
        *(f"  note   {line}" for line in crowding(domain)),
    ]


def _draw(plan: Plan, run: Run, name: str, variable: Variable, values: Any) -> None:
    from lapwing.plot import Words, draw_map, draw_partition  # matplotlib, on one rank only

    case, geometry = plan.case, plan.geometry
    seconds = run.step_number * run.dt
    date = datetime.fromisoformat(case.run.start) + timedelta(seconds=seconds)
    words = Words(
        title=case.title,
        subtitle=f"{variable.long_name}, {format_clock(seconds)} after the start "
        f"({date:%Y-%m-%d %H:%M})",
        label=f"{variable.long_name} ({variable.units})",
    )
    wet = describe_variable(variable, geometry).wet
    draw_map(plan.out / f"{name}.png", values, wet, geometry, words)
    ranks = plan.partition.ranks
    text = f"{ranks} rank{'s' if ranks > 1 else ''}, {plan.cut}; wet cells are coloured by rank"
    words = Words(title=f"Subdomains of {case.name}", subtitle=text)
    draw_partition(plan.out / PARTITION, plan.partition, geometry, words)
