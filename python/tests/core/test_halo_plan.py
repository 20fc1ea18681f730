"""Halo plans of all ranks in one process, against the slow obvious answer for every cell."""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lapwing import (
    Box,
    Extent,
    FieldSpec,
    Grid,
    MessagePlan,
    Partition,
    Subdomain,
    UserError,
    block_partition,
    halo_plan,
)
from lapwing.core.plan import Message, Piece
from numpy.typing import NDArray
from plan_executor import UNTOUCHED, FieldMemory, Memory, Values, cells_of, execute, with_levels
from plan_strategies import aligned_partitions, field_lists, partitions, staggered_partition

NOBODY = -1
BYTES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8}


# ---- the reference: what must happen to every cell, from who owns it and how far halos reach


class Reference:
    """The cells of one field: who owns them, and which of them every halo needs."""

    def __init__(self, partition: Partition, spec: FieldSpec) -> None:
        self.partition, self.spec = partition, spec
        self.grid_box = with_levels(spec, partition.grid.box)
        self.owner = np.full(self.grid_box.shape, NOBODY, np.int64)
        for number, subdomain in enumerate(partition.subdomains):
            self.owner[cells_of(with_levels(spec, subdomain.box), self.grid_box)] = number

    def codes(self, component: int) -> Values:
        """A value for every cell of the grid that names the cell and the component."""
        count = self.owner.size
        return component * count + np.arange(count, dtype=np.int64).reshape(self.owner.shape)

    def halo(
        self, owned: Box, allocated: Box, component: int
    ) -> tuple[NDArray[np.bool_], tuple[Values, ...]]:
        """For every cell of `allocated`: whether it must be received, and where it lives."""
        extents = self.spec.extents
        extent = extents[component if len(extents) > 1 else 0]
        needed = np.ones(allocated.shape, np.bool_)
        axes_left = np.zeros(allocated.shape, np.int64)
        home = []
        for a in range(3):
            cell = np.arange(allocated.lo[a], allocated.hi[a])
            below, above = owned.lo[a] - cell, cell - (owned.hi[a] - 1)
            reached = (below <= extent.lo[a]) & (above <= extent.hi[a])
            if not self.partition.grid.periodic[a]:
                reached &= (cell >= 0) & (cell < self.grid_box.hi[a])
            along = [-1 if b == a else 1 for b in range(3)]
            needed &= reached.reshape(along)
            axes_left += ((below > 0) | (above > 0)).reshape(along)
            home.append(cell % self.grid_box.hi[a])
        needed &= axes_left == 1 if not extent.corners else axes_left > 0
        where = tuple(np.meshgrid(*home, indexing="ij"))
        return needed & (self.owner[where] != NOBODY), where


def filled_with_codes(memory: FieldMemory, reference: Reference) -> None:
    """Owned cells hold their codes, halos nothing."""
    for number, owned in enumerate(memory.owned):
        for c in range(memory.spec.components):
            grid_cells = cells_of(owned, reference.grid_box)
            memory.at(number, owned)[..., c] = reference.codes(c)[grid_cells]


def halos(
    memory: FieldMemory, reference: Reference
) -> Iterator[tuple[int, int, NDArray[np.bool_], tuple[Values, ...]]]:
    for number, (owned, allocated) in enumerate(zip(memory.owned, memory.allocated, strict=True)):
        for c in range(memory.spec.components):
            yield number, c, *reference.halo(owned, allocated, c)


# ---- walking over plans


def plans_of(
    partition: Partition, specs: list[FieldSpec], *, ordered: bool = False
) -> list[MessagePlan]:
    return [halo_plan(partition, r, specs, ordered=ordered) for r in range(partition.ranks)]


def arriving(plan: MessagePlan) -> Iterator[Piece]:
    for phase in plan.phases:
        yield from phase.copies
        for message in phase.receives:
            yield from message.pieces


def all_pieces(plan: MessagePlan) -> Iterator[Piece]:
    yield from arriving(plan)
    for phase in plan.phases:
        for message in phase.sends:
            yield from message.pieces


def messages_between(
    plans: list[MessagePlan], *, sent: bool
) -> dict[tuple[int, int], list[Message]]:
    """The messages from one rank to another over all phases, as one of the two sees them."""
    found: dict[tuple[int, int], list[Message]] = {}
    for plan in plans:
        for phase in plan.phases:
            for message in phase.sends if sent else phase.receives:
                pair = (plan.rank, message.peer) if sent else (message.peer, plan.rank)
                found.setdefault(pair, []).append(message)
    return found


