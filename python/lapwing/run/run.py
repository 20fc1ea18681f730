"""The driver: a case from its file to its pictures, on the ranks that there are."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lapwing.base.agreement import (
    DONE,
    OUTSIDE,
    all_came,
    at_root,
    end_alone,
    end_job,
    end_together,
    exit_code,
    watched,
)
from lapwing.base.atomic_file import make_folder, write_text_file
from lapwing.base.duration import format_duration
from lapwing.base.error import user_error
from lapwing.base.folder_lock import FolderLock
from lapwing.base.progress import StepProgress
from lapwing.base.stop import StopRequest
from lapwing.core import _core
from lapwing.core.domain import Domain
from lapwing.core.fields.move import move
from lapwing.core.partition import Partition
from lapwing.core.steps.tuned import TunedFile, tuned_file
from lapwing.io.agenda import Agenda, Due
from lapwing.io.records.records import Restart
from lapwing.io.result_files import CASE, POINTS, PROFILE, output_name, restart_name
from lapwing.model.model import Picture, Run, StateError, bring_up_to_date
from lapwing.run.balance.moments import steps_between
from lapwing.run.balance.rebalance import Rebalance
from lapwing.run.creation import create_case_run, step_of
from lapwing.run.pictures import PARTITION, draw_pictures, gather_needed, pictures_of
from lapwing.run.request import Request, Setup, searched_setup, setup_of_root
from lapwing.run.results import Results
from lapwing.run.servers.crew import Crew, make_crew, servers_as_text
from lapwing.run.servers.output_server import serve
from lapwing.run.servers.served_results import ServedResults
from lapwing.run.summary import (
    StepTotals,
    Summary,
    crowding,
    gather_summary,
    print_summary,
    write_summary,
)
from lapwing.run.threads import threads_of

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

_NO_RESTART = "none was written; --set run.restart_every=... writes one on the way"

_CHECKING = (
    "every stage undivided and several times, with wrong values wherever it does not say that it "
    "reads"
)
_CHECKED = "no stage read or wrote what it does not declare, in any step"

_PASS = 16  # steps at a time where they are quick: a strategy may join some of them
_QUICK = 250  # ms that several steps at a time may take
_REPORTS = 400  # updates of the progress over a whole run, at least


def run_case(request: Request, comm: Comm) -> int:
    """Run a case on all ranks of `comm` and return the exit code, the same on every rank.

    Collective. Errors are printed, not raised: errors of all ranks once and in order, an error of a
    single rank with its rank, stage and step, followed by MPI_Abort.
    """
    try:
        with StopRequest() as stop:
            return _run_until_told(request, comm, stop)
    except KeyboardInterrupt:
        if comm.size > 1:
            end_job(OUTSIDE)
        print(f"error: ended by {signal.SIGINT.name}", file=sys.stderr)
        return OUTSIDE


def _run_until_told(request: Request, comm: Comm, stop: StopRequest) -> int:
    try:
        setup = setup_of_root(request, comm)
    except Exception as problem:
        return end_together(comm, problem, "set-up", request.debug)
    crew = make_crew(comm, request.io_ranks)
    part = "output server" if crew.model is None else "end of the output"
    try:
        if crew.model is None:
            return serve(setup, crew)
        return _Job(request, setup, crew, crew.model, stop).run_and_end()
    except Exception as problem:  # others wait for this rank
        end_alone(comm, problem, part, request.debug)


def time_case(request: Request, comm: Comm) -> Summary | None:
    """Run a case without messages and pictures, and return its times on rank 0, None elsewhere.

    Collective over `comm`. Files are written as in `run_case`. Errors of all ranks of the model are
    raised there, when servers have ended; an error of one rank ends the job.
    """
    setup = setup_of_root(request, comm)
    crew = make_crew(comm, request.io_ranks)
    if crew.model is None:
        serve(setup, crew)
        return None
    job = _Job(request, setup, crew, crew.model, StopRequest())
    try:
        summary = job.time_all()
    except Exception as problem:
        if not all_came(crew.model):
            end_alone(comm, problem, job.where(), request.debug)
        job.results.end(exit_code(problem))
        job.release_folder()
        raise
    job.results.end(DONE)
    return summary


class _Job:
    """One run of one case on the ranks of its model, and how far it has come."""

    run: Run  # from `begin` on

    def __init__(
        self, request: Request, setup: Setup, crew: Crew, comm: Comm, stop: StopRequest
    ) -> None:
        self.request = request
        self.stop = stop  # this rank's
        self.stopped = 0  # the signal that stopped any rank
        self.setup = setup
        self.crew = crew
        self.comm = comm  # the ranks of the model
        self.stage = "set-up"
        self.first = 0  # the step that it starts from
        self.results: Results = (
            ServedResults(setup, crew, comm) if crew.servers else Results(setup, comm)
        )
        self.stepping = 0.0  # s inside the time step
        self.totals = StepTotals()  # of the steps before `counted`
        self.counted = 0  # the step that the present partition began with
        self.chosen = ""  # the words of `auto` on an earlier partition
        self.balance: Rebalance | None = None
        self.piece = self.longest_piece = 1  # steps at a time
        self.tuned: TunedFile | None = None
        self.summary: Summary | None = None
        self.lock: FolderLock | None = None  # on rank 0

    def where(self) -> str:
        """Describe how far the job has come."""
        step = f", step {self.run.step_number}" if hasattr(self, "run") else ""
        return f"{self.stage}{step}"

    def begin(self) -> None:
        """Put the model on its domain, at the step that it starts from. Collective."""
        self.setup = setup = searched_setup(self.setup, self.comm)
        case = setup.case
        self.tuned = tuned_file("run.tuned", case.run.tuned, case.run.strategy)
        making = self.make()
        run = self.run
        if case.run.rebalance is not None:
            self.balance = Rebalance(setup, steps_between(case.run.rebalance, run.dt), making)
        self.agenda = Agenda(
            run.dt,
            case.run.duration,
            case.output.every,
            case.run.restart_every,
            case.run.check_every,
            case.output.every_at_points,
            case.run.restart_at_end,
        )
        self.results.choose(run, self.domain)
        if setup.restart is not None:
            self.resume(setup.restart)
        self.counted = self.first

    def make(self, strategy: str = "") -> float:
        """Make a domain and put the model on it; the seconds that took on this rank. Collective."""
        setup, began = self.setup, time.perf_counter()
        axes = (setup.geometry.x, setup.geometry.y)
        self.domain = Domain(setup.partition, self.comm, axes=axes)
        self.run = create_case_run(setup, self.domain, strategy=strategy, tuned=self.tuned)
        if self.request.check:
            step_of(self.run, setup.case.name).check()
        return time.perf_counter() - began

    def recut(self, partition: Partition) -> None:
        """Go on with the model made again on another partition: the same bits. Collective.

        As a restart does, from memory. Until it returns, the fields of both are there.
        """
        domain, run, report = self.domain, self.run, self.run.step.report
        self.count()
        strategy = ""
        if self.setup.case.run.strategy == "auto" and report.strategy != "auto":
            strategy, self.chosen = report.strategy, str(report.choice)
        if self.tuned is not None:  # it is of the first partition
            self.tuned.keep(domain, report.strategy, report.choice)
            self.tuned = None
        self.setup = self.results.setup = replace(self.setup, partition=partition)
        self.make(strategy)
        move(list(run.state.values()), [self.run.state[name] for name in run.state])
        self.run.resume(run.step_number)
        self.run.step.reset_times()
        self.results.move_to(self.run, self.domain)
        domain.close()

    def count(self) -> None:
        """Add up what the present step did. Local."""
        self.totals.add(self.run.step, self.run.step_number - self.counted)
        self.counted = self.run.step_number

    def time_all(self) -> Summary | None:
        """The time loop with its files, and nothing else. Collective."""
        self.begin()
        self.open()
        self.compute()
        self.domain.close()
        self.release_folder()
        return self.summary

    def open(self) -> list[str]:
        """Take the folder of the results and make the files; lines to print on rank 0."""
        at_root(self.comm, self.take_folder)
        return self.results.open(self.agenda, self.first)

    def take_folder(self) -> None:
        """Make the folder of the results, for this job alone. Rank 0."""
        make_folder(self.setup.out)
        self.lock = FolderLock("--out", self.setup.out)

    def release_folder(self) -> None:
        """Let other jobs write there. Local."""
        if self.lock is not None:
            self.lock.release()

    def run_and_end(self) -> int:
        """Do what the ranks of the model do: all but the files that servers have."""
        try:
            self.run_all()
            code = DONE
        except Exception as problem:
            code = end_together(self.comm, problem, self.where(), self.request.debug)
        code = self.results.end(code)
        self.release_folder()
        return code

    def run_all(self) -> None:
        """Run everything from the setup to the pictures. Collective."""
        self.begin()
        try:
            found = self.open()
            at_root(self.comm, lambda: self.say_what_comes(found))
            self.compute()
        except StateError as problem:
            self.results.keep_good()
            last = self.results.last_restart or _NO_RESTART
            raise StateError(f"{problem}\n  restart:  {last}") from None
        except Exception:  # an end of the process from outside leaves the records too
            self.results.leave()
            raise
        if self.stopped:
            at_root(self.comm, self.say_how_to_go_on)
        else:
            self.draw()
        self.domain.close()

    def resume(self, path: Path) -> None:
        """Put the state of the restart file, or store, into the model."""
        restart = Restart(self.domain, path, self.run.state, belongs=self.setup.belongs)
        self.first = restart.read()
        self.require_before_end(path, self.first)
        self.run.resume(self.first)
        self.results.last_restart = f"{path}, step {self.first}"

    def require_before_end(self, path: Path, step: int) -> None:
        """Raise UserError for a restart of a step after the end of the run. Local."""
        last = self.agenda.last
        # a run that was killed after its last restart file has its records and pictures to finish
        if step > last or (step == last and not self.request.resume):
            raise user_error(
                f"--restart {path}",
                f"a state after {self.time_text(step)}, step {step}",
                f"one before the end of the run at {self.time_text(last)}",
                "run for longer with --set run.duration=...",
            )

    def time_text(self, step: int) -> str:
        """The time after a step, as text. Local."""
        return self.setup.geometry.time_text(step, self.run.dt)

    def say_what_comes(self, found: list[str]) -> None:
        """Write the case and the headlines. Rank 0."""
        setup = self.setup
        file = setup.out / CASE
        write_text_file(str(file), file, setup.case.to_toml(setup.out))
        notes = [f"  note   {note}" for note in setup.geometry.notes]
        notes += [f"  note   {note}: passed over" for note in setup.notes]
        notes += [f"  tuned  {setup.tuned}"] if setup.tuned else []
        notes += [f"  note   {self.tuned.words}"] if self.tuned is not None else []
        notes += [f"  note   {note}" for note in getattr(self.run, "notes", ())]
        if self.request.check:
            notes.append(f"  check  {_CHECKING}")
        lines = self.headlines() + servers_as_text(self.crew, bool(setup.points)) + notes + found
        print("\n".join(lines), flush=True)

    def headlines(self) -> list[str]:
        """The case, its grid, its time and its ranks. Local."""
        setup, case, size = self.setup, self.setup.case, self.setup.geometry.grid.size
        cells = " x ".join(str(n) for n in size if n > 1)
        wet = (
            f"{int(np.asarray(setup.geometry.wet).sum()):,} wet{' columns' if size[2] > 1 else ''}"
        )
        start = f", from step {self.first} on" if self.first else ""
        last = self.agenda.last
        length = self.time_text(last)
        if not setup.geometry.counts_steps:
            length = f"{last} steps of {format_duration(self.run.dt)} = {length}"
        threads = self.run.step.report.threads
        chosen = threads_of(self.domain, case.run.threads)[1]
        return [
            f"{case.name}: {case.title}",
            f"  grid   {cells} cells, {wet}",
            f"  time   {length}{start}",
            f"  ranks  {setup.partition.ranks} ({setup.cut}), strategy {case.run.strategy}, "
            f"transport {case.run.transport}"
            + (f", {threads} threads each" if threads > 1 else "")
            + ("" if case.run.wet_messages == "off" else f", wet messages {case.run.wet_messages}")
            + (", progress thread" if os.environ.get("LAPWING_PROGRESS_THREAD") == "1" else ""),
            *(f"  note   {line}" for line in [chosen, *crowding(self.domain)] if line),
        ]

    def compute(self) -> None:
        """The time loop with everything that is due in it, up to the finished output file."""
        first, last = self.first, self.agenda.last
        check_every = self.setup.case.run.check_every
        self.piece = max(1, min(check_every, last // _REPORTS))
        self.longest_piece = min(check_every, max(_PASS, last // _REPORTS))
        style = self.request.progress if self.comm.rank == 0 else "none"
        self.run.step.reset_times()
        began = time.perf_counter()
        if first == 0:
            self.initialise()
            self.keep(Due(0, output=True, restart=False, points=bool(self.setup.points)))
        with StepProgress(style, first, last, self.time_text) as reporter:
            for due in self.agenda.after(first):
                now_due = self.advance_to(due, reporter)
                self.stage = "check of the state"
                with watched(self.comm, "the check of the state"):
                    self.run.check_state()  # nothing is ever written of a bad one
                self.keep(now_due)
                if self.stopped:
                    break
        self.stage = "output"
        self.results.close()
        if self.tuned is not None:
            report = self.run.step.report
            self.tuned.keep(self.domain, report.strategy, report.choice)
        self.summary = self.summed_up(time.perf_counter() - began)

    def summed_up(self, wall: float) -> Summary | None:
        """The measurements of a run that took `wall` seconds, on rank 0. Collective."""
        self.count()
        summary = gather_summary(
            self.comm, self.run, self.totals, self.stepping, wall, self.results
        )
        if summary is None or self.balance is None:
            return summary
        return replace(summary, cuts=self.balance.cuts, cutting=self.balance.spent)

    def initialise(self) -> None:
        """Let the model work on its initial state, where it does so. Collective."""
        initialise = getattr(self.run, "initialise", None)
        if initialise is not None:
            self.stage = "initialisation"
            initialise()

    def advance_to(self, due: Due, reporter: StepProgress) -> Due:
        """Run up to the next output, or until a rank is to stop; return the outputs due."""
        while self.run.step_number < due.step:
            self.rebalance()
            run = self.run
            ahead = due.step - run.step_number
            if self.balance is not None:
                ahead = min(ahead, self.balance.until(run.step_number))
            self.lengthen(self.advance(min(self.piece, ahead)))
            reporter.at(run.step_number)
            self.stop.look()
            asked = _core.largest(self.domain, self.stop.number)
            if asked and run.step_number < self.agenda.last:
                self.stopped = asked
                if run.step_number < due.step:
                    return Due(run.step_number, output=False, restart=True)
                return replace(due, restart=True)
        return due

    def advance(self, steps: int) -> float:
        """Run some steps; return the seconds that they took on this rank."""
        self.stage = "time step"
        began = time.perf_counter()
        self.run.advance(steps)
        took = time.perf_counter() - began
        self.stepping += took
        if self.balance is not None:
            self.balance.sample(self.run.step, steps)
        self.results.move_on()
        return took

    def rebalance(self) -> None:
        """Cut the grid again where it is time to look and another partition pays. Collective."""
        balance, step = self.balance, self.run.step_number
        if balance is None or not balance.is_due(step):
            return
        self.stage = "rebalancing"
        cut = balance.better(self.comm, self.setup.partition, self.agenda.last - step)
        if cut is not None:
            began = time.perf_counter()
            self.recut(cut)
            gc.collect()  # a model whose kernels know it frees its former fields only then
            balance.note_cut(time.perf_counter() - began)

    def lengthen(self, took: float) -> None:
        """Run twice as many steps at a time from now on if these were quick on all ranks.

        Collective until pieces are as long as they may be. A run looks for signals in between.
        """
        longer = min(2 * self.piece, self.longest_piece)
        if longer > self.piece and _core.largest(self.domain, int(2000 * took)) < _QUICK:
            self.piece = longer

    def keep(self, due: Due) -> None:
        """Add what is due to the files. Collective."""
        self.stage = "output"
        if due.output or due.points:
            bring_up_to_date(self.run)
        self.results.keep(due)

    def say_how_to_go_on(self) -> None:
        """Say how to continue a run that was asked to stop. Rank 0."""
        name = signal.Signals(self.stopped).name
        print(f"stopped by {name} after step {self.run.step_number} of {self.agenda.last}")
        print(f"goes on with --resume: lapwing run --resume {self.setup.out}", flush=True)

    def draw(self) -> None:
        """Draw the pictures, and say what there is. Collective."""
        self.stage = "pictures"
        pictures = pictures_of(self.run, self.setup.geometry)
        gathered = gather_needed(self.run, pictures)
        at_root(self.comm, lambda: draw_pictures(self.setup, self.run, pictures, gathered))
        at_root(self.comm, lambda: self.say_where(pictures))

    def say_where(self, pictures: list[Picture]) -> None:
        """The table and the names of the files. Rank 0."""
        setup, summary, form = self.setup, self.summary, self.setup.case.output.format
        if self.request.check:
            print(f"\ncheck       {_CHECKED}")
        elif summary is not None and summary.steps == 0:
            print("\nno step was left to run; records and pictures are complete")
        elif summary is not None:
            print_summary(summary)
            write_summary(setup.out / PROFILE, setup, self.run.step.report.strategy, summary)
        print("".join(f"{line}\n" for line in self.choice()), end="")
        for what, file in (
            *(("picture", f"{picture.name}.png") for picture in pictures),
            ("subdomains", PARTITION),
            ("Zarr" if form == "zarr" else "NetCDF", output_name(form)),
            *([("points", POINTS)] if setup.points else []),
            *([("restart", restart_name(form))] if self.agenda.has_restarts else []),
            ("case", CASE),
            *([] if self.request.check else [("profile", PROFILE)]),
        ):
            print(f"{what:<11} {setup.out / file}", flush=True)

    def choice(self) -> list[str]:
        """Describe the strategy that `auto` took and why, and where it is kept. Local."""
        if self.setup.case.run.strategy != "auto":
            return []
        choice = self.chosen or str(self.run.step.report.choice)
        if self.run.step.report.strategy == "auto":
            choice = "auto had not measured enough before the run was over: longer runs have"
        elif choice and self.tuned is not None:
            choice += f"; {self.tuned.words}"
        return [choice] if choice else []
