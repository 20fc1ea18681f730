"""Executes the message plans of all ranks on NumPy arrays in one process, as a transport would."""

from collections import deque
from typing import Any, NamedTuple

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
        piece.swapped,
        piece.against,
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
        field = self.plan.fields[piece.field]
        number = piece.field
        if piece.swapped and any(field.pair):  # x runs along y: the other field of the pair
            (other,) = set(field.pair) - {field.name}
            number = [one.name for one in self.plan.fields].index(other)
        source = self.sources[number].at(piece.source, piece.source_box, components)
        return source[_columns(piece)] if piece.columns else source.copy()

    def _store(self, piece: Piece, values: Values) -> None:
        components = slice(piece.component_lo, piece.component_hi)
        target = self.targets[piece.field].at(piece.target, piece.target_box, components)
        where = _columns(piece) if piece.columns else ...
        for axis, against in enumerate(piece.against):
            target = np.flip(target, axis) if against else target
        target = np.swapaxes(target, 0, 1) if piece.swapped else target
        field = self.plan.fields[piece.field]
        if field.vector and piece.against[1 if field.pair[1] == field.name else 0]:
            values = -values
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


# ---- a north fold, filled cell by cell
#
# The rules are of NEMO's T- and F-point pivots (FMS's FOLD_NORTH_EDGE is the second of them), in
# indices from 0 without the columns that NEMO stores twice: where the rows beyond the last one come
# from, and which half of the row on the fold is a copy of the other.


class FoldRule(NamedTuple):
    """One location of the C-grid on one kind of fold."""

    column: int  # column i is a copy of column `column - i`, up to whole periods
    first: int  # the first row, counted from ny, that is a copy of a lower one
    source: int  # the row, counted from ny, of which it is a copy; later rows follow downwards
    own_row: bool  # the last row lies on the fold: its eastern half is a copy of the western half


FOLD_RULES = {
    ("T", "center"): FoldRule(0, 0, -2, own_row=True),
    ("T", "xface"): FoldRule(-1, 0, -2, own_row=True),
    ("T", "yface"): FoldRule(0, -1, -2, own_row=False),
    ("T", "corner"): FoldRule(-1, -1, -2, own_row=False),
    ("F", "center"): FoldRule(-1, 0, -1, own_row=False),
    ("F", "xface"): FoldRule(-2, 0, -1, own_row=False),
    ("F", "yface"): FoldRule(-1, 0, -2, own_row=True),
    ("F", "corner"): FoldRule(-2, 0, -2, own_row=True),
}


def filled_across_fold(
    values: NDArray[Any], fold: str, location: str, width: int, sign: int
) -> NDArray[Any]:
    """`values` [nx, ny, ...] with `width` more cells on every side; zeros beyond the lower end."""
    nx, ny = values.shape[:2]
    rule = FOLD_RULES[fold, location]
    full = np.zeros((nx + 2 * width, ny + 2 * width, *values.shape[2:]), values.dtype)
    inside = full[width : width + nx, width : width + ny]
    inside[...] = values
    if rule.own_row:
        for i in range(nx):
            twin = (rule.column - i) % nx
            if twin < i:
                inside[i, ny - 1] = sign * values[twin, ny - 1]
    for beyond in range(width - rule.first):
        for i in range(nx):
            source = values[(rule.column - i) % nx, ny + rule.source - beyond]
            full[width + i, width + ny + rule.first + beyond] = sign * source
    for n in range(width):
        full[width - 1 - n] = full[width + nx - 1 - n % nx]
        full[width + nx + n] = full[width + n % nx]
    return full
