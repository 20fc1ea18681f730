"""The search for the fastest way: one axis after the other, then the best of all axes together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

from lapwing_lab.tune.candidate import AXES, Axis, Candidate, Timed
from lapwing_lab.tune.race import ROUNDS
from lapwing_lab.tune.space import Space
from lapwing_lab.tune.trial import Trials

_BETTER = 0.99  # of the time of the candidate so far, to go on from another one
_FINALISTS, _NEAR = 2, 1.05  # values of each axis that meet in the end, and how near the best
_FINAL_ROUNDS = 9

Tell = Callable[[str, list[Timed]], None]  # what was compared, the fastest first


@dataclass(frozen=True)
class Found:
    """The fastest way, and what finding it has cost."""

    best: Timed
    candidates: int  # that were measured
    runs: int

    @property
    def ratio(self) -> float:
        """The time of a step relative to the case's own candidate. Local."""
        return self.best.over_first


def search(space: Space, trials: Trials, tell: Tell) -> Found:
    """Measure along each axis from the best so far on, then the best two of each together.

    Collective; the same answer on every rank.
    """
    best, measured = space.own, {space.own}
    finalists: dict[Axis, list[str]] = {}
    for axis in AXES:
        candidates = list(dict.fromkeys((best, *_along(space, axis, best))))
        if len(candidates) == 1:
            finalists[axis] = [getattr(best, axis)]
            continue
        ranked = trials.contest(candidates)
        tell(axis, ranked)
        measured.update(candidates)
        good = [one for one in ranked if one.over_first <= _NEAR * ranked[0].over_first]
        finalists[axis] = [getattr(one.candidate, axis) for one in good[:_FINALISTS]]
        if ranked[0].over_first < _BETTER:
            best = ranked[0].candidate
    last = [Candidate(*values) for values in product(*(finalists[axis] for axis in AXES))]
    last = list(dict.fromkeys((space.own, best, *last)))
    ranked = trials.contest(last, _FINAL_ROUNDS)
    tell("the best together", ranked)
    return Found(ranked[0], len(measured.union(last)), trials.runs)


def most_of(space: Space) -> int:
    """The largest number of candidates that the search prepares, about. Local."""
    together: int = _FINALISTS ** len(AXES)
    return len(space.cuts) + len(space.transports) + len(space.strategies) + together + 1


def exhaustive(space: Space, trials: Trials, tell: Tell) -> Found:
    """Measure every candidate in all rounds. Collective; the same answer on every rank."""
    ranked = trials.contest(list(space.candidates()), ROUNDS, drop=False)
    tell("every candidate", ranked)
    return Found(ranked[0], space.size, trials.runs)


def _along(space: Space, axis: Axis, best: Candidate) -> list[Candidate]:
    values = {"cut": space.cuts, "transport": space.transports, "strategy": space.strategies}
    return [replace(best, **{axis: value}) for value in values[axis]]