# ---- properties that every plan has


def check_bookkeeping(plans: list[MessagePlan], specs: list[FieldSpec]) -> None:
    """Peers ascend, one message per peer and phase, sends match receives, bytes are counted."""
    for plan in plans:
        assert plan.fields == specs
        for phase in plan.phases:
            for messages in (phase.sends, phase.receives):
                peers = [m.peer for m in messages]
                assert peers == sorted(set(peers)), "ascending, each peer once"
                assert plan.rank not in peers, "what stays on the rank is a copy"
                assert all(m.pieces for m in messages)
    sent, received = messages_between(plans, sent=True), messages_between(plans, sent=False)
    assert sent.keys() == received.keys()
    for pair, messages in sent.items():
        assert [m.pieces for m in messages] == [m.pieces for m in received[pair]], pair
    for plan in plans:
        for phase in plan.phases:
            for message in phase.sends:
                size = sum(p.values * BYTES[specs[p.field].type] for p in message.pieces)
                assert plan.bytes(message) == size
        outgoing = (m for phase in plan.phases for m in phase.sends)
        assert plan.bytes_sent == sum(map(plan.bytes, outgoing))
        assert plan.messages_sent == sum(len(phase.sends) for phase in plan.phases)
    assert sum(p.bytes_sent for p in plans) == sum(p.bytes_received for p in plans)


def check_boxes(plans: list[MessagePlan], partition: Partition) -> None:
    """A piece stays in shape, within the grid at its source, and periodic images away."""
    grid = partition.grid
    for plan in plans:
        for piece in all_pieces(plan):
            spec = plan.fields[piece.field]
            assert not piece.source_box.empty
            assert piece.source_box.shape == piece.target_box.shape
            count = piece.component_hi - piece.component_lo
            assert piece.values == piece.source_box.volume * count > 0
            for a in range(3):
                moved = piece.target_box.lo[a] - piece.source_box.lo[a]
                assert moved % grid.size[a] == 0 if grid.periodic[a] else moved == 0
            assert 0 <= piece.component_lo < piece.component_hi <= spec.components


def check_arrivals(
    plans: list[MessagePlan], memories: list[FieldMemory], references: list[Reference]
) -> None:
    """Every needed halo cell that some rank owns arrives exactly once, and no other cell does."""
    counts = [[np.zeros(a.shape, np.int64) for a in memory.arrays] for memory in memories]
    for plan in plans:
        for piece in arriving(plan):
            components = slice(piece.component_lo, piece.component_hi)
            cells = cells_of(piece.target_box, memories[piece.field].allocated[piece.target])
            counts[piece.field][piece.target][(*cells, components)] += 1
    for memory, reference, count in zip(memories, references, counts, strict=True):
        for number, c, needed, _ in halos(memory, reference):
            np.testing.assert_array_equal(count[number][..., c], needed)


def check_sources_are_owners(plans: list[MessagePlan], references: list[Reference]) -> None:
    for plan in plans:
        for piece in all_pieces(plan):
            reference = references[piece.field]
            assert np.all(
                reference.owner[cells_of(piece.source_box, reference.grid_box)] == piece.source
            )


def check_values(
    plans: list[MessagePlan], memories: list[FieldMemory], references: list[Reference]
) -> None:
    """Executed, the plans bring every halo cell the code of the cell it is an image of."""
    everything: list[Memory] = [*memories]
    for memory, reference in zip(memories, references, strict=True):
        filled_with_codes(memory, reference)
    execute(plans, everything, everything)
    for memory, reference in zip(memories, references, strict=True):
        for number, c, needed, home in halos(memory, reference):
            want = np.where(needed, reference.codes(c)[home], UNTOUCHED)
            owned = cells_of(memory.owned[number], memory.allocated[number])
            want[owned] = reference.codes(c)[cells_of(memory.owned[number], reference.grid_box)]
            np.testing.assert_array_equal(memory.arrays[number][..., c], want)


