"""`lapwing bench stream`: copies with 2 and with 2 x 19 streams by the processes of a node.

The report on coarrays bounds its lattice Boltzmann step by the second: 19 arrays are copied cell by
cell. `literal` is its loop; `blocked` takes a cache line of each array at a time, on huge pages if
the kernel gives them, `pieces` 128 values; `nontemporal` is `blocked` with stores that pass the
caches. Methods alternate, and so do numbers of processes. A sample is one copy by all,
from the first begin to the last end; a process that takes no part sleeps.
"""

from __future__ import annotations

from lapwing.base.agreement import together
from lapwing.base.error import user_error
from lapwing.base.progress import ProgressBar
from mpi4py import MPI
from rich.table import Table

from lapwing_lab.bench.lattice.request import StreamRequest
from lapwing_lab.bench.measure.report import Result, missing_lines, tell
from lapwing_lab.machine.stream_copy import (
    METHODS,
    STREAMS,
    CopyTimes,
    copy_settings,
    copy_table,
    measure_copies,
)


def run(request: StreamRequest) -> int:
    """Measure everything and print the table. Collective over the world."""
    comm = MPI.COMM_WORLD
    node = comm.Split_type(MPI.COMM_TYPE_SHARED)
    fewest = int(comm.allreduce(node.size, MPI.MIN))
    node.Free()
    together(comm, lambda: _require_ranks(request, fewest))
    settings = copy_settings(
        comm,
        request.samples,
        fewest,
        streams=request.streams or tuple(STREAMS),
        methods=request.methods or tuple(METHODS),
        processes=request.processes,
        set_bytes=request.megabytes and request.megabytes << 20,
    )
    turns = len(settings.streams) * settings.samples * len(settings.processes)
    with ProgressBar(request.progress, turns) as progress:
        copies = measure_copies(comm, settings, progress.advance)
        progress.finish("all copies")
    size = settings.set_bytes / 2**20
    words = f"{settings.samples} samples; a process reads {size:.0f} MiB and writes as much"
    why = "a build has no stores that pass the caches"
    asked = request.methods or METHODS
    missing = {name: why for name in asked if name not in settings.methods}
    shown: list[Table | str] = [copy_table(copies), words, *missing_lines(missing)]
    return tell(request, [_result(copy) for copy in copies], *shown)


def _require_ranks(request: StreamRequest, fewest: int) -> None:
    """`fewest`: ranks of the emptiest node. Local; UserError for more processes than that."""
    if request.processes is not None and max(request.processes) > fewest:
        raise user_error(
            "--processes",
            str(max(request.processes)),
            f"at most {fewest}, the ranks of the emptiest node",
            "start more ranks on every node",
        )


def _result(copy: CopyTimes) -> Result:
    """The work is named by its streams and the processes of a node."""
    extra = {
        "bytes": copy.moved,
        "gigabytes_per_second": copy.bandwidth / 1e9,
        "processes": float(copy.processes),
    }
    return Result(f"{copy.streams}@{copy.processes}", copy.method, copy.samples, extra)
