"""A command whose output nothing reads any more, as in `lapwing plan CASE | head`, ends quietly."""

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_server import LAPWING
from lapwing.base.stop import READER_GONE

COMMANDS = (
    ("run", "--help"),
    ("plan", "kelvin-small", "--ranks", "1"),
    ("run", "kelvin-small", "--ranks", "1", "--out", "out"),
    ("census", "kelvin-small", "--ranks", "1", "--steps", "2"),
)
ON_RANKS = ("plan", "kelvin-small", "--ranks", "2")


def without_reader(arguments: Sequence[str], folder: Path) -> tuple[int, str]:
    """Exit code and standard error of a command whose standard output is a pipe without reader."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*LAPWING, *arguments],
        cwd=folder,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    os.close(writing)
    return done.returncode, done.stderr


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_command_ends_quietly(arguments: Sequence[str], tmp_path: Path) -> None:
    assert without_reader(arguments, tmp_path) == (READER_GONE, "")


@pytest.mark.ranks
def test_a_command_on_ranks_ends_quietly(tmp_path: Path) -> None:
    code, said = without_reader(ON_RANKS, tmp_path)
    assert code in (0, READER_GONE)
    assert said == ""


def test_the_exit_code_is_that_of_a_program_ended_by_the_signal(tmp_path: Path) -> None:
    code = subprocess.run(["bash", "-c", "kill -PIPE $$"], cwd=tmp_path, timeout=60).returncode
    assert READER_GONE == 128 - code == 128 + signal.SIGPIPE


def test_errors_of_other_pipes_are_told(tmp_path: Path) -> None:
    """A broken pipe that is not the output is an error like any other."""
    code = (
        "import os\n"
        "from lapwing.base.stop import quiet_without_reader\n"
        "reading, writing = os.pipe()\n"
        "os.close(reading)\n"
        "with quiet_without_reader():\n"
        "    os.write(writing, b'x')\n"
    )
    done = subprocess.run(
        [LAPWING[0], "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "BrokenPipeError" in done.stderr
