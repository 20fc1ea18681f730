"""Stands for a rank that an MPI launcher started: the rank itself is a fork of the rank server.

python -IS rank_client.py SOCKET PYTHON -m lapwing ARGUMENTS   (or -c CODE ARGUMENTS)

It hands over arguments, environment, folder and descriptors, passes signals on, and ends as the
rank does. If this process is killed, the kernel kills the rank.
"""

import json
import os
import signal
import socket
import sys

PASSED_ON = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2)


def main() -> None:
    """Ask for a rank and wait for it."""
    name, python, *arguments = sys.argv[1:]
    if arguments[:1] != ["-c"] and arguments[:2] != ["-m", "lapwing"]:
        os.execv(python, [python, *arguments])
    more = os.environ.get("PMI_FD")  # at which MPICH speaks with its launcher
    descriptors = [0, 1, 2, *([int(more)] if more else [])]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(f"\0{name}")
        asked = {
            "arguments": arguments,
            "environment": dict(os.environ),
            "folder": os.getcwd(),  # noqa: PTH109  # pathlib takes longer to load than all else
            "descriptors": descriptors,
        }
        socket.send_fds(server, [json.dumps(asked).encode()], descriptors)
        rank = int(server.recv(100))
        for number in PASSED_ON:
            signal.signal(number, lambda number, _: os.kill(rank, number))
        end(int(server.recv(100) or -signal.SIGKILL))


def end(code: int) -> None:
    """End with an exit code, or by the signal of a negative one."""
    if code < 0:
        if code != -signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
