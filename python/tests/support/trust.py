"""Faults on real processes: what a run loses, and how long it takes to end. `make trust` prints it.

Each trial runs the tiny model in a folder of its own, hits it by a fault at some moment, waits for
the end, and goes on with `lapwing run --resume`: the output must equal the output of a run without
faults, and no process, no shared memory and no half file may be left. The results are kept as JSON,
from which the table of docs/trust.md is written.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lapwing.core.mpi_runtime import built_with
from tiny_install import install_tiny
from trust_faults import CASE, LAPWING, OFTEN, WATCHDOG, Fault, faults
from trust_places import Prepared, own_shared_memory, processes, wait_until

HANG = 120  # s: no run takes so long


@dataclass
class Row:
    """The results of the trials of a fault."""

    fault: Fault
    trials: int = 0
    hangs: int = 0
    lost: int = 0
    left: int = 0  # processes, segments of shared memory, half files
    longest: float = 0.0  # from the fault to the end, s
    troubles: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The numbers, by name. Local."""
        names = ("trials", "hangs", "lost", "left")
        numbers = {name: getattr(self, name) for name in names}
        fault = {"kind": self.fault.kind, "moment": self.fault.moment, "within": self.fault.within}
        return {
            **fault,
            **numbers,
            "longest": round(self.longest, 1),
            "troubles": len(self.troubles),
        }


# ---- one trial


def lapwing(folder: Path, environment: dict[str, str], *arguments: str) -> tuple[int, str]:
    """Run a command to its end: exit code and all that it printed. Local."""
    job = subprocess.run(
        [*LAPWING, *arguments], env=environment, cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=HANG,
    )  # fmt: skip
    return job.returncode, job.stdout


