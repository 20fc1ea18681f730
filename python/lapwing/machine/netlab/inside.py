"""Inside an emulated cluster: the process that builds it, and all of it ends with.

`python -m lapwing.machine.netlab.inside LIFELINE REQUEST`, started by `netlab.py` as the
first process of a namespace of process ids. LIFELINE: file descriptor that is at
its end when the cluster is to end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from lapwing.base.agreement import OUTSIDE, describe, exit_code
from lapwing.base.error import user_error
from lapwing.base.hosts import with_hosts
from lapwing.core import mpi_runtime
from lapwing.machine.netlab.cluster import PRIVATE, Cluster
from lapwing.machine.netlab.request import NetlabRequest

# What Open MPI asks of root, whichever MPI the command may start; and a folder of each node's own
# for its daemons, which name theirs by process ids: small here, and alike in two clusters.
_SETTINGS = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "TMPDIR": str(PRIVATE),
}

_GRACE = 5.0  # s from SIGTERM to the end of everything


def main() -> int:
    """Build the cluster, run the command, print what the links carried; returns an exit code."""
    # Ctrl-C reaches this process as well as the one that asked, which then ends the lifeline.
    signal.signal(signal.SIGINT, lambda *_: None)
    request = NetlabRequest.from_text(sys.argv[2])
    jobs: list[subprocess.Popen[bytes]] = []
    threading.Thread(target=_await_end, args=(int(sys.argv[1]), jobs), daemon=True).start()
    try:
        cluster = Cluster(request)
        jobs.append(_start(cluster))
        code = jobs[0].wait()
        print(cluster.traffic(), file=sys.stderr)
    except Exception as problem:
        print(describe(problem, False), file=sys.stderr)
        return exit_code(problem)
    return code if code >= 0 else OUTSIDE


def _await_end(lifeline: int, jobs: list[subprocess.Popen[bytes]]) -> None:
    """Wait for the end of the lifeline, then end the command, and after a while everything."""
    os.read(lifeline, 1)
    for job in jobs:
        job.terminate()
        time.sleep(_GRACE)
    # the kernel ends all other processes here with this one
    os._exit(OUTSIDE)


def _start(cluster: Cluster) -> subprocess.Popen[bytes]:
    """Start the command of the request with the hosts in its environment."""
    hosts = cluster.hosts
    command = list(cluster.request.command)
    name = Path(command[0]).name
    if command[0] == "lapwing":
        command[:1] = [sys.executable, "-m", "lapwing"]
    elif name in ("mpiexec", "mpirun"):
        command = with_hosts(command, hosts, _family(command[0]))
    environment = {**os.environ, **_SETTINGS, **hosts.variables()}
    try:
        # in a session of its own: what it signals to its process group stays inside the cluster
        return subprocess.Popen(command, env=environment, start_new_session=True)
    except OSError as problem:
        raise user_error(
            "COMMAND", f"{command[0]!r} ({problem.strerror})", "a program", "correct its name"
        ) from problem


def _family(mpiexec: str) -> str:
    """Whose launcher a user's mpiexec is: "Open MPI" or "MPICH"."""
    try:
        text = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    except OSError:
        return mpi_runtime.built_with().family
    return "Open MPI" if "Open MPI" in text or "OpenRTE" in text else "MPICH"


if __name__ == "__main__":
    sys.exit(main())
