"""Seconds per cell of the coast model's stages on this machine, as rows of a machine file.

python bench/stage_costs.py [60x60 ...]

One rank, whose box lies in its caches as far as it fits; the least of many steps, as whatever else
the machine does makes a step longer.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing_bench.measure.domains import on_domain
from lapwing_bench.measure.options import shape_like
from lapwing_coast import _kernels
from numpy.typing import NDArray

LAYERS = 60
REPETITIONS = 200  # steps that are measured one by one


def main(boxes: list[str]) -> None:
    """Print a row of the tables compute.coast and compute.tracer per box."""
    for text in boxes or ["60x60"]:
        x, y = shape_like("60x60")(text)
        depth = np.full((x, y), 60.0, order="F")  # m
        for model, measure in (("coast", coast_costs), ("tracer", tracer_costs)):
            print(f"[[compute.{model}]]\nbox = [{x}, {y}]")
            for stage, seconds in on_domain((x, y), partial(measure, depth=depth)).items():
                print(f"{stage} = {seconds:.3g} # s")
            print(flush=True)


def coast_costs(domain: Domain, depth: NDArray[np.float64]) -> dict[str, float]:
    """Of a tide in a sea without land, s per cell. Collective."""
    settings = _kernels.CoastSettings()
    coast = _kernels.Coast(domain, settings, depth, [], "blocking", "auto")
    Field(domain, coast.sea_level).set(lambda i, j: 0.1 * np.sin(0.1 * i) * np.cos(0.13 * j))
    return _least(coast, depth.size)


def tracer_costs(domain: Domain, depth: NDArray[np.float64]) -> dict[str, float]:
    """Of gyres that carry a tracer, s per cell; the mean of the axes. Collective."""
    settings = _kernels.TracerSettings()
    settings.levels = LAYERS
    advection = _kernels.TracerAdvection(domain, settings, depth, "blocking", "auto")
    stream = 1e4 * np.outer(*(np.sin(np.pi * np.arange(n + 1) / n) for n in depth.shape))  # m3/s
    flow_x, flow_y = Field(domain, advection.flow_x), Field(domain, advection.flow_y)
    flow_x[domain.box] = -np.diff(stream, axis=1)[1:, :, None] / settings.spacing_y
    flow_y[domain.box] = np.diff(stream, axis=0)[:, 1:, None] / settings.spacing_x
    Field(domain, advection.tracer).set(lambda i, j, k: np.sin(0.7 * (i + 3 * j + 5 * k)))
    advection.set_flow()
    parts: dict[str, list[float]] = {}
    for stage, seconds in _least(advection, depth.size * LAYERS).items():
        parts.setdefault(stage.rpartition("_")[0], []).append(seconds)
    return {part: sum(axes) / len(axes) for part, axes in parts.items()}


def _least(model: _kernels.Coast | _kernels.TracerAdvection, cells: int) -> dict[str, float]:
    """Of each stage, the least time of a step over the cells that it computed in it. Local."""
    step = model.step
    names = list(step.stage_names)
    text = step.describe()
    calls = [sum(line.split()[1:2] == [name] for line in text.splitlines()) for name in names]
    cycle = step.positions
    least = np.full(len(names), np.inf)
    model.advance(2 * cycle)
    for _ in range(REPETITIONS):
        step.reset_times()
        model.advance(cycle)
        least = np.minimum(least, np.array(step.times.compute))
    return {name: least[n] / (cells * calls[n]) for n, name in enumerate(names)}


if __name__ == "__main__":
    main(sys.argv[1:])
