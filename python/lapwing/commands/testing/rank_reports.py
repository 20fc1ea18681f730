"""The reports of the ranks of a test, in files of a folder of the session that started them."""

from __future__ import annotations

import faulthandler
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, Any, Self

FOLDER = "LAPWING_TEST_REPORTS"  # in the environment of ranks: where they leave reports

GRACE = 3.0  # s that the other ranks get to come to an end once one has failed
LOOK = 0.02  # s between looks


def write_report(outcome: str, words: str) -> None:
    """Leave the outcome of this rank, where there is a folder for it. Local."""
    folder = os.environ.get(FOLDER)
    if not folder:
        return
    from lapwing.core.mpi_runtime import announced_rank  # not where pytest starts

    path = Path(folder) / f"rank-{announced_rank()}.json"
    part = path.with_suffix(".part")
    part.write_text(json.dumps({"outcome": outcome, "words": words}))
    part.replace(path)
    if outcome == "begun":  # where it is, every second, should it never end
        faulthandler.dump_traceback_later(1, repeat=True, file=path.with_suffix(".stack").open("w"))
    else:
        faulthandler.cancel_dump_traceback_later()


class RankReports:
    """The folder of one test, and what its ranks have left there."""

    def __init__(self, ranks: int, test: str) -> None:
        """Nothing so far."""
        self.ranks, self.test = ranks, test
        self.folder = Path()
        self.output: IO[bytes]
        self.told = ""  # text of the launcher and the ranks, outside of tests
        self.late = ""  # how it came to an end that was not its own
        self.code = 0
        self.found: list[dict[str, Any]] = []
        self.stacks: dict[int, str] = {}

    def __enter__(self) -> Self:
        """Make the folder."""
        self.folder = Path(tempfile.mkdtemp(prefix="lapwing-test-"))
        self.output = (self.folder / "output").open("w+b")
        return self

    def __exit__(self, *_: object) -> None:
        """Read what is in the folder, and remove it."""
        self.output.close()
        self.told = (self.folder / "output").read_text(errors="replace")
        self.found = [self._of(rank) for rank in range(self.ranks)]
        for rank in range(self.ranks):
            stack = self.folder / f"rank-{rank}.stack"
            dumps = stack.read_text().split("Timeout (") if stack.exists() else [""]
            self.stacks[rank] = dumps[-1].partition("\n")[2]
        shutil.rmtree(self.folder, ignore_errors=True)

    def _of(self, rank: int) -> dict[str, Any]:
        path = self.folder / f"rank-{rank}.json"
        return json.loads(path.read_text()) if path.exists() else {"outcome": "none", "words": ""}

    def watch(self, job: subprocess.Popen[bytes], timeout: float) -> None:
        """Wait for the job; end it when it takes too long, or ranks wait for one that failed."""
        began = time.monotonic()
        failed: float | None = None
        while job.poll() is None:
            now = time.monotonic()
            if failed is None and any(
                self._of(rank)["outcome"] == "failed" for rank in range(self.ranks)
            ):
                failed = now
            if now - began > timeout:
                self.late = f"no end after {timeout:g} s"
            elif failed is not None and now - failed > GRACE:
                self.late = "the others did not come to an end after one had failed"
            if self.late:
                _end(job)
                break
            time.sleep(LOOK)
        self.code = job.wait()

    def skipped(self) -> str:
        """Why all ranks skipped the test; empty where they did not."""
        if all(one["outcome"] == "skipped" for one in self.found):
            return str(self.found[0]["words"])
        return ""

    def problem(self) -> str:
        """The failures, rank by rank; empty without any."""
        if not self.late and self.code == 0 and all(r["outcome"] == "passed" for r in self.found):
            return ""
        head = f"{self.test} on {self.ranks} ranks: {self.late or f'exit code {self.code}'}"
        same: dict[str, list[int]] = {}
        for rank, one in enumerate(self.found):
            same.setdefault(self._words(rank, one), []).append(rank)
        parts = [f"=== rank {', '.join(map(str, ranks))}: {text}" for text, ranks in same.items()]
        nobody = all(one["outcome"] == "none" for one in self.found)
        told = [f"=== output\n{self.told.strip()}"] if nobody and self.told.strip() else []
        return "\n".join([head, *parts, *told])

    def _words(self, rank: int, one: dict[str, Any]) -> str:
        match one["outcome"]:
            case "failed":
                return f"failed\n{one['words'].rstrip()}"
            case "begun":
                stack = self.stacks[rank].strip()
                return "did not end" + (f", and was here:\n{stack}" if stack else "")
            case "none":
                return "did not begin the test"
            case outcome:
                return str(outcome)


def _end(job: subprocess.Popen[bytes]) -> None:
    job.terminate()  # a killed launcher would leave its ranks behind
    try:
        job.wait(10)
    except subprocess.TimeoutExpired:
        job.kill()