@dataclass
class Trial:
    """One run that is hit by a fault, and what comes after it."""

    fault: Fault
    folder: Path
    whole: Path
    row: Row
    modules: str
    identity: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of all commands of this trial."""
        return {
            **os.environ, "PYTHONPATH": self.modules, "TINY_NO_PICTURES": "1",
            "TRUST": self.identity, "LAPWING_WATCHDOG": str(WATCHDOG),
        }  # fmt: skip

    def run(self) -> None:
        """Run the trial, and add its result to the row."""
        row = self.row
        row.trials += 1
        (self.folder / "identity").write_text(self.identity)
        (self.folder / "modules").write_text(self.modules)
        with ExitStack() as places:
            shm = places.enter_context(own_shared_memory(self.folder, self.fault.shared_memory))
            there = places.enter_context(self.fault.place(self.folder))
            try:
                self.judge(*self.hit((*shm, *there.before)))
                row.left += bool(self.left_shared_memory())
                there.restore()
                self.go_on(there)
            except subprocess.TimeoutExpired:
                row.hangs += 1
            for process in processes(self.identity):
                row.left += 1
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGKILL)
            wait_until(lambda: not processes(self.identity), 20)

    def hit(self, before: Sequence[str]) -> tuple[int, str, float]:
        """Run until the end after the fault: exit code, output, seconds from fault to end."""
        fault, folder = self.fault, self.folder
        own = {**self.environment, **dict(fault.environment), "TINY_FAULT_MARK": f"{folder}/mark"}
        if fault.inside:
            own["TINY_FAULT"] = fault.inside

        def limited() -> None:
            if fault.limit is not None:
                what, most = fault.limit
                resource.setrlimit(what, (most, most))

        with (folder / "said").open("w+") as said:
            began = time.time()
            job = subprocess.Popen(
                [*before, *LAPWING, *CASE, *OFTEN, *fault.options, *fault.ranks, "--out", "here"],
                env=own, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, text=True,
                preexec_fn=limited,
            )  # fmt: skip
            try:
                fault.outside(job, folder)
            except AssertionError as problem:
                self.row.troubles.append(str(problem))
            code = job.wait(timeout=HANG)
            wait_until(lambda: not processes(self.identity), 20)
            mark = folder / "mark"
            since = time.time() - (mark.stat().st_mtime if mark.exists() else began)
            said.seek(0)
            return code, said.read(), since

    def judge(self, code: int, said: str, since: float) -> None:
        """True if the run ended as it should: its code, its words, its time."""
        fault, row = self.fault, self.row
        row.longest = max(row.longest, since)
        if code not in fault.codes:
            row.troubles.append(f"exit code {code}: {said[-1500:]}")
        if code and not said and code != -signal.SIGKILL:
            row.troubles.append("no word")
        row.troubles += [
            f"no {word!r} in: {said[-1500:]}" for word in fault.says if word not in said
        ]
        if since > fault.within:
            row.troubles.append(f"the end came after {since:.1f} s, not {fault.within:g}")

    def go_on(self, there: Prepared) -> None:
        """Go on after the fault, and compare with a run without one."""
        row, here = self.row, self.folder / "here"
        if not (here / "level.png").exists():
            intact = any(here.glob("restart.lapwing*"))
            again = ("--resume", "here") if intact else ("tiny", *OFTEN, "--out", "here")
            code, said = lapwing(self.folder, self.environment, "run", *again, "--ranks", "2")
            if code != 0:
                row.lost += 1
                row.troubles.append(said[-1500:])
                return
        compared = ("compare", str(self.whole), "here/output.nc")
        code, said = lapwing(self.folder, self.environment, *compared)
        half = [
            path.name for path in here.iterdir() if ".part" in path.name or "journal" in path.name
        ]
        if code != 0 or half:
            row.lost += code != 0
            row.left += bool(half)
            row.troubles.append(f"{said} {half}")

    def left_shared_memory(self) -> list[str]:
        """The files in the shared memory of this trial. Local."""
        shm = self.folder / "shm"
        return sorted(path.name for path in shm.iterdir()) if shm.is_dir() else []


# ---- all of them


def make_whole(folder: Path, modules: str) -> Path:
    """The output of a run without faults. Local."""
    environment = {**os.environ, "PYTHONPATH": modules, "TINY_NO_PICTURES": "1"}
    code, said = lapwing(folder, environment, *CASE, *OFTEN, "--out", "whole")
    if code != 0:
        raise SystemExit(said)
    return folder / "whole" / "output.nc"


def run_trials(chosen: Sequence[Fault], trials: int, modules: str) -> Iterator[Row]:
    """Every fault `trials` times; faults that cannot be tried here are named. Local."""
    with tempfile.TemporaryDirectory(prefix="lapwing-trust-") as scratch:
        whole = make_whole(Path(scratch), modules)
        for fault in chosen:
            if missing := fault.needs():
                print(f"skipped: {fault.kind}: {missing}", file=sys.stderr)
                continue
            row = Row(fault)
            for _ in range(trials):
                folder = Path(tempfile.mkdtemp(dir=scratch))
                Trial(fault, folder, whole, row, modules).run()
                shutil.rmtree(folder, ignore_errors=True)
            for trouble in row.troubles:
                print(f"{fault.kind}, {fault.moment}: {trouble}", file=sys.stderr)
            yield row


# ---- the page


def as_lines(rows: Sequence[dict[str, Any]], mpi: str) -> Iterator[str]:
    """The words and the table of docs/trust.md. Local."""
    kinds = len({row["kind"] for row in rows})
    total = {name: sum(row[name] for row in rows) for name in ("trials", "hangs", "lost", "left")}
    worst = max(row["longest"] for row in rows)
    least, most = (pick(row["within"] for row in rows) for pick in (min, max))
    yield (
        f"{kinds} kinds of fault, {len(rows)} with their moments, under {mpi}: "
        f"{total['trials']} trials, {total['hangs']} hangs,"
    )
    yield (
        f"{total['lost']} runs that lost data, {total['left']} that left a process, shared memory "
        "or a half file. From a fault to the"
    )
    yield f"end of the run, also of a run that goes on, it took {worst} s at most;"
    yield f"{least:g} to {most:g} s were allowed, depending on the fault."
    yield ""
    yield "| fault | longest, s |"
    yield "|---|---|"
    for kind in dict.fromkeys(row["kind"] for row in rows):
        mine = [row for row in rows if row["kind"] == kind]
        moments = ", ".join(dict.fromkeys(_without_transport(row["moment"]) for row in mine))
        when = "" if moments in ("any", "start") else f" ({moments})"
        yield f"| {kind}{when} | {max(row['longest'] for row in mine)} |"


def _without_transport(moment: str) -> str:
    return "exchange" if moment.startswith("exchange") else moment


BEGIN, END = "<!-- made by `make trust-page` -->", "<!-- end -->"


def page_with(page: str, kept: dict[str, Any]) -> str:
    """The page with the table of these results in its place. Local."""
    head, rest = page.split(BEGIN + "\n")
    tail = rest.split(END + "\n", 1)[1]
    return "".join(
        (
            head,
            BEGIN,
            "\n\n",
            "\n".join(as_lines(kept["rows"], kept["mpi"])),
            "\n\n",
            END,
            "\n",
            tail,
        )
    )


def main() -> None:
    """Print the table; ends with 1 where anything hung, was lost or left, or ended otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--only", default="", help="faults whose kind and moment hold this")
    parser.add_argument("--keep", type=Path, help="where the results go, as JSON")
    parser.add_argument(
        "--page", type=Path, help="write the kept results into this page, try nothing"
    )
    asked = parser.parse_args()
    if asked.page:
        kept = json.loads(asked.keep.read_text())
        asked.page.write_text(page_with(asked.page.read_text(), kept))
        return
    chosen = [fault for fault in faults() if asked.only in f"{fault.kind}, {fault.moment}"]
    rows = []
    with tempfile.TemporaryDirectory(prefix="lapwing-tiny-") as modules:
        for row in run_trials(chosen, asked.trials, str(install_tiny(Path(modules)))):
            rows.append(row.as_json())
            print(" ".join(f"{value}" for value in rows[-1].values()), flush=True)
    mpi = str(built_with())
    if asked.keep:
        asked.keep.write_text(json.dumps({"mpi": mpi, "rows": rows}, indent=1) + "\n")
    print("\n".join(as_lines(rows, mpi)))
    sys.exit(any(row["hangs"] or row["lost"] or row["left"] or row["troubles"] for row in rows))


if __name__ == "__main__":
    main()
