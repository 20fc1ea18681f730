"""A program of the user's, in any language, run in every way and compared by what its steps hold.

The library writes digests of all fields where LAPWING_DIGESTS names a folder, and takes strategy,
transport and threads from the environment (`cpp/src/step/observers/step_digest.hpp`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from lapwing.base.agreement import OUTSIDE, WRONG_REQUEST
from lapwing.base.error import user_error
from lapwing.base.progress import ProgressBar, Style
from lapwing.commands.trials.verification import Difference, Outcome, Verification, Way
from lapwing.core import mpi_runtime

WATCHDOG = "60"  # s that a rank may wait for others, unless the environment says it
# by file of a step and line in it: steps run, cells, sum over their bits, name of the field
_Held = dict[tuple[str, int], tuple[int, int, int, str]]


def verify_program(
    command: Sequence[str],
    ranks: int,
    ways: Sequence[Way],
    progress: Style,
    *,
    check: bool,
) -> Verification:
    """Run the program in all ways on `ranks` ranks, compared with one rank. Local; starts ranks.

    UserError where it does not run on one rank, or has no step that runs.
    """
    if mpi_runtime.under_launcher():
        remedy = "leave out mpiexec: verify starts the ranks, --ranks N of them"
        raise user_error("verify of a program", "ranks", "a process of its own", remedy)
    if shutil.which(command[0]) is None:
        raise user_error("program", command[0], "one that can be run", "build it, or name its path")
    code, words, alone = _run(command, 1, {})
    if code != 0 or not alone:
        got = f"exit code {code}: {words}" if code else "no run of a lapwing step"
        remedy = "let the program end by itself, with the lapwing and the MPI of this command"
        raise user_error(f"{command[0]} on one rank", got, "a program that runs steps", remedy)
    undeclared = None
    if check:
        code, words, _ = _run(command, ranks, {"LAPWING_CHECK": "1"})
        undeclared = words if code else ""
    steps = max(run for run, *_ in alone.values())
    outcomes = []
    with ProgressBar(progress, len(ways)) as attempts:
        for way in ways:
            attempts.begin(str(way))
            outcomes.append(_try(command, ranks, way, alone))
    name = " ".join(Path(word).name for word in command)
    return Verification(name, ranks, steps, {}, outcomes, undeclared)


def _try(command: Sequence[str], ranks: int, way: Way, alone: _Held) -> Outcome:
    named = {"LAPWING_STRATEGY": way.strategy, "LAPWING_TRANSPORT": way.transport}
    named["LAPWING_THREADS"] = str(way.threads)
    which = way.strategy, way.transport, way.threads
    code, words, held = _run(command, ranks, named)
    # refused, or without what a transport needs; to fail once the step is made is another matter
    if (code == WRONG_REQUEST and not held) or (code == OUTSIDE and held is None):
        return Outcome(*which, "unavailable", words)
    if code or held is None:
        return Outcome(*which, "fails", f"exit code {code}: {words}")
    if [(*one[:2], one[3]) for one in held.values()] != [
        (*one[:2], one[3]) for one in alone.values()
    ]:
        return Outcome(*which, "fails", "other steps, fields or owned cells than on one rank")
    first: dict[str, Difference] = {}
    for (_, _, bits, _), (run, _, wanted, name) in zip(held.values(), alone.values(), strict=True):
        if bits != wanted:
            first.setdefault(name, Difference(name, run, 0, ()))
    steps = max(run for run, *_ in held.values())
    return Outcome(
        *which, "differs" if first else "equal", differences=[*first.values()], steps=steps
    )


def _run(
    command: Sequence[str], ranks: int, more: Mapping[str, str]
) -> tuple[int, str, _Held | None]:
    """Its exit code, the end of its errors, and the values of its fields. Local.

    None for a program that made no step.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **{"LAPWING_STRATEGY": "blocking", "LAPWING_TRANSPORT": "p2p"},
            "LAPWING_THREADS": "1",
        }
        environment |= {"LAPWING_WATCHDOG": os.environ.get("LAPWING_WATCHDOG", WATCHDOG)}
        environment |= {"LAPWING_DIGESTS": folder, **more}
        ended = subprocess.run(
            [*mpi_runtime.launcher_command(ranks), *command],
            env=mpi_runtime.launcher_environment() | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        return ended.returncode, _reason(ended.stderr), _held(Path(folder))


# the library's message for an error in C++, C and Fortran, and Python's name of an uncaught one
_MESSAGE = re.compile(r"(?:lapwing: |(?:\w+\.)*\w+Error: )(.+)")
_BESIDE = (" in the place of ", " ends the job after an exception that nobody caught")


def _reason(errors: str) -> str:
    """The words of a program's errors that say why it ended, the same from any rank. Local."""
    said = [line for line in errors.splitlines() if line.strip()]
    said = [line for line in said if not any(words in line for words in _BESIDE)]
    messages = [found[1] for found in map(_MESSAGE.fullmatch, said) if found]
    return (messages or said or ["nothing was said"])[-1]


def _held(folder: Path) -> _Held | None:
    """Read what all ranks have written, in the order of steps and fields. Local."""
    held: _Held = {}
    files = sorted(folder.iterdir())
    for file in files:
        step, _, _ = file.name.partition("-rank-")
        for number, line in enumerate(file.read_text().splitlines()):
            run, cells, bits, name = line.split(" ", 3)
            _, known_cells, known, _ = held.get((step, number), (0, 0, 0, ""))
            total = (known + int(bits)) % 2**64
            held[step, number] = (int(run), known_cells + int(cells), total, name)
    return dict(sorted(held.items())) if files else None
