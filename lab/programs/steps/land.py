"""What a step on one rank takes where land is left out: the same tide, alternating in one run.

python lab/programs/steps/land.py [--seas shelf,archipelago,REGION@MINUTES] [--strategies S,...]
    [--turns N]

A sea is cut from the earth as by `lapwing mask`. Of each: the step with its land computed, the step
without, which must have the same bits, and the step of a sea of this size without land. The goal is
1.15 times the share of water.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from lapwing.base.error import OutsideError
from lapwing.core.domain import Domain
from lapwing.io.mask_file import read_mask
from lapwing.model.case import geometry_of, load_case
from lapwing.model.model import Run
from lapwing.model.registry import installed_models
from lapwing.partition.regions import find_region, write_region
from lapwing.run.creation import create_run
from lapwing_lab.bench.measure.options import several

SEAS = {"archipelago": "62,77,-126,-93@1"}  # the Canadian Arctic; others are names of regions
STEPS = 8  # of a turn
TIDE = ("grid.spacing_x=1127.4", "grid.spacing_y=1852.0")


def main() -> None:
    """Print a line for each sea and strategy. Local."""
    options = asked()
    for sea in options.seas:
        with tempfile.TemporaryDirectory(prefix="lapwing-land-") as folder:
            mask = Path(folder, "sea.nc")
            region, _, minutes = SEAS.get(sea, sea).partition("@")
            write_region(find_region(region, float(minutes) if minutes else None, None), mask)
            for strategy in options.strategies:
                report(sea, strategy, mask, options.turns)


def asked() -> argparse.Namespace:
    """Return the options of the command line. Local."""
    parser = argparse.ArgumentParser(description="Steps that leave land out.")
    parser.add_argument("--seas", type=several(str), default=("shelf", "archipelago"))
    parser.add_argument("--strategies", type=several(str), default=("blocking", "deep:4+tiled"))
    parser.add_argument("--turns", type=int, default=9)
    return parser.parse_args()


def tide(mask: Path | None, size: tuple[int, int], strategy: str, skip_land: bool) -> Run:
    """The tide of the case kelvin on another sea. Local."""
    place: tuple[str, ...] = (f"grid.cells_x={size[0]}", f"grid.cells_y={size[1]}")
    if mask is not None:
        place = (f"grid.mask={mask}",)
    case = load_case("kelvin", installed_models(), (*TIDE, *place))
    geometry = geometry_of(case)
    return create_run(
        case.model,
        Domain(geometry.grid),
        case.settings,
        geometry,
        strategy=strategy,
        transport="p2p",
        skip_land=skip_land,
    )


def report(sea: str, strategy: str, mask: Path, turns: int) -> None:
    """Time the three steps of a sea alternating, and print them and their ratios. Local."""
    wet = read_mask(mask).wet
    size = wet.shape[0], wet.shape[1]
    ways: dict[str, tuple[Path | None, bool]] = {
        "land computed": (mask, False),
        "land left out": (mask, True),
        "no land": (None, True),
    }
    # each twice, the other way round: where its memory lies makes a step up to a tenth slower
    order = [*ways, *reversed(ways)]
    runs = [(name, tide(ways[name][0], size, strategy, ways[name][1])) for name in order]
    took: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns + 1):
        for name, run in runs:
            begin = time.perf_counter()
            run.advance(STEPS)
            if turn > 0:  # the first is to warm up
                took[name].append((time.perf_counter() - begin) / STEPS)
    require_same_bits(sea, runs[0][1], runs[1][1])
    share = float(np.mean(wet))
    times = ", ".join(f"{name} {1e3 * min(seconds):.2f} ms" for name, seconds in took.items())
    print(f"{sea} {size[0]} x {size[1]}, {share:.1%} water, {strategy}: {times}")
    for name in ("land computed", "no land"):
        pairs = zip(took["land left out"], took[name], strict=True)
        ratios = sorted(less / more for less, more in pairs)
        low, high = ratios[len(ratios) // 4], ratios[-1 - len(ratios) // 4]
        least = min(took["land left out"]) / min(took[name])
        print(
            f"  over {name}: least {least:.3f}, median {statistics.median(ratios):.3f} "
            f"({low:.3f}-{high:.3f}); {least / share:.2f} x the share of water",
            flush=True,
        )


def require_same_bits(sea: str, one: Run, other: Run) -> None:
    """Raise OutsideError where a state differs. Local."""
    for name, field in one.state.items():
        if np.asarray(field.owned).tobytes() != np.asarray(other.state[name].owned).tobytes():
            raise OutsideError(f"{name} of {sea} differs where land is left out")


if __name__ == "__main__":
    main()
