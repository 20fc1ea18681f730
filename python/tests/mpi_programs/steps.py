"""Steps of Python kernels give the bits of NumPy on the whole grid. Run by test_step.py."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from lapwing import (
    Box,
    Domain,
    Extent,
    Field,
    Grid,
    Partition,
    Stage,
    Step,
    Subdomain,
    block_partition,
)
from lapwing.core.mpi_runtime import start
from numpy.typing import NDArray

Array = NDArray[Any]
STRATEGIES, TRANSPORT = sys.argv[1].split(","), sys.argv[2]
NX, NY = 29, 22


def first(i: Array, j: Array) -> Array:
    return np.asarray(np.sin(0.3 * i) * np.cos(0.2 * j) + 1e-3 * i * j)


START = first(*np.meshgrid(np.arange(float(NX)), np.arange(float(NY)), indexing="ij"))


def agree(field: Field, wanted: Array, what: str) -> None:
    got = field.gather()
    if got is not None:
        different = np.argwhere(got != wanted)
        assert not len(different), (what, len(different), different[:3].tolist())


# ---- heat: a step that alternates between two arrays, on a grid that closes on itself


def spread(box: Box, old: Array, new: Array) -> None:
    around = old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2]
    new[...] = old[1:-1, 1:-1] + 0.2 * (around - 4.0 * old[1:-1, 1:-1])
    assert new.shape == tuple(box.shape[:2])


def heat(domain: Domain, strategy: str) -> None:
    even, odd = (domain.field(name, halo=4) for name in ("even", "odd"))
    even.set(first)
    reach = Extent.cross(1)
    there = Stage(spread, reads=[(even, reach)], writes=[odd], name="there")
    back = Stage(spread, reads=[(odd, reach)], writes=[even], name="back")
    step = Step(domain, [[there], [back]], strategy=strategy, transport=TRANSPORT)
    assert step.report.fields == [even, odd]
    assert step.report.positions == 2
    whole = START
    for done in range(1, 8):
        step.run()
        padded = np.pad(whole, 1, mode="wrap")
        whole = np.empty_like(whole)
        spread(Box((0, 0, 0), (NX, NY, 1)), padded, whole)
        if done in (1, 2, 7):
            agree(odd if done % 2 else even, whole, f"heat after step {done}, {strategy}")
    assert step.position == 1
    assert step.report.times.steps == 7
    # written by hand between steps: by all ranks alike, wherever they hold the cells
    step.run()
    for field in (even, odd):
        field.scatter(START[::-1].copy() if domain.rank == 0 else None)
    step.position = 0
    step.run(4)
    whole = START[::-1].copy()
    for _ in range(4):
        padded = np.pad(whole, 1, mode="wrap")
        whole = np.empty_like(whole)
        spread(Box((0, 0, 0), (NX, NY, 1)), padded, whole)
    agree(even, whole, f"heat from other values, {strategy}")


# ---- a wave with walls: two fields updated in place, and a strip of forced cells


def advance_wave(domain: Domain, strategy: str, steps: int) -> tuple[Field, Field]:
    speed, level = domain.field("speed", halo=4, levels=2), domain.field("level", halo=4, levels=2)
    level.set(lambda i, j, k: first(i, j) + 0.1 * k)
    strip = Box((0, 3, 0), (2, NY - 4, 2))

    def force(box: Box, level: Array) -> None:
        i, j = np.arange(box.lo[0], box.hi[0]), np.arange(box.lo[1], box.hi[1])
        level[...] = (0.5 + 0.25 * i[:, None] + 0.125 * j[None, :])[..., None]

    stages = [
        Stage(slope, reads=[(level, Extent((1, 1, 0), (0, 0, 0))), speed], writes=[speed]),
        Stage(rise, reads=[(speed, Extent((0, 0, 0), (1, 1, 0))), level], writes=[level]),
        Stage(force, writes=[level], on=strip, name="strip"),
    ]
    step = Step(domain, stages, strategy=strategy, transport=TRANSPORT)
    assert step.report.stage_names == ["slope", "rise", "strip"]
    step.run(steps)
    return speed, level


def slope(box: Box, level: Array, speed: Array) -> None:
    speed -= 0.2 * (2.0 * level[1:, 1:] - level[:-1, 1:] - level[1:, :-1])


def rise(box: Box, speed: Array, level: Array) -> None:
    level -= 0.1 * (speed[1:, :-1] + speed[:-1, 1:] - 2.0 * speed[:-1, :-1])


def whole_wave(steps: int) -> tuple[Array, Array]:
    box = Box((0, 0, 0), (NX, NY, 2))
    level = START[..., None] + 0.1 * np.arange(2)
    speed = np.zeros((NX, NY, 2))
    i, j = np.arange(0, 2)[:, None], np.arange(3, NY - 4)[None, :]
    for _ in range(steps):
        slope(box, np.pad(level, ((1, 0), (1, 0), (0, 0))), speed)
        rise(box, np.pad(speed, ((0, 1), (0, 1), (0, 0))), level)
        level[0:2, 3 : NY - 4] = (0.5 + 0.25 * i + 0.125 * j)[..., None]
    return speed, level


def wave(domain: Domain, strategy: str) -> None:
    for steps in (1, 6):
        fields = advance_wave(domain, strategy, steps)
        for field, wanted in zip(fields, whole_wave(steps), strict=True):
            agree(field, wanted, f"{field.name} after {steps} steps, {strategy}")


# ---- writes outside the stages: announced by modified(), on one rank agreed upon


def announced(domain: Domain, strategy: str) -> None:
    source, result = domain.field("source", halo=4), domain.field("result", halo=4)
    source.set(first)

    def add(box: Box, source: Array, result: Array) -> None:
        result[...] += source[2:, 2:] - source[:-2, :-2]

    step = Step(
        domain,
        [Stage(add, reads=[(source, 1), result], writes=[result])],
        strategy=strategy,
        transport=TRANSPORT,
    )
    now, whole = START.copy(), np.zeros_like(START)
    for number in range(6):
        if number % 2:
            cell = (5 * number % NX, 7 * number % NY)
            now[cell] += 100.0
            one = Box((*cell, 0), (cell[0] + 1, cell[1] + 1, 1))
            if any(box.contains(one) for box in domain.boxes):
                source[one] += 100.0
        step.run()
        padded = np.pad(now, 1, mode="wrap")
        whole += padded[2:, 2:] - padded[:-2, :-2]
    agree(result, whole, f"announced, {strategy}")


def dealt(parts: tuple[int, int], periodic: bool) -> Partition:
    """Blocks dealt to the ranks in turn: a rank has several, or none."""
    blocks = block_partition(Grid((NX, NY), periodic), parts)
    ranks = start().COMM_WORLD.size
    boxes = [Subdomain(number % ranks, one.box) for number, one in enumerate(blocks.subdomains)]
    return Partition(blocks.grid, ranks, boxes)


PARTS: list[tuple[Callable[[Domain, str], None], bool]] = [
    (heat, True),
    (wave, False),
    (announced, True),
]
for strategy in STRATEGIES:
    for part, closes in PARTS:
        for cut in (Grid((NX, NY), closes), dealt((3, 2), closes), dealt((1, 3), closes)):
            domain = Domain(cut)
            part(domain, strategy)
            domain.close()
print("the bits of NumPy")
