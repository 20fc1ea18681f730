"""Runs `python -m lapwing ARGUMENTS` for tests, in a new process or in the fork of one that waits.

Most of what a short command takes is loading modules. The server loads them once and forks for
every command: the fork has its own working directory, environment, output and exit code, starts
MPI itself, and ends as a process does. Ranks that it starts are forks of the rank server.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import types
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rank_server

LAPWING = (sys.executable, "-m", "lapwing")


@dataclass(frozen=True)
class Answer:
    """The result of a command: exit code, standard output and standard error."""

    code: int
    out: str
    err: str


class TooLongError(Exception):
    """A command did not end in time; the text is what it had printed."""


@dataclass(frozen=True)
class Place:
    """Where a command runs: working directory, environment, and what comes first on sys.path."""

    folder: Path
    environment: Mapping[str, str]
    modules: Path


def in_new_process(
    arguments: Sequence[str], place: Place, timeout: float, before: Sequence[str] = ()
) -> Answer:
    """Run the command as a user does; `before`: a command in front, like mpiexec."""
    job = subprocess.Popen(
        [*before, *LAPWING, *arguments],
        env={**place.environment, "PYTHONPATH": str(place.modules)},
        cwd=place.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = job.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGTERM)
        out, err = job.communicate(timeout=10)
        raise TooLongError(out + err) from None
    return Answer(job.returncode, out, err)


class CommandServer:
    """The process that forks; another one after a command that was left in the middle."""

    def __init__(self, environment: Mapping[str, str], folder: Path) -> None:
        self._environment = dict(environment)
        self.rank = folder / "rank"  # what an MPI launcher starts in place of Python
        self._start()

    def _start(self) -> None:
        name = f"lapwing-tests-{uuid.uuid4()}"
        client = Path(__file__).with_name("rank_client.py")
        words = (sys.executable, "-IS", client, name, sys.executable)
        self.rank.write_text(f'#!/bin/sh\nexec {" ".join(map(str, words))} "$@"\n')
        self.rank.chmod(0o700)
        with rank_server.listen(name) as listener:
            listening = str(listener.fileno())
            self._process = subprocess.Popen(
                [sys.executable, __file__, listening, str(self.rank)],
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,  # else select would not see a line that was read with the one before
                pass_fds=[listener.fileno()],
            )
        self._line(100)

    def run(self, arguments: Sequence[str], place: Place, timeout: float) -> Answer:
        """Run the command in a fork; TooLongError where it does not end in time."""
        try:
            return self._run(arguments, place, timeout)
        except TooLongError:
            raise
        except BaseException:  # pytest's own limit, say: the answer would be taken for the next one
            self._process.kill()
            self._process.communicate()
            self._start()
            raise

    def _run(self, arguments: Sequence[str], place: Place, timeout: float) -> Answer:
        with tempfile.TemporaryDirectory() as scratch:
            out, err = (Path(scratch, name) for name in ("out", "err"))
            self._ask(arguments, place, out, err)
            child = int(self._line(60))
            try:
                code = int(self._line(timeout))
            except TimeoutError:
                os.killpg(child, signal.SIGTERM)
                self._line(10)
                raise TooLongError(out.read_text() + err.read_text()) from None
            return Answer(code, out.read_text(), err.read_text())

    def close(self) -> None:
        """End the server."""
        self._process.communicate(timeout=10)

    def _ask(self, arguments: Sequence[str], place: Place, out: Path, err: Path) -> None:
        asked = {
            "arguments": list(arguments),
            "folder": str(place.folder),
            "environment": {**place.environment, "PYTHONPATH": str(place.modules)},
            "out": str(out),
            "err": str(err),
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")

    def _line(self, timeout: float) -> bytes:
        """The next line of the server, which writes whole ones and waits in between."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], timeout)[0]:
            raise TimeoutError
        line = self._process.stdout.readline()
        assert line, "the server of commands has ended"
        return line


# ---- inside the server


def _serve() -> dict[str, Any] | None:
    """Fork for every line of standard input; returns in the fork what was asked, else None."""
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            return dict(json.loads(line))
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return None


def _become(asked: Mapping[str, Any], rank: str) -> None:
    """Turn this fork into the process of a command; `rank`: what it starts as Python on ranks."""
    os.setsid()
    for number, name in ((0, os.devnull), (1, asked["out"]), (2, asked["err"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.executable = rank
    _run(["-m", "lapwing", *asked["arguments"]], asked["folder"], asked["environment"])


def _run(arguments: Sequence[str], folder: str, environment: Mapping[str, str]) -> None:
    """Do in this fork what `python ARGUMENTS` does: -m lapwing ..., or -c CODE ..."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    more = environment.get("PYTHONPATH", "")
    sys.path[:1] = [folder, *more.split(os.pathsep)] if more else [folder]  # for this file's folder
    kind, what, *words = arguments
    if kind == "-m":
        sys.argv = ["lapwing", *words]
        sys.modules["lapwing.__main__"].main()
    else:
        sys.argv = ["-c", *words]
        main = sys.modules["__main__"] = types.ModuleType("__main__")
        exec(compile(what, "<string>", "exec"), main.__dict__)


def _load() -> None:
    """Import what commands import; MPI is not started, as a process with MPI must not fork."""
    import cf_xarray  # noqa: F401  # with xarray: what reads masks
    import lapwing
    import scipy.fft  # noqa: F401
    from lapwing.model.registry import installed_models
    from typer.testing import CliRunner

    for module in pkgutil.walk_packages(lapwing.__path__, "lapwing."):
        if not module.name.endswith(".liblapwing"):  # the C++ library, no module
            importlib.import_module(module.name)
    installed_models()
    # what typer loads with the first command
    CliRunner().invoke(sys.modules["lapwing.__main__"].app, ["compare", "no-file", "no-file"])


def main(listening: str, rank: str) -> None:
    """Load, and fork; ranks are forked by another fork, as a command waits for them."""
    _load()
    gc.freeze()  # a collection in a fork would copy all that is loaded
    parent, here = os.pipe()
    if os.fork() == 0:
        os.close(here)
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(nothing, number)
        asked = rank_server.serve(socket.socket(fileno=int(listening)), parent)
        _run(asked["arguments"], asked["folder"], asked["environment"])
        return
    os.close(parent)
    os.close(int(listening))
    print("ready", flush=True)
    request = _serve()
    if request is not None:
        _become(request, rank)


if __name__ == "__main__":
    main(*sys.argv[1:])
