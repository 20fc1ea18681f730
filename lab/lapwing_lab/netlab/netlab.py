"""An emulated cluster of network namespaces, and a command that runs across it.

`run` starts one process in namespaces of its own for process ids, mounts and network, and that one
(`cluster.py`) builds the cluster. Nothing of it can be left over: when the process ends,
for whatever reason, the kernel ends everything that it started and takes the networks away. It
ends when this one does, however that came about, as it holds the far end of a pipe from here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lapwing.base.error import OutsideError, outside_error
from lapwing.core.mpi_runtime import launcher_environment
from lapwing.run.launch import judged, passing_on

from lapwing_lab.netlab.request import NetlabRequest, NetworkOptions, parse

_PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "nsenter": "util-linux"}

# With --kill-child everything inside ends also when `unshare` itself is killed.
_SANDBOX = [
    *("unshare", "--pid", "--fork", "--kill-child"),
    *("--mount", "--mount-proc", "--net", "--ipc", "--"),
]

_ENDING_TIME = 20.0  # s from being told to the end: what COMMAND may take, and more
_TRIAL_TIME = 20.0  # s


def require() -> None:
    """Raise OutsideError unless this machine can have an emulated cluster. Local."""
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        packages = " ".join(sorted({_PROGRAMS[name] for name in missing}))
        raise outside_error(
            "lapwing netlab",
            f"no {' and no '.join(missing)} on PATH",
            "ip and tc (iproute2), unshare and nsenter (util-linux)",
            f"apt-get install {packages}, or `make system-packages`",
        )
    if os.geteuid() != 0:
        remedy = "run it as root, say with sudo"
        raise outside_error("lapwing netlab", f"user {os.geteuid()}", "root", remedy)


def run(request: NetlabRequest) -> int:
    """Run the command of a request across an emulated cluster; its exit code, as `judged`.

    Local. Raises OutsideError where this machine cannot have one. Costs 0.1 s per node.
    """
    require()
    with _inside(request) as (job, end), passing_on(end) as told:
        code = job.wait()
    return judged(code, request.command[0], told)


def trouble() -> str:
    """Why there is no emulated cluster to be had here, by trying; "" where there is. Local."""
    try:
        require()
    except OutsideError as problem:
        return str(problem)
    request = parse(NetworkOptions(nodes=1), ["true"], os.getpid())
    with _inside(request, subprocess.PIPE) as (job, _):
        try:
            _, said = job.communicate(timeout=_TRIAL_TIME)
        except subprocess.TimeoutExpired:
            job.kill()
            return f"no end of a trial after {_TRIAL_TIME:g} s"
    return "" if job.returncode == 0 else " ".join(said.split())


@contextmanager
def _inside(
    request: NetlabRequest, output: int | None = None
) -> Iterator[tuple[subprocess.Popen[str], Callable[[], None]]]:
    """The process that is the cluster, and what tells it to end; it has gone when the block ends.

    Local. It knows by a pipe that this process lives: to tell it is to close the end here, does
    not wait, and may be done again.
    """
    lifeline, here = os.pipe()
    alive = os.fdopen(here, "wb")
    program = [sys.executable, "-m", "lapwing_lab.netlab.cluster"]
    job = subprocess.Popen(
        [*_SANDBOX, *program, str(lifeline), request.to_text()],
        env=launcher_environment(),
        pass_fds=[lifeline],
        stdout=output,
        stderr=output,
        text=True,
    )
    os.close(lifeline)
    try:
        yield job, alive.close
    finally:
        alive.close()
        try:
            job.wait(_ENDING_TIME)
        except subprocess.TimeoutExpired:
            job.kill()
        job.wait()
