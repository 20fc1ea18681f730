"""Rounds of short runs, one of each candidate: those that are clearly slower leave early."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lapwing_lab.tune.candidate import Candidate, Timed

ROUNDS = 7
# a candidate leaves after this many rounds if its time over the time of the fastest is above this
_SLOW = {2: 1.2, 3: 1.08, 5: 1.03}
_LATE, _STAY = 3, 2  # from round _LATE on, _STAY candidates stay besides the first


def race(
    rivals: Sequence[Timed],
    take: Callable[[Candidate], float],
    rounds: int = ROUNDS,
    *,
    drop: bool = True,
) -> None:
    """Let rivals alternate; the first is what others are compared with, and stays to the end.

    Collective where `take` is: it runs some steps by a candidate, and returns the seconds of one.
    """
    for number in range(rounds):
        running = [one for one in rivals if not one.dropped]
        if drop and number > 0 and len(running) == 1:
            return
        for one in running if number % 2 == 0 else reversed(running):
            one.seconds.append(take(one.candidate))
            one.runs += 1
        if drop:
            _drop_slow(running)


def _drop_slow(running: Sequence[Timed]) -> None:
    """Drop those that have no prospect of being the fastest, except for the first. Local."""
    fastest = min(running, key=lambda one: one.ratio(running[0]))
    rounds = len(running[0].seconds)
    limits = [limit for least, limit in _SLOW.items() if rounds >= least]
    for one in running[1:]:
        one.dropped = bool(limits) and one.ratio(fastest) > limits[-1]
    if rounds >= _LATE:
        left = [one for one in running[1:] if not one.dropped]
        for one in sorted(left, key=lambda one: one.ratio(running[0]))[_STAY:]:
            one.dropped = True
