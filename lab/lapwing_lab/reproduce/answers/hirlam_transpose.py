"""Answers to the report on transposes in HIRLAM: its step on the SX-6, priced at 8 to 60 ranks."""

from __future__ import annotations

from collections.abc import Callable

from lapwing_lab.reproduce.answer import Answer, Answers
from lapwing_lab.reproduce.experiment import Numbers, Predicted
from lapwing_lab.reproduce.kept import Kept
from lapwing_lab.reproduce.register import Row

MACHINE = "nec-sx6"
# processors and their grid, Table 7-1
GRIDS = {
    8: (1, 8),
    16: (2, 8),
    24: (3, 8),
    32: (4, 8),
    40: (5, 8),
    48: (6, 8),
    56: (7, 8),
    60: (6, 10),
}
STEPS = 40  # of Table 7-1
STEP = 180  # s
AS_IT_IS = ("dataflow", "dataflow:4", "edge-first", "3s")
OPTIMIZED = {8: 241.81, 56: 43.47, 60: 41.23}  # s, Table 7-1
ORIGINAL = {60: 75.01}


def step(kept: Kept, ranks: int, strategy: str = "blocking") -> Numbers:
    """The step of 602 x 568 x 60 cells. Local."""
    return kept(Predicted("dmi-602", MACHINE, ranks, strategy, blocks=(*GRIDS[ranks], 1)))


def seconds(kept: Kept, row: Row) -> Answer:
    """Table 7-1: seconds of 40 steps."""
    (name,) = row.series
    return Answer({name: [STEPS * step(kept, int(one))["step"] for one in row.columns]})


def speed_up(kept: Kept, row: Row) -> Answer:
    """Figure 7-1: over 8 processors."""
    (name,) = row.series
    first = step(kept, 8)["step"]
    return Answer({name: [first / step(kept, int(one))["step"] for one in row.columns]})


def scales_to_sixty(kept: Kept, row: Row) -> Answer:
    """The step is still faster on 60 than on 56 processors."""
    found = {ranks: STEPS * step(kept, ranks)["step"] for ranks in (56, 60)}
    text = f"{found[56]:.1f} s on 56, {found[60]:.1f} s on 60."
    return Answer(holds=found[60] < found[56], text=text)


def shares_grow(kept: Kept, row: Row) -> Answer:
    """The share of halos grows with the number of processors."""
    shares = [1 - (one := step(kept, ranks))["compute"] / one["step"] for ranks in GRIDS]
    rises = shares[-1] > shares[0] + 0.001
    most = max(max(map(abs, shares)), 0.0001)
    text = f"Halos take at most {most:.2%} of a predicted step, on 8 as on 60 processors."
    return Answer(holds=rises, text=text)


def around_forty(kept: Kept, row: Row) -> Answer:
    """Section 8 says around 40 % at 60 processors; by Table 7-1 it is 45 %."""
    saved = 1 - OPTIMIZED[60] / ORIGINAL[60]
    text = f"By the report's own Table 7-1 the optimized code takes {saved:.0%} less."
    return Answer(holds=abs(saved - 0.40) < 0.03, text=text)


def forecast(hours: int, ranks: int) -> Callable[[Kept, Row], Answer]:
    """The steps of a whole forecast, in minutes, without input and output."""

    def answer(kept: Kept, row: Row) -> Answer:
        (name,) = row.series
        found = hours * 3600 / STEP * step(kept, ranks)["step"] / 60
        told = row.series[name][0]
        text = f"{found:.1f} of {told:.0f} min are steps; initialisation and files are not priced."
        return Answer({name: [found]}, holds=0.8 <= found / told <= 1.0, text=text)

    return answer


def factor(kept: Kept, row: Row) -> Answer:
    """The original step at 60 processors over lapwing's best strategy, with HIRLAM's computing."""
    best = min(step(kept, 60, one)["step"] for one in ("blocking", *AS_IT_IS))
    against = {"original": ORIGINAL[60], "optimized": OPTIMIZED[60]}
    gains = {name: told / (STEPS * best) for name, told in against.items()}
    text = (
        f"At 60 processors {gains['original']:.2f} times as fast as the original code, "
        f"{gains['optimized']:.2f} as the optimized one."
    )
    return Answer({"factor": list(gains.values())}, holds=gains["original"] > 1, text=text)


ANSWERS: Answers = {
    "seconds": seconds,
    "speed-up": speed_up,
    "scales to 60": scales_to_sixty,
    "shares grow": shares_grow,
    "around 40 %": around_forty,
    "48 hours": forecast(48, 60),
    "60 hours": forecast(60, 56),
    "factor": factor,
}
