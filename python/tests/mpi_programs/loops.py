"""A fast mode repeated within a slow one, by the strategies of argv[1]: the bits of NumPy."""

import sys

import lapwing
import numpy as np

SIZE, STEPS, TIMES = (26, 22), 5, 6
domain = lapwing.Domain(SIZE, periodic=True)


def start(i: np.ndarray, j: np.ndarray) -> np.ndarray:
    return np.sin(0.7 * i + 0.3) * np.cos(0.4 * j)


def push(box: lapwing.Box, level: np.ndarray, slow: np.ndarray, flow: np.ndarray) -> None:
    flow += 0.1 * (level[1:-1, 1:-1] - level[2:, 1:-1]) + 0.01 * slow


def fill(box: lapwing.Box, flow: np.ndarray, level: np.ndarray) -> None:
    level += 0.1 * (flow[:-2, 1:-1] - flow[1:-1, 1:-1])


def forcing(box: lapwing.Box, level: np.ndarray, slow: np.ndarray) -> None:
    slow[...] = 0.25 * (level[1:-1, :-2] + level[1:-1, 2:] - 2.0 * level[1:-1, 1:-1])


def whole_grid() -> np.ndarray:
    i, j = np.meshgrid(*(np.arange(n) for n in SIZE), indexing="ij")
    level, flow = start(i, j), np.zeros(SIZE)
    for _ in range(STEPS):
        north, south = np.roll(level, -1, 1), np.roll(level, 1, 1)
        slow = 0.25 * (south + north - 2.0 * level)
        for _ in range(TIMES):
            flow = flow + (0.1 * (level - np.roll(level, -1, 0)) + 0.01 * slow)
            level = level + 0.1 * (np.roll(flow, 1, 0) - flow)
    return level


expected = whole_grid()
for strategy in sys.argv[1].split(","):
    level, flow, slow = (domain.field(name, halo=8) for name in ("level", "flow", "slow"))
    level.set(start)
    loop = [
        lapwing.Stage(push, reads=[(level, 1), slow, flow], writes=[flow]),
        lapwing.Stage(fill, reads=[(flow, 1), level], writes=[level]),
    ]
    stages = [
        lapwing.Stage(forcing, reads=[(level, 1)], writes=[slow]),
        *lapwing.repeated(loop, TIMES),
    ]
    step = lapwing.Step(domain, stages, strategy=strategy)
    step.run(STEPS)
    box = domain.box
    mine = expected[box.lo[0] : box.hi[0], box.lo[1] : box.hi[1]]
    assert np.array_equal(np.squeeze(level[box]), mine), strategy
    print(strategy, step.report.volume.exchanges, flush=True)
