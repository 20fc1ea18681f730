"""Reductions, stages in place and rims: the same on any number of ranks. Run by test_step.py."""

import sys
from typing import Any

import numpy as np
from lapwing import Box, Domain, Extent, Reduction, Stage, Step
from numpy.typing import NDArray

Array = NDArray[Any]
STRATEGIES = sys.argv[1].split(",")
NX, NY = 26, 19
BOX = Box((0, 0, 0), (NX, NY, 1))


def first(i: Array, j: Array) -> Array:
    return np.asarray(np.sin(0.3 * i) * np.cos(0.2 * j) + 1e-3 * i * j)


START = first(*np.meshgrid(np.arange(float(NX)), np.arange(float(NY)), indexing="ij"))


def steepest(box: Box, heat: Array) -> float:
    return float(np.abs(heat[2:, 1:-1] - heat[:-2, 1:-1]).max())


def reductions(domain: Domain, strategy: str) -> None:
    """The next stage uses the number of all ranks, as a CFL limit would."""
    heat, new = domain.field("heat", halo=9), domain.field("new", halo=9)
    heat.set(first)
    largest, least = Reduction("maximum"), Reduction("minimum")
    assert np.isnan(largest.value)

    def spread(box: Box, heat: Array, new: Array) -> None:
        around = heat[2:, 1:-1] + heat[:-2, 1:-1] - 2.0 * heat[1:-1, 1:-1]
        new[...] = heat[1:-1, 1:-1] + 0.1 / (1.0 + largest.value) * around

    stages = [
        Stage(steepest, reads=[(heat, 1)], reduction=largest),
        Stage(spread, reads=[(heat, 1)], writes=[new]),
        Stage(lambda box, new: float(new.min()), reads=[new], reduction=least, name="least"),
        Stage(lambda box, new, heat: np.copyto(heat, new), reads=[new], writes=[heat], name="back"),
    ]
    step = Step(domain, stages, strategy=strategy)
    whole = START
    for _ in range(5):
        step.run()
        padded = np.pad(whole, 1, mode="wrap")
        wanted = steepest(BOX, padded)
        assert largest.value == wanted, (strategy, largest.value, wanted)
        around = padded[2:, 1:-1] + padded[:-2, 1:-1] - 2.0 * whole
        whole = whole + 0.1 / (1.0 + wanted) * around
        assert least.value == whole.min(), (strategy, least.value, whole.min())
    got = heat.gather()
    assert got is None or np.array_equal(got, whole), strategy


def in_place(domain: Domain, strategy: str) -> None:
    """A red-black update: a red cell reads black ones only, so any order of red cells will do."""
    heat = domain.field("heat", halo=9)
    heat.set(first)

    def relax(colour: int) -> Stage:
        def kernel(box: Box, heat: Array) -> None:
            i, j = np.arange(box.lo[0], box.hi[0]), np.arange(box.lo[1], box.hi[1])
            mine = (i[:, None] % NX + j[None, :] % NY) % 2 == colour
            around = heat[2:, 1:-1] + heat[:-2, 1:-1] + heat[1:-1, 2:] + heat[1:-1, :-2]
            heat[1:-1, 1:-1][mine] = 0.25 * around[mine]

        reads = [(heat, Extent.cross(1))]
        return Stage(kernel, reads=reads, writes=[heat], in_any_order=True, name=f"colour {colour}")

    stages = [relax(0), relax(1)]
    Step(domain, stages, strategy=strategy).run(5)
    whole = START.copy()
    for _ in range(5):
        for stage in stages:
            padded = np.pad(whole, 1)
            stage.kernel(BOX, padded)
            whole = padded[1:-1, 1:-1]
    got = heat.gather()
    assert got is None or np.array_equal(got, whole), (strategy, np.argwhere(got != whole)[:4])


def rims(domain: Domain, strategy: str) -> None:
    """A stage with a rim keeps the halo of what it writes fresh: one exchange less."""
    heat, slope = domain.field("heat", halo=9), domain.field("slope", halo=9)
    heat.set(first)

    def incline(box: Box, heat: Array, slope: Array) -> None:
        slope[...] = heat[2:, 1:-1] - heat[:-2, 1:-1]

    def bend(box: Box, slope: Array, heat: Array) -> None:
        heat += 0.05 * (slope[2:, 1:-1] - slope[:-2, 1:-1])

    def stages(rim: int) -> list[Stage]:
        return [
            Stage(incline, reads=[(heat, 1)], writes=[slope], rim=rim),
            Stage(bend, reads=[(slope, 1), heat], writes=[heat]),
        ]

    with_rim = Step(domain, stages(1), strategy=strategy)
    with_rim.run(4)
    whole = START.copy()
    for _ in range(4):
        slopes = np.empty_like(whole)
        incline(BOX, np.pad(whole, 1, mode="wrap"), slopes)
        bend(BOX, np.pad(slopes, 1, mode="wrap"), whole)
    got = heat.gather()
    assert got is None or np.array_equal(got, whole), (strategy, np.argwhere(got != whole)[:4])
    if strategy == "blocking":
        assert with_rim.report.volume.exchanges == 1.0
        assert Step(domain, stages(0), strategy=strategy).report.volume.exchanges == 2.0


def drying(domain: Domain, strategy: str) -> None:
    """Two stages are run again until no cell anywhere is above the limit: one step, any order."""
    depth, left = domain.field("depth", halo=9), domain.field("left", halo=9)
    depth.set(first)
    above = Reduction("maximum")

    def take(box: Box, depth: Array, left: Array) -> None:
        left[...] = np.maximum(depth[1:-1, 1:-1] - 0.2 - 0.1 * (depth[2:, 1:-1] > 0.1), 0.0)

    def give(box: Box, left: Array, depth: Array) -> float:
        depth[...] = left
        return float(depth.max()) - 0.1

    stages = [
        Stage(take, reads=[(depth, 1)], writes=[left]),
        Stage(give, reads=[left], writes=[depth], reduction=above, repeats=2),
    ]
    Step(domain, stages, strategy=strategy).run()
    whole, rounds = START.copy(), 0
    while rounds == 0 or whole.max() - 0.1 > 0.0:
        now = np.empty_like(whole)
        take(BOX, np.pad(whole, 1, mode="wrap"), now)
        whole, rounds = now, rounds + 1
    assert rounds > 2
    assert above.value == whole.max() - 0.1
    got = depth.gather()
    assert got is None or np.array_equal(got, whole), (strategy, np.argwhere(got != whole)[:4])


for strategy in STRATEGIES:
    for part, closes in ((reductions, True), (in_place, False), (rims, True), (drying, True)):
        domain = Domain((NX, NY), periodic=closes)
        part(domain, strategy)
        domain.close()
print("the bits of NumPy")
