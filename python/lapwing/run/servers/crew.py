"""The crew of a run: the ranks of the model, and the servers that keep its results."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapwing.base.error import user_error
from lapwing.core import _core
from lapwing.io.result_files import OUTPUT, POINTS, RESTART

if TYPE_CHECKING:
    from mpi4py.MPI import Comm, Request

# s between two polls of a rank that leaves its core to others: for messages, for values
_LONG, _SHORT = 1e-3, 5e-5


@dataclass(frozen=True)
class Crew:
    """The roles of the ranks of a job. The model has the first ranks, servers the last."""

    world: Comm  # all ranks
    model: Comm | None  # the ranks of the model; None on servers
    control: Comm  # all ranks, for words between servers and rank 0
    servers: range  # their numbers in `world`

    @property
    def model_ranks(self) -> int:
        """The number of ranks of the model. Local."""
        return int(self.world.size) - len(self.servers)

    def part(self) -> None:
        """Free the communicators that were made for it. Collective over the world."""
        if not self.servers:
            return
        self.control.Free()
        if self.model is not None:
            self.model.Free()


def make_crew(world: Comm, servers: int) -> Crew:
    """Divide the ranks of a job. Collective; without servers the model has `world` itself."""
    first = world.size - servers
    if servers == 0:
        return Crew(world, world, world, range(first, first))
    serves = world.rank >= first
    from mpi4py.MPI import UNDEFINED  # started by the caller

    model = world.Split(UNDEFINED if serves else 0, world.rank)
    return Crew(world, None if serves else model, world.Dup(), range(first, world.size))


def check_servers(servers: int, ranks: int) -> None:
    """Raise UserError unless that many of `ranks` ranks can be servers. Local."""
    if not 0 <= servers < ranks:
        raise user_error(
            "--io-ranks",
            f"{servers} of {ranks} rank" + ("s" if ranks != 1 else ""),
            "0 or more, and at least one rank left for the model",
            "raise --ranks or lower --io-ranks: the servers are among the ranks",
        )


def check_kept_files(servers: int, points: bool, form: str) -> None:
    """Raise UserError where there are more servers than files to keep, or stores. Local."""
    if servers > 0 and form == "zarr":
        raise user_error(
            "--io-ranks",
            f"{servers} with output.format = 'zarr'",
            "0: all ranks of the model write a store together",
            "leave --io-ranks out, or set output.format to netcdf",
        )
    files = kept_files(points)
    if servers > len(files):
        raise user_error(
            "--io-ranks",
            str(servers),
            f"at most {len(files)}, a server for each of {', '.join(files)}",
            f"leave the further ranks to the model with --io-ranks {len(files)}",
        )


def kept_files(points: bool) -> list[str]:
    """The files written during the run, first the files that are best alone on a server. Local."""
    return [OUTPUT, RESTART, *([POINTS] if points else [])]


def shared_out(servers: int, points: bool) -> dict[str, int]:
    """The number of the server that has each file: the last one has what is left. Local."""
    return {name: min(n, servers - 1) for n, name in enumerate(kept_files(points))}


def servers_as_text(crew: Crew, points: bool) -> list[str]:
    """Headlines: the servers and, if there are several, the files of each. Local."""
    count = len(crew.servers)
    if count == 0:
        return []
    ranks = f"{count} server rank{'s' if count > 1 else ''}"
    model = f"{crew.model_ranks} model rank{'s' if crew.model_ranks > 1 else ''}"
    shares = shared_out(count, points)
    kept = [" and ".join(f for f, s in shares.items() if s == server) for server in range(count)]
    which = f" ({'; '.join(kept)})" if count > 1 else ""
    return [f"  output {ranks}{which}, {model}"]


class Line:
    """Words between rank 0 and one server: objects, in the order in which they were sent. Local."""

    def __init__(self, control: Comm, peer: int) -> None:
        """Connect to the rank `peer` of the communicator that carries objects only."""
        self._control, self._peer = control, peer
        self._sent: list[Request] = []

    def tell(self, word: Any) -> None:
        """Send an object; does not block."""
        self._sent = [request for request in self._sent if not request.Test()]
        self._sent.append(self._control.isend(word, self._peer))

    def order(self, what: str, *about: Any) -> None:
        """Tell a server to do something: the name of its method, and the arguments."""
        self.tell((what, about))

    def heard(self) -> Any | None:
        """Return the next object that has come, None if there is none."""
        message = self._control.improbe(self._peer)
        return None if message is None else message.recv()

    def all_heard(self) -> list[Any]:
        """Return all objects that have come."""
        return list(iter(self.heard, None))

    def hear(self) -> Any:
        """Wait for the next object, without keeping a core busy.

        A server waits for rank 0 as long as it takes; rank 0 for a server under a watchdog.
        """
        me = self._control.rank
        watch = ServerWatch(me, self._peer) if self._peer > 0 else ModelWatch(me, "rank 0's orders")
        while (word := self.heard()) is None:
            pause()
            watch.look()
        return word

    def comes_within(self, seconds: float) -> bool:
        """Wait this long for an object, without taking it; True if one is there."""
        end = time.monotonic() + seconds
        while not self._control.iprobe(self._peer):
            if time.monotonic() > end:
                return False
            pause()
        return True

    def flush(self) -> None:
        """Wait until everything that was told has left."""
        for request in self._sent:
            request.Wait()
        self._sent = []


class ServerWatch:
    """The watchdog of a rank of the model that waits for an output server, from now on. Local.

    A server that works answers the roll-call, and may take its time; one that is silent for
    LAPWING_WATCHDOG seconds more ends the job.
    """

    def __init__(self, rank: int, server: int) -> None:
        """Wait, as `rank`, for the other rank of the world."""
        self._what = f"rank {rank} waits for the output server, rank {server}"
        self._watchdog = _core.Watchdog(_core.Occupation.waits_for_server)

    def look(self) -> None:
        """End the job where it took too long."""
        self._watchdog.look(self._what)


class ModelWatch:
    """Tells the watchdogs of others that this server waits for the model; it has none. Local."""

    def __init__(self, rank: int, what: str) -> None:
        """Name what a server, `rank` of the world, waits for."""
        self._what = f"rank {rank}, an output server, waits for {what}"

    def look(self) -> None:
        """Answer those who ask."""
        _core.answer_roll_call(_core.Occupation.waits, self._what)


def pause(*, short: bool = False) -> None:
    """Leave the core to others for a moment. Local."""
    time.sleep(_SHORT if short else _LONG)
