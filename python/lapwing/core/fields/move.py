"""Fields moved to another domain over the same ranks: the way to cut a grid again."""

from __future__ import annotations

from collections.abc import Sequence

from lapwing.base.error import user_error
from lapwing.core import _core, mpi_runtime
from lapwing.core._core import Partition
from lapwing.core.domain import Domain
from lapwing.core.field import Field
from lapwing.core.together import together_on
from lapwing.core.transpose import listed

_METHOD = "p2p"  # chosen without a measurement, as each move is run once


def move(sources: Field | Sequence[Field], targets: Field | Sequence[Field]) -> None:
    """Copy the fields of one domain to fields of another that cuts the same grid otherwise.

    Collective over the two domains, which have the same ranks. `sources`, `targets`: a field each,
    or as many of each, in pairs of one type and number of levels and components; halos and storage
    orders may differ. Cells that only one of the partitions has, such as land, stay as they are;
    halos of the targets count as stale. Raises UserError on all ranks for fields that do not fit
    and other ranks; OutsideError where memory is missing. Cost: one message between each pair of
    ranks that share cells, and its plan.
    """
    come = listed("sources of a move", sources)
    go = listed("targets of a move", targets)
    mpi = mpi_runtime.start()

    def checked() -> tuple[Domain, Partition, Partition]:
        start, end = _domain_of("sources", come), _domain_of("targets", go)
        alike = mpi.Comm.Compare(start.mpi, end.mpi)
        if alike not in (mpi.IDENT, mpi.CONGRUENT):
            got = f"domains of {start.ranks} and {end.ranks} ranks"
            remedy = "make both domains on one communicator"
            raise user_error("domains of a move", got, "the same ranks in the same order", remedy)
        return end, _of_cells(start.partition), _of_cells(end.partition)

    domain, source, target = together_on(go[0].domain, checked)
    _core.Transpose(
        domain,
        source,
        target,
        [field.core for field in come],
        [field.core for field in go],
        _METHOD,
        1,
        None,
    ).run()
    for field in go:
        field.modified()


def _domain_of(side: str, fields: Sequence[Field]) -> Domain:
    """The domain of all fields. Local; UserError for several, or another partition."""
    for field in fields:
        if field.domain is not fields[0].domain or field.partition != field.domain.partition:
            got, expected = f"{field.name} on {field.partition!r}", f"one on {fields[0].domain!r}"
            remedy = "move the fields of each domain by themselves, and those of a Distribution "
            raise user_error(f"{side} of a move", got, expected, remedy + "by a Transpose")
    domain = fields[0].domain
    assert isinstance(domain, Domain)
    return domain


def _of_cells(partition: Partition) -> Partition:
    """The same boxes on a grid of cells alone, which neither closes on itself nor folds. Local."""
    grid = partition.grid
    return Partition(
        _core.Grid(list(grid.size), [False] * 3), partition.ranks, partition.subdomains
    )
