"""Where a run meets a fault: disks and memory that are too small, links that are cut. For root."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

Command = tuple[str, ...]
Place = Callable[[Path], AbstractContextManager["Prepared"]]


class Prepared:
    """What a place puts in front of the command, and how it is made good again before going on."""

    def __init__(self, before: Command = (), restore: Callable[[], None] = lambda: None) -> None:
        """Keep both."""
        self.before, self.restore = before, restore


def needs_root() -> str:
    """Why this cannot be tried here; empty where it can. Local."""
    return "" if os.geteuid() == 0 and shutil.which("unshare") else "only root can try that"


def wait_until(there: Callable[[], bool], seconds: float = 60) -> None:
    """Wait for something; no longer than that. Local."""
    end = time.monotonic() + seconds
    while not there() and time.monotonic() < end:
        time.sleep(0.01)


def _do(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


@contextmanager
def nowhere(folder: Path) -> Iterator[Prepared]:
    """No place in particular."""
    yield Prepared()


# ---- disks


def small_disk(size: str) -> Place:
    """The results are to lie on a disk of that size, which grows before the run goes on."""

    @contextmanager
    def place(folder: Path) -> Iterator[Prepared]:
        here = folder / "here"
        here.mkdir()
        _do("mount", "-t", "tmpfs", "-o", f"size={size}", "lapwing-trust", str(here))
        try:
            yield Prepared(restore=lambda: _do("mount", "-o", "remount,size=100m", str(here)))
        finally:
            _do("umount", "-l", str(here))

    return place


@contextmanager
def read_only_disk(folder: Path) -> Iterator[Prepared]:
    """The results are to lie where nothing can be written, until the run goes on."""
    here = folder / "here"
    here.mkdir()
    _do("mount", "-t", "tmpfs", "-o", "ro", "lapwing-trust", str(here))
    try:
        yield Prepared(restore=lambda: _do("mount", "-o", "remount,rw", str(here)))
    finally:
        _do("umount", "-l", str(here))


# ---- memory


@contextmanager
def own_shared_memory(folder: Path, size: str = "64m") -> Iterator[Command]:
    """What gives a command a /dev/shm of its own, which is folder/shm from outside."""
    if needs_root():
        yield ()
        return
    shm = folder / "shm"
    shm.mkdir()
    _do("mount", "-t", "tmpfs", "-o", f"size={size}", "lapwing-trust", str(shm))
    script = f'mount --bind "{shm}" /dev/shm && exec "$@"'
    try:
        yield ("unshare", "--mount", "sh", "-c", script, "sh")
    finally:
        _do("umount", "-l", str(shm))


_GROUPS = Path("/sys/fs/cgroup")


def _limit_file() -> Path:
    """The file with the limit of the control group around all others, there or not."""
    if (_GROUPS / "memory").is_dir():
        return _GROUPS / "memory" / "memory.limit_in_bytes"
    return _GROUPS / "memory.max"


def needs_memory_groups() -> str:
    """Why no control group of memory can be made here; empty where one can. Local."""
    limit = _limit_file()
    group = limit.parent / f"lapwing-trial-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as problem:
        return f"no control groups of memory: {problem.strerror}"
    there = (group / limit.name).exists()
    group.rmdir()
    return "" if there else "no control groups of memory"


def memory_group(size: int) -> Place:
    """A control group with so many bytes of memory."""

    @contextmanager
    def place(folder: Path) -> Iterator[Prepared]:
        limit = _limit_file()
        group = limit.parent / f"lapwing-{folder.name}"
        group.mkdir()
        (group / limit.name).write_text(str(size))
        script = f'echo $$ > "{group}/cgroup.procs" && exec "$@"'
        try:
            yield Prepared(("sh", "-c", script, "sh"))
        finally:
            wait_until(lambda: not (group / "cgroup.procs").read_text().strip(), 20)
            with suppress(OSError):
                group.rmdir()

    return place


# ---- links between emulated nodes


def needs_network() -> str:
    """Why there is no emulated network here; empty where there is. Local."""
    if find_spec("lapwing_lab") is None:
        return "lapwing-lab is not installed: `make lab`"
    from lapwing_lab.netlab import netlab

    return netlab.trouble()


@contextmanager
def two_nodes(folder: Path) -> Iterator[Prepared]:
    """The ranks are to run on two emulated nodes."""
    yield Prepared((sys.executable, "-m", "lapwing", "netlab", "run", "--nodes", "2", "--"))


def front_of(identity: str) -> int:
    """The process at the front of the emulated cluster of a trial. Local."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words = (place / "cmdline").read_bytes().split(b"\0")
            mine = identity.encode() in (place / "environ").read_bytes()
            if mine and b"python" in words[0] and b"lapwing_lab.netlab.cluster" in words:
                return int(place.name)
    raise RuntimeError("no emulated cluster is there")


def _on_front(folder: Path, *command: str) -> None:
    front = front_of((folder / "identity").read_text())
    _do("nsenter", f"--target={front}", "--net", *command)


def _begun(job: subprocess.Popen[str], folder: Path) -> None:
    wait_until(lambda: (folder / "here" / "case.toml").exists() or job.poll() is not None)
    time.sleep(random.uniform(0, 0.5))


def link_cut(seconds: float | None = None) -> Callable[[subprocess.Popen[str], Path], None]:
    """Cut the link of the second node, for so long or for good."""

    def cut(job: subprocess.Popen[str], folder: Path) -> None:
        _begun(job, folder)
        _on_front(folder, "ip", "link", "set", "port1", "down")
        (folder / "mark").touch()
        if seconds is not None:
            time.sleep(seconds)
            _on_front(folder, "ip", "link", "set", "port1", "up")

    return cut


def cut_and_killed(job: subprocess.Popen[str], folder: Path) -> None:
    """Cut the link of the second node, and kill the rank on the first one."""
    link_cut()(job, folder)
    identity = (folder / "identity").read_text()
    for process in processes(identity):
        if b"PMI_RANK=0\0" in (Path("/proc") / str(process) / "environ").read_bytes():
            os.kill(process, signal.SIGKILL)


def processes(word: str) -> list[int]:
    """The processes whose environment holds a word, and that run. Local."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if word.encode() in (place / "environ").read_bytes():
                found.append(int(place.name))
    return found


def link_slowed(job: subprocess.Popen[str], folder: Path) -> None:
    """Let 64 kbit/s through to the second node."""
    _begun(job, folder)
    shaper = ("tbf", "rate", "64kbit", "burst", "4kb", "latency", "500ms")
    _on_front(folder, "tc", "qdisc", "add", "dev", "port1", "root", *shaper)
    (folder / "mark").touch()
