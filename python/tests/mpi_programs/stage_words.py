"""Scattered values, halos as wide as a number, loops and work at the end, bitwise as on one rank.

Run by test_stage_words.py on 1 to 3 ranks.
"""

from typing import Any

import lapwing
import numpy as np
from lapwing import Box, Domain, Reduction, Stage, Step, ahead, around, behind, cross

SIZE = (26, 22)
STRATEGIES = ("blocking", "edge-first", "dataflow", "deep:2")
i, j = np.meshgrid(np.arange(26.0), np.arange(22.0), indexing="ij")
START = np.sin(0.3 * i) * np.cos(0.2 * j) + 1e-3 * i * j
domain = Domain(SIZE, periodic=True)


def start(i: Any, j: Any) -> Any:
    return np.sin(0.3 * i) * np.cos(0.2 * j) + 1e-3 * i * j


def require(field: lapwing.Field, expected: Any, *what: object) -> None:
    """The cells of this rank, bit by bit."""
    assert np.array_equal(field.owned, expected[field.index_of(domain.box)]), what


def scattered(strategy: str) -> None:
    """Each component is written at an offset of its own, as in-place lattice kernels do."""
    a, total = domain.field("a"), domain.field("total")
    sent = domain.field("sent", components=2, halo=[ahead("x"), behind("y", 2)])

    def send(box: Box, a: Any, sent: Any) -> None:
        sent.at(x=+1)[..., 0] = a
        sent.at(y=-2)[..., 1] = 2.0 * a

    def add(box: Box, sent: Any, total: Any) -> None:
        total[...] = sent[..., 0] + sent[..., 1]

    stages = [
        Stage(send, reads=[a], scatters=[sent]),
        Stage(add, reads=[sent], writes=[total]),
    ]
    step = Step(domain, stages, strategy=strategy)
    a.set(start)
    step.run(2)
    expected = np.roll(START, 1, axis=0) + 2.0 * np.roll(START, -2, axis=1)
    require(total, expected, "scattered", strategy)


def wide_as_asked(strategy: str, asked: float) -> None:
    """Beyond what the number asks for nothing travels, and the kernel reads no farther."""
    a, b = domain.field("a"), domain.field("b")
    cells = Reduction("maximum")

    def ask(box: Box, a: Any) -> float:
        return asked

    def look(box: Box, a: Any, b: Any) -> None:
        far = int(cells.value)
        b[...] = a.at(x=-far) + 3.0 * a.at(y=+far)

    stages = [
        Stage(ask, reads=[a], reduction=cells),
        Stage(look, [(a, around(4), lapwing.as_wide_as(cells, [1, 2, 4]))], [b]),
    ]
    step = Step(domain, stages, strategy=strategy)
    a.set(start)
    step.run()
    far = int(asked)
    expected = np.roll(START, far, axis=0) + 3.0 * np.roll(START, -far, axis=1)
    require(b, expected, "as wide as", strategy, asked)


def halved(strategy: str) -> None:
    """Until nothing on any rank is above a bound; how often that is depends on all ranks."""
    a = domain.field("a")
    largest = Reduction("maximum")
    times = []

    def halve(box: Box, a: Any) -> None:
        a *= 0.5

    def measure(box: Box, a: Any) -> float:
        return float(a.max())

    def count() -> None:
        times.append(largest.value)

    loop = [
        Stage(halve, [a], [a]),
        Stage(measure, [a], reduction=largest),
    ]
    after = Stage(lambda box, a: None, [a], name="after", then=count)
    stages = [*lapwing.repeated(loop, lapwing.while_above(0.1)), after]
    step = Step(domain, stages, strategy=strategy)
    a.set(start)
    step.run()
    expected = START * 0.5
    while expected.max() > 0.1:
        expected = expected * 0.5
    require(a, expected, "while above", strategy)
    assert times == [expected.max()], times


def numbered(strategy: str) -> None:
    """A kernel that asks for its step gets its number, also where a strategy runs ahead."""
    a, b = domain.field("a"), domain.field("b")

    def there(box: Box, a: Any, b: Any, *, step_number: int, time: float) -> None:
        assert time == 60.0 * step_number
        b[...] = a.at(x=-1) + 0.25 * step_number

    def back(box: Box, b: Any, a: Any) -> None:
        a[...] = b.at(y=+1)

    step = Step(
        domain,
        [Stage(there, [(a, cross(1))], [b]), Stage(back, [(b, cross(1))], [a])],
        strategy=strategy,
        dt=60.0,
    )
    a.set(start)
    step.step_number = 3
    step.run(4)
    expected = START
    for number in range(3, 7):
        expected = np.roll(np.roll(expected, 1, axis=0) + 0.25 * number, -1, axis=1)
    require(a, expected, "step number", strategy)


for strategy in STRATEGIES:
    if strategy != "deep:2":  # values come home in each step
        scattered(strategy)
    for asked in (1.0, 2.0, 4.0):
        wide_as_asked(strategy, asked)
    halved(strategy)
    numbered(strategy)
domain.close()
print(f"rank {domain.rank} has the bits of one")
