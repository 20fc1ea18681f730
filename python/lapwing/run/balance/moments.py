"""The moments at which a run looks at the times of its ranks, and requests that have none."""

from __future__ import annotations

from lapwing.base.error import user_error
from lapwing.model.case import Case

_ROUNDING = 1e-6  # share of a step


def check_rebalance(case: Case, servers: int) -> None:
    """Refuse output servers, which know one partition. Local."""
    if case.run.rebalance is not None and servers > 0:
        raise user_error(
            "run.rebalance",
            f"{case.run.rebalance:g} s with --io-ranks {servers}",
            "no output servers, which are made for one partition",
            "leave --io-ranks or run.rebalance out",
        )


def steps_between(rebalance: float, dt: float) -> int:
    """The steps between two moments, from their seconds. Local; UserError unless they are whole."""
    steps = round(rebalance / dt)
    if steps < 1 or abs(rebalance / dt - steps) > _ROUNDING:
        raise user_error(
            "run.rebalance",
            f"{rebalance:g} s",
            f"a multiple of the step, {dt:g} s",
            f"set it to {max(1, steps) * dt:g}",
        )
    return steps
