"""Seconds per cell of the coast model's stages on this machine, as rows of a machine file.

python bench/stage_costs.py [60x60 ...]

One rank, whose box lies in its caches as far as it fits; the least of many steps, as whatever else
the machine does makes a step longer.
"""

from __future__ import annotations

import sys

import numpy as np
from lapwing.core.domain import Domain, Field
from lapwing_coast import _kernels

LAYERS = 60
REPETITIONS = 200  # steps that are measured one by one


def main(boxes: list[str]) -> None:
    """Print a row of the tables compute.coast and compute.tracer per box."""
    for text in boxes or ["60x60"]:
        x, _, y = text.partition("x")
        box = (int(x), int(y))
        for model, measure in (("coast", coast_costs), ("tracer", tracer_costs)):
            print(f"[[compute.{model}]]\nbox = [{box[0]}, {box[1]}]")
            for stage, seconds in measure(box).items():
                print(f"{stage} = {seconds:.3g} # s")
            print(flush=True)


def coast_costs(box: tuple[int, int]) -> dict[str, float]:
    """Of a tide in a sea without land, s per cell. Local."""
    domain = Domain(box)
    settings = _kernels.CoastSettings()
    coast = _kernels.Coast(domain, settings, _depth(box), [], "blocking", "auto")
    Field(domain, coast.sea_level).set(lambda i, j: 0.1 * np.sin(0.1 * i) * np.cos(0.13 * j))
    costs = _least(coast, box[0] * box[1])
    domain.close()
    return costs


def tracer_costs(box: tuple[int, int]) -> dict[str, float]:
    """Of gyres that carry a tracer, s per cell; the mean of the axes. Local."""
    domain = Domain(box)
    settings = _kernels.TracerSettings()
    settings.levels = LAYERS
    advection = _kernels.TracerAdvection(domain, settings, _depth(box), "blocking", "auto")
    i, j, k = np.ogrid[: box[0], : box[1], :LAYERS]
    wave = [np.sin(np.pi * np.arange(n + 1) / n) for n in box]
    stream = 1e4 * wave[0][:, None] * wave[1][None, :]  # m3/s, at the corners
    mine = Field(domain, advection.flow_x), Field(domain, advection.flow_y)
    mine[0][domain.box] = (stream[1:, :-1] - stream[1:, 1:])[
        :, :, None
    ] / settings.spacing_y + 0 * k
    mine[1][domain.box] = (stream[1:, 1:] - stream[:-1, 1:])[
        :, :, None
    ] / settings.spacing_x + 0 * k
    Field(domain, advection.tracer)[domain.box] = np.sin(0.7 * (i + 3 * j + 5 * k))
    advection.set_flow()
    costs = _least(advection, box[0] * box[1] * LAYERS)
    domain.close()
    parts: dict[str, list[float]] = {}
    for stage, seconds in costs.items():
        parts.setdefault(stage.rpartition("_")[0], []).append(seconds)
    return {part: sum(axes) / len(axes) for part, axes in parts.items()}


def _depth(box: tuple[int, int]) -> np.ndarray:
    return np.asfortranarray(np.full(box, 60.0))  # m


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
