"""The census of a case: all exchanges of its schedule, on all ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lapwing.core import _core
from lapwing.core.partition import Extent, Mask
from lapwing.core.plan import FieldSpec, WetShare, halo_plan
from lapwing.run.request import Setup
from lapwing.run.summary import crowding

if TYPE_CHECKING:
    from lapwing.core.domain import Domain

WARM_UP = 10  # steps before the census begins: caches fill, halos reach their steady state

PARTS = ("packing", "late", "transfer")


@dataclass(frozen=True)
class FieldRow:
    """What a field has of one run of an exchange."""

    name: str
    extent: str  # cells that travel, per axis and side
    messages: list[int]  # of each rank: messages sent that carry some of it
    bytes: list[int]  # of each rank
    needless: bool  # nobody reads the halo before it is stale again


@dataclass(frozen=True)
class ExchangeRow:
    """One exchange of the schedule, on all ranks."""

    position: int  # in the cycle
    stage: str  # the one that could not go on without it, or that sends it unasked
    unasked: bool
    steady: bool  # part of the steady state
    count: int  # how often it ran, the same on every rank
    fields: list[FieldRow]
    messages: list[int]  # of each rank: sent in one run
    bytes: list[int]  # of each rank: sent in one run
    packing: list[float]  # of each rank, s, all runs together
    late: list[float]  # likewise: until the last neighbour was there
    transfer: list[float]  # likewise: messages on their way, unpacking included
    handshake: list[float]  # of each rank, s: one handshake where all neighbours are there

    @property
    def place(self) -> str:
        """Where it stands in the step, in words."""
        return f"{'after' if self.unasked else 'for'} {self.stage}"


@dataclass(frozen=True)
class Census:
    """All exchanges that ran, in `steps` steps on `ranks` ranks."""

    steps: int
    ranks: int
    positions: int  # length of the cycle
    notes: list[str]  # what makes the times doubtful
    exchanges: list[ExchangeRow]

    def per_step(self, part: str) -> float:
        """Exchanges, messages or bytes per step, all ranks together. Local."""
        if part == "exchanges":
            return sum(row.count for row in self.exchanges) / self.steps
        moved = sum(sum(getattr(row, part)) * row.count for row in self.exchanges)
        return float(moved) / self.steps

    def seconds_per_step(self, part: str) -> tuple[float, float]:
        """Mean and largest over ranks of the packing, late or transfer time of a step. Local."""
        rows = [getattr(row, part) for row in self.exchanges] or [[0.0]]
        ranks = [sum(times) / self.steps for times in zip(*rows, strict=True)]
        return sum(ranks) / len(ranks), max(ranks)

    def needless(self) -> list[str]:
        """Halos that travel in the steady state although nobody reads them, in words. Local."""
        return [
            f"{field.name} in the exchange {row.place} (step {row.position} of the cycle)"
            for row in self.exchanges
            for field in row.fields
            if row.steady and field.needless
        ]


def wet_saving(setup: Setup, width: int) -> WetShare:
    """What messages without land would save on all ranks, for a 2D field with a halo of `width`.

    Local: pure planning for every rank of the partition.
    """
    reach = [width if size > 1 else 0 for size in setup.partition.grid.size[:2]] + [0]
    fields = [FieldSpec("field", extents=[Extent(reach, reach)])]
    mask = Mask(setup.geometry.wet)
    total = WetShare()
    for rank in range(setup.partition.ranks):
        full = halo_plan(setup.partition, rank, fields)
        total = total + full.wet_share(full.wet_only(mask))
    return total


def gather_census(domain: Domain, step: _core.Step) -> Census | None:
    """What the step has counted on all ranks, on rank 0; None elsewhere. Collective."""
    mine = [_values(entry) for entry in step.census() if entry.cost.count > 0]
    ranks = domain.mpi.gather(mine)
    if ranks is None:
        return None
    first = [entry for entry in step.census() if entry.cost.count > 0]
    rows = [_row(entry, [rank[number] for rank in ranks]) for number, entry in enumerate(first)]
    return Census(step.times.steps, domain.ranks, step.positions, crowding(domain), rows)


def _values(entry: _core.CensusEntry) -> dict[str, Any]:
    """What differs between ranks."""
    values: dict[str, Any] = {part: getattr(entry.cost, part) for part in PARTS}
    values |= {name: getattr(entry, name) for name in ("messages", "bytes", "handshake")}
    return values | {"fields": [(field.messages, field.bytes) for field in entry.fields]}


def _row(entry: _core.CensusEntry, ranks: list[dict[str, Any]]) -> ExchangeRow:
    fields = [
        FieldRow(
            name=field.name,
            extent=str(field.extent).removeprefix("Extent(").removesuffix(")"),
            messages=[rank["fields"][number][0] for rank in ranks],
            bytes=[rank["fields"][number][1] for rank in ranks],
            needless=field.needless,
        )
        for number, field in enumerate(entry.fields)
    ]
    measured = {name: [rank[name] for rank in ranks] for name in ranks[0] if name != "fields"}
    return ExchangeRow(
        position=entry.position,
        stage=entry.stage,
        unasked=entry.unasked,
        steady=entry.steady,
        count=entry.cost.count,
        fields=fields,
        **measured,
    )
