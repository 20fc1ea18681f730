"""Grids with one long axis: the words of two axes give neighbours along it, on any rank count."""

from typing import Any

import lapwing
import numpy as np
from lapwing import Box, Extent, around, cross

RANKS = lapwing.Domain((64, 64)).ranks
LONG, STEPS = 11, 4
WEIGHTS = {(0, 0): 2, (-1, 0): 3, (1, 0): 5, (0, -1): 7, (0, 1): 11, (-1, 1): 13, (1, -1): 17}
Flags = tuple[bool, bool]
Size = tuple[int, ...]


def start(size: Size) -> Any:
    return np.arange(np.prod(size)).reshape(size) * 7 % 5 + 1


def offsets(size: Size, word: Any) -> list[tuple[int, int]]:
    """Where a kernel reads: a number reaches along the long axis alone."""
    if isinstance(word, Extent):
        return [one for one in WEIGHTS if word.corners or 0 in one]
    return [one for one in WEIGHTS if one[1 if size[0] == LONG else 0] == 0]


def reference(size: Size, periodic: Flags, word: Any) -> Any:
    (nx, ny), values = (*size, 1)[:2], start((*size, 1)[:2])
    for _ in range(STEPS):
        padded = (3 * values + 1) % 97
        for axis, wraps in enumerate(periodic):
            width = [(1, 1) if axis == one else (0, 0) for one in (0, 1)]
            padded = np.pad(padded, width, mode="wrap" if wraps else "constant")
        read = [WEIGHTS[x, y] * padded[1 + x :, 1 + y :][:nx, :ny] for x, y in offsets(size, word)]
        values = np.sum(read, axis=0) % 97
    return values


def scale(box: Box, a: Any, b: Any) -> None:
    b[...] = (3 * a + 1) % 97


def mixing(read: list[tuple[int, int]]) -> Any:
    def mix(box: Box, b: Any, a: Any) -> None:
        a[...] = sum(WEIGHTS[x, y] * b.at(x=x, y=y) for x, y in read) % 97
        assert b.at().shape == a.shape
        assert np.asarray(b).ndim == a.ndim

    return mix


def on_grid(size: Size, flags: Flags) -> lapwing.Domain:
    """Cut along the long axis alone."""
    grid = lapwing.Grid(size, flags[: len(size)])
    blocks = [RANKS if cells == LONG else 1 for cells in size]
    return lapwing.Domain(lapwing.block_partition(grid, blocks))


def run(size: Size, flags: Flags, word: Any, strategy: str) -> None:
    domain = on_grid(size, flags)
    a, b = (domain.field(name, dtype="int64") for name in "ab")
    mix = mixing(offsets(size, word))
    stages = [lapwing.Stage(scale, [a], [b]), lapwing.Stage(mix, [(b, word)], [a])]
    step = lapwing.Step(domain, stages, strategy=strategy, transport="p2p")
    shape = (1, LONG) if size == (1, LONG) else (LONG,)
    a.scatter(start(size).reshape(shape))
    step.run(STEPS)
    got = a.gather()
    if got is not None:
        want = reference(size, flags, word).reshape(shape)
        assert np.array_equal(got, want), (size, flags, word, strategy)
    domain.close()


def views(flags: Flags) -> None:
    """The owned row is what arrays show, whatever halo there is along the axis of one cell."""
    domain = on_grid((LONG, 1), flags)
    wide = Extent((1, 1), (1, 1))
    a = domain.field("a", halo=wide)
    a.fill(-1.0)
    box = domain.box
    a[box] = np.arange(box.lo[0], box.hi[0])
    a.exchange()
    i = np.arange(box.lo[0] - 1, box.hi[0] + 1)
    seen = np.where((i >= 0) & (i < LONG) | flags[0], i % LONG, -1.0)
    assert np.array_equal(a.array(), seen)
    assert np.array_equal(a.stored(), seen)
    assert np.array_equal(a[box.grow(wide)], seen)
    assert np.array_equal(a.owned, seen[1:-1])
    beyond = Box((box.lo[0], 1, 0), (box.hi[0], 2, 1))
    assert np.array_equal(a[beyond], seen[1:-1] if flags[1] else np.full(len(i) - 2, -1.0))
    a[box.grow(Extent((0, 1), (0, 1)))] = 5.0  # in the halo too
    assert np.array_equal(a[beyond], np.full(len(i) - 2, 5.0))
    domain.close()


def wrapped(word: Any) -> None:
    """An array without a halo along the axis of one cell is what such a stage can read."""
    domain = on_grid((LONG,), (True, False))
    box = domain.box
    a, b = domain.wrap("a", np.zeros(box.shape[0] + 2)), domain.field("b")

    def difference(box: Box, a: Any, b: Any) -> None:
        b[...] = a.at(x=+1) - a[:-2]

    step = lapwing.Step(domain, [lapwing.Stage(difference, [(a, word)], [b])])
    a[box] = start((LONG,))[box.lo[0] : box.hi[0]]
    step.run()
    got = b.gather()
    if got is not None:
        assert np.array_equal(got, np.roll(start((LONG,)), -1) - np.roll(start((LONG,)), 1))
    domain.close()


for size in ((LONG,), (LONG, 1), (1, LONG)):
    for flags in ((True, True), (True, False), (False, True), (False, False)):
        if len(size) == 1 and flags[1]:
            continue  # there is no second flag
        for word, depth in ((cross(1), 1), (around(1), 1), (1, 2)):
            for strategy in ("blocking", "edge-first", "dataflow", f"deep:{depth}"):
                run(size, flags, word, strategy)
for flags in ((True, True), (True, False), (False, False)):
    views(flags)
for word in (cross(1), around(1), 1):
    wrapped(word)
print("neighbours along the long axis")