def check_plans(partition: Partition, specs: list[FieldSpec], *, ordered: bool) -> None:
    plans = plans_of(partition, specs, ordered=ordered)
    memories = [FieldMemory(partition, spec) for spec in specs]
    references = [Reference(partition, spec) for spec in specs]
    check_bookkeeping(plans, specs)
    check_boxes(plans, partition)
    check_arrivals(plans, memories, references)
    if not ordered:  # ordered corners come from who had them in its halo
        check_sources_are_owners(plans, references)
        assert all(len(plan.phases) == 1 for plan in plans)
    check_values(plans, memories, references)


@given(st.data())
@settings(max_examples=60)
def test_direct_plans(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    check_plans(partition, data.draw(field_lists(partition.grid)), ordered=False)


@given(st.data())
@settings(max_examples=60)
def test_ordered_plans(data: st.DataObject) -> None:
    partition = data.draw(aligned_partitions())
    check_plans(partition, data.draw(field_lists(partition.grid)), ordered=True)


@pytest.mark.parametrize(
    "partition",
    [
        pytest.param(block_partition(Grid((75, 60), True), (25, 20)), id="blocks"),
        pytest.param(staggered_partition(Grid((70, 60), True), 500, 1), id="staggered"),
        pytest.param(
            staggered_partition(Grid((20, 20, 12), (True, False, True)), 600, 2, holes=0.1),
            id="staggered 3D with holes",
        ),
        pytest.param(
            staggered_partition(Grid((90, 60)), 900, 3, holes=0.05, ranks=500), id="several boxes"
        ),
    ],
)
def test_500_ranks(partition: Partition) -> None:
    assert 480 <= partition.ranks <= 560
    wind = Extent((2, 1, 0), (1, 2, 0), corners=False)
    specs = [
        FieldSpec("depth", extents=[Extent.horizontal(2)]),
        FieldSpec("wind", "float32", extents=[wind], components=2),
    ]
    check_plans(partition, specs, ordered=False)
    if partition.aligned:
        check_plans(partition, specs, ordered=True)


# ---- the way back


@given(st.data())
@settings(max_examples=60)
def test_reversed_twice_is_the_plan(data: st.DataObject) -> None:
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    ordered = partition.aligned and data.draw(st.booleans())
    for plan in plans_of(partition, specs, ordered=ordered)[:20]:
        back = plan.reversed(add=data.draw(st.booleans()))
        assert repr(back.reversed()) == repr(plan)
        assert not back.reversed().adds
        assert (back.bytes_sent, back.bytes_received) == (plan.bytes_received, plan.bytes_sent)
        if plan.bytes_sent or plan.bytes_received or plan.bytes_copied:
            assert repr(back) != repr(plan) or partition.ranks == 1


@given(st.data())
@settings(max_examples=80)
def test_reverse_add_is_the_transpose(data: st.DataObject) -> None:
    """With A the map from owned cells to halos: <A x, y> = <x, transpose(A) y> for any y."""
    partition = data.draw(partitions())
    specs = data.draw(field_lists(partition.grid))
    ordered = partition.aligned and data.draw(st.booleans())
    plans = plans_of(partition, specs, ordered=ordered)
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    x: list[Memory] = [FieldMemory(partition, spec) for spec in specs]
    y: list[Memory] = [FieldMemory(partition, spec) for spec in specs]
    for forward, back in zip(x, y, strict=True):
        assert isinstance(forward, FieldMemory)
        assert isinstance(back, FieldMemory)
        for number, owned in enumerate(forward.owned):
            forward.arrays[number][...] = 0
            forward.at(number, owned)[...] = random.integers(
                -99, 99, forward.at(number, owned).shape
            )
            back.arrays[number][...] = random.integers(-99, 99, back.arrays[number].shape)
            back.at(number, owned)[...] = 0
    y_before = [[array.copy() for array in memory.arrays] for memory in y]  # type: ignore[union-attr]
    execute(plans, x, x)
    execute([plan.reversed(add=True) for plan in plans], y, y)
    for f, spec in enumerate(specs):
        forward, back = x[f], y[f]
        assert isinstance(forward, FieldMemory)
        assert isinstance(back, FieldMemory)
        reference = Reference(partition, spec)
        total = np.zeros((*reference.owner.shape, spec.components), np.int64)
        left = 0
        for number, c, needed, home in halos(forward, reference):
            ys = y_before[f][number][..., c]
            left += int(np.sum(forward.arrays[number][..., c] * ys * needed))
            np.add.at(total[..., c], tuple(h[needed] for h in home), ys[needed])
        right = 0
        for number, owned in enumerate(forward.owned):
            given_back = back.at(number, owned)
            right += int(np.sum(forward.at(number, owned) * given_back))
            np.testing.assert_array_equal(given_back, total[cells_of(owned, reference.grid_box)])
        assert left == right


def test_reverse_copy_of_a_fresh_halo_changes_nothing() -> None:
    partition = block_partition(Grid((9, 8), True), (3, 2))
    spec = FieldSpec("f", extents=[Extent.horizontal(2)])
    for ordered in (False, True):
        plans = plans_of(partition, [spec], ordered=ordered)
        memory, reference = FieldMemory(partition, spec), Reference(partition, spec)
        filled_with_codes(memory, reference)
        execute(plans, [memory], [memory])
        before = [array.copy() for array in memory.arrays]
        execute([plan.reversed() for plan in plans], [memory], [memory])
        for array, same in zip(memory.arrays, before, strict=True):
            np.testing.assert_array_equal(array, same)


def test_reverse_copy_brings_halo_values_to_the_owner() -> None:
    # each rank's only halo cell on the low side is its left neighbour's last cell
    partition = block_partition(Grid((6,), True), (3,))
    spec = FieldSpec("f", extents=[Extent((1, 0, 0), (0, 0, 0))])
    memory = FieldMemory(partition, spec)
    for number, array in enumerate(memory.arrays):
        array[:, 0, 0, 0] = [10 * number, 1, 1]
    execute([p.reversed() for p in plans_of(partition, [spec])], [memory], [memory])
    assert [list(a[:, 0, 0, 0]) for a in memory.arrays] == [[0, 1, 10], [10, 1, 20], [20, 1, 0]]


# ---- counts that are known by hand


@pytest.mark.parametrize(
    ("grid", "blocks", "direct", "ordered"),
    [
        (Grid((9, 8), True), (3, 3), 8, 4),
        (Grid((9, 8), True), (3, 2), 5, 3),  # the same neighbour below and above: one message
        (Grid((9, 8), True), (3, 1), 2, 2),
        (Grid((9, 8), True), (1, 1), 0, 0),
        (Grid((9, 9, 9), True), (3, 3, 3), 26, 6),
    ],
)
def test_messages_per_rank(grid: Grid, blocks: tuple[int, ...], direct: int, ordered: int) -> None:
    partition = block_partition(grid, blocks)
    width = [1 if n > 1 else 0 for n in grid.size]
    # any number of fields travels in one message
    specs = [FieldSpec(name, extents=[Extent(width, width)]) for name in "uvh"]
    for plan in plans_of(partition, specs):
        assert plan.messages_sent == direct
    for plan in plans_of(partition, specs, ordered=True):
        assert plan.messages_sent == ordered


D3Q19 = [
    (x, y, z)
    for x in (-1, 0, 1)
    for y in (-1, 0, 1)
    for z in (-1, 0, 1)
    if abs(x) + abs(y) + abs(z) <= 2
]


def test_lattice_boltzmann_moves_5_populations_per_face_and_1_per_edge() -> None:
    """A population that flies along c is read from the cell at -c, so nothing else has to move."""
    assert len(D3Q19) == 19
    extents = [Extent([max(0, v) for v in c], [max(0, -v) for v in c], corners=True) for c in D3Q19]
    n = 4
    partition = block_partition(Grid((3 * n, 3 * n, 3 * n), True), (3, 3, 3))
    spec = FieldSpec("populations", components=19, extents=extents)
    for plan in plans_of(partition, [spec]):
        counts: Counter[int] = Counter()
        for message in plan.phases[0].receives:
            populations: Counter[int] = Counter()
            for piece in message.pieces:
                for c in range(piece.component_lo, piece.component_hi):
                    populations[c] += piece.source_box.volume
            here = partition.subdomains[plan.rank].box
            there = partition.subdomains[message.peer].box
            away = [(b - a + n) % (3 * n) // n - 1 for a, b in zip(here.lo, there.lo, strict=True)]
            # those that fly from there to here: at least as far along every axis that is crossed
            flying = {
                c
                for c, v in enumerate(D3Q19)
                if all(side == 0 or v[a] == -side for a, side in enumerate(away))
            }
            assert set(populations) == flying
            axes = sum(map(abs, away))
            counts[axes] += 1
            assert len(flying) == {1: 5, 2: 1}[axes]
            # whole faces and whole edges: a population flies one cell, never along the face
            for c in flying:
                assert populations[c] == n ** (3 - axes)
        assert counts == {1: 6, 2: 12}  # and no message to the 8 corners
        assert plan.bytes_received == 8 * (6 * 5 * n * n + 12 * n)


def test_one_sided_extents_send_one_way() -> None:
    partition = block_partition(Grid((12, 4)), (3, 1))
    spec = FieldSpec("u", extents=[Extent((1, 0, 0), (0, 0, 0))])
    flows = [
        ([m.peer for m in p.phases[0].sends], [m.peer for m in p.phases[0].receives])
        for p in plans_of(partition, [spec])
    ]
    assert flows == [([1], []), ([2], [0]), ([], [1])]


def test_halo_thicker_than_a_neighbour_reaches_the_next() -> None:
    partition = block_partition(Grid((8,)), (8,))
    spec = FieldSpec("h", extents=[Extent((3, 0, 0), (3, 0, 0))])
    for ordered in (False, True):
        plan = halo_plan(partition, 4, [spec], ordered=ordered)
        assert [m.peer for m in plan.phases[0].receives] == [1, 2, 3, 5, 6, 7]


def test_plan_table_names_field_peer_and_bytes() -> None:
    partition = block_partition(Grid((8, 6)), (2, 1))
    text = repr(halo_plan(partition, 0, [FieldSpec("depth", extents=[Extent.horizontal(1)])]))
    assert "rank 0: 1 messages, 48 bytes out, 48 in, 0 copied" in text
    assert "to rank 1: 48 bytes" in text
    assert "depth [3:4, 0:6, 0:1]" in text


# ---- errors


GRID = Grid((8, 6))
BLOCKS = block_partition(GRID, (2, 2))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            FieldSpec("h", extents=[Extent((9, 0, 0), (0, 0, 0))]),
            r"halo of field h: got behind\(x, 9\); expected widths of 0 to 8 cells, "
            "the grid along x;",
        ),
        (
            FieldSpec("h", extents=[Extent((0, 7, 0), (0, 0, 0))]),
            r"halo of field h: .* 0 to 6 cells, the grid along y",
        ),
        (FieldSpec("h", extents=[Extent((-1, 0, 0), (0, 0, 0))]), "halo of field h: "),
        (
            FieldSpec("h", levels=3, extents=[Extent.uniform(1)]),
            "extent of field h: .* expected no halo along z",
        ),
        (FieldSpec("h", components=0), "components of field h: got 0; expected at least 1"),
        (
            FieldSpec("h", components=3, extents=[Extent(), Extent()]),
            "extents of field h: got 2; expected 1 or one for each of its 3 components",
        ),
        (FieldSpec("h", levels=-1), "levels of field h: got -1; expected 0 or more"),
        (FieldSpec("h", order=(0, 1, 2, 2)), "order of field h: got not a permutation"),
    ],
)
def test_bad_fields(spec: FieldSpec, message: str) -> None:
    with pytest.raises(UserError, match=message):
        halo_plan(BLOCKS, 0, [spec])


def test_levels_need_a_flat_grid() -> None:
    partition = block_partition(Grid((4, 4, 4)), (1, 1, 1))
    with pytest.raises(UserError, match="levels of field h: got 3; expected 0: the grid has a z"):
        halo_plan(partition, 0, [FieldSpec("h", levels=3)])


@pytest.mark.parametrize("rank", [-1, 4])
def test_rank_outside(rank: int) -> None:
    with pytest.raises(UserError, match=rf"rank: got {rank}; expected 0 <= rank < 4"):
        halo_plan(BLOCKS, rank, [FieldSpec("h")])


def test_ordered_corners_need_aligned_cuts() -> None:
    boxes = [Box((0, 0, 0), (4, 6, 1)), Box((4, 0, 0), (8, 2, 1)), Box((4, 2, 0), (8, 6, 1))]
    staggered = Partition(GRID, 3, [Subdomain(r, box) for r, box in enumerate(boxes)])
    with pytest.raises(UserError, match=r"corners: got ordered on .* use direct corners"):
        halo_plan(staggered, 0, [FieldSpec("h")], ordered=True)
