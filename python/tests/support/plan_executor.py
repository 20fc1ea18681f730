"""Executes the message plans of all ranks on NumPy arrays in one process, as a transport would."""

from collections import deque

import numpy as np
from lapwing import Box, Extent, FieldSpec, MessagePlan, Partition
from lapwing.core.plan import Piece
from numpy.typing import NDArray

Values = NDArray[np.int64]
Cells = tuple[slice, slice, slice]

UNTOUCHED = -1


def largest_extent(spec: FieldSpec) -> Extent:
    whole = spec.extents[0]
    for extent in spec.extents[1:]:
        whole = whole.unite(extent)
    return whole


def with_levels(spec: FieldSpec, box: Box) -> Box:
    if spec.levels == 0:
        return box
    return Box((box.lo[0], box.lo[1], 0), (box.hi[0], box.hi[1], spec.levels))


def cells_of(box: Box, inside: Box) -> Cells:
    """Slices of `box` in an array that holds the cells of `inside`."""
    assert inside.contains(box), f"{box} is not in {inside}"
    x, y, z = (
        slice(lo - first, hi - first)
        for lo, hi, first in zip(box.lo, box.hi, inside.lo, strict=True)
    )
    return x, y, z


class FieldMemory:
    """A field on every subdomain of a partition: arrays [x, y, z, component] with their halos."""

    def __init__(self, partition: Partition, spec: FieldSpec) -> None:
        self.spec = spec
        halo = largest_extent(spec)
        self.owned = [with_levels(spec, s.box) for s in partition.subdomains]
        self.allocated = [with_levels(spec, s.box.grow(halo)) for s in partition.subdomains]
        self.arrays: list[Values] = [
            np.full((*box.shape, spec.components), UNTOUCHED, np.int64) for box in self.allocated
        ]

    def at(self, subdomain: int, box: Box, components: slice = slice(None)) -> Values:
        """View of the cells of `box` in the memory of one subdomain."""
        cells = cells_of(box, self.allocated[subdomain])
        return self.arrays[subdomain][(*cells, components)]


class WholeMemory:
    """A field as one array of the whole grid: the far end of a gather."""

    def __init__(self, partition: Partition, spec: FieldSpec) -> None:
        self.box = with_levels(spec, partition.grid.box)
        self.array: Values = np.full((*self.box.shape, spec.components), UNTOUCHED, np.int64)

    def at(self, subdomain: int, box: Box, components: slice = slice(None)) -> Values:
        """View of the cells of `box`; the holder of a whole grid has no number."""
        assert subdomain == -1
        return self.array[(*cells_of(box, self.box), components)]


Memory = FieldMemory | WholeMemory


def _identity(piece: Piece) -> tuple[object, ...]:
    return (
        piece.field,
        (piece.source, piece.source_box),
        (piece.target, piece.target_box),
        (piece.component_lo, piece.component_hi),
        tuple(piece.columns),
    )


def _columns(piece: Piece) -> tuple[Values, Values]:
    """Positions along x and y of the columns in an index list."""
    columns = np.array(piece.columns, np.int64)
    return columns % piece.source_box.shape[0], columns // piece.source_box.shape[0]


class _Rank:
    """One rank at work: copies and sends when a phase starts, receives when all has come."""

    def __init__(
        self, plan: MessagePlan, sources: list[Memory], targets: list[Memory], post: "_Post"
    ) -> None:
        self.plan, self.sources, self.targets, self.post = plan, sources, targets, post
        self.phases = plan.phases
        self.phase = 0
        self._start()

    @property
    def done(self) -> bool:
        return self.phase == len(self.phases)

    def advance(self) -> bool:
        """Finish the current phase if its messages have come."""
        if self.done:
            return False
        receives = self.phases[self.phase].receives
        if not all(self.post.get((m.peer, self.plan.rank)) for m in receives):
            return False
        for message in receives:
            sent = self.post[message.peer, self.plan.rank].popleft()
            assert [_identity(p) for p, _ in sent] == [_identity(p) for p in message.pieces]
            for piece, values in sent:
                self._store(piece, values)
        self.phase += 1
        self._start()
        return True

    def _start(self) -> None:
        if self.done:
            return
        for message in self.phases[self.phase].sends:
            mail = self.post.setdefault((self.plan.rank, message.peer), deque())
            mail.append([(piece, self._load(piece)) for piece in message.pieces])
        for piece in self.phases[self.phase].copies:
            self._store(piece, self._load(piece))

    def _load(self, piece: Piece) -> Values:
        components = slice(piece.component_lo, piece.component_hi)
        source = self.sources[piece.field].at(piece.source, piece.source_box, components)
        return source[_columns(piece)] if piece.columns else source.copy()

    def _store(self, piece: Piece, values: Values) -> None:
        components = slice(piece.component_lo, piece.component_hi)
        target = self.targets[piece.field].at(piece.target, piece.target_box, components)
        where = _columns(piece) if piece.columns else ...
        if self.plan.adds:
            target[where] += values  # no column is listed twice
        else:
            target[where] = values


_Post = dict[tuple[int, int], deque[list[tuple[Piece, Values]]]]


def execute(plans: list[MessagePlan], sources: list[Memory], targets: list[Memory]) -> None:
    """Run the plans of all ranks; messages between two ranks arrive in the order they were sent.

    Fails when the pieces of a message are not those that its receiver expects, when a rank waits
    for a message that never comes, or when a message is left over.
    """
    post: _Post = {}
    ranks = [_Rank(plan, sources, targets, post) for plan in plans]
    moved = True
    while moved:
        moved = False
        for rank in ranks:
            moved |= rank.advance()
    waiting = [rank.plan.rank for rank in ranks if not rank.done]
    assert not waiting, f"ranks {waiting} wait for messages that nobody sends"
    left = [pair for pair, mail in post.items() if mail]
    assert not left, f"messages from, to {left} are never received"
