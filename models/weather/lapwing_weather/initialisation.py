"""Digital-filter initialisation: the initial state without the fast waves that it does not balance.

The model goes back by half of the span, without diffusion, which cannot be undone, and then forward
by all of it with everything. The state in the middle of the way forward is replaced by the sum of
all states on it with the weights of a low-pass filter (Huang and Lynch 1993). Edges that are
relaxed keep the values of the start on both ways: without them, a limited area would have walls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from lapwing.base.error import StateError
from lapwing.core.domain import Domain, Field
from numpy.typing import NDArray

from lapwing_weather import _kernels
from lapwing_weather.digital_filter import dolph_weights, lanczos_weights
from lapwing_weather.settings import WeatherSettings

Array = NDArray[np.float64]
Fields = Sequence[Field]
Edges = Sequence[tuple[float, Fields]]  # shares of records, one or two; none without a frame
MakeModel = Callable[[WeatherSettings, float], _kernels.WeatherModel]  # settings, step (s)


def filter_weights(settings: WeatherSettings) -> Array:
    """Return the weights of the steps forward, from half of the span before the start on. Local."""
    filter_, half = settings.initialisation, settings.initialisation_steps
    cutoff = 2.0 * np.pi * settings.initialisation_step / filter_.cutoff  # rad per step
    make = {"dolph": dolph_weights, "lanczos": lanczos_weights}[filter_.window]
    return make(half, cutoff)


def of_steps_forward(settings: WeatherSettings) -> WeatherSettings:
    """Return the case as it is stepped forward in the initialisation. Local."""
    return replace(settings, time=replace(settings.time, step=settings.initialisation_step))


def of_steps_back(settings: WeatherSettings) -> WeatherSettings:
    """Return it without what is irreversible. Local."""
    forward = of_steps_forward(settings)
    return replace(forward, dynamics=replace(forward.dynamics, diffusion=0.0))


def filter_state(
    domain: Domain, settings: WeatherSettings, make: MakeModel, state: Fields, edges: Edges
) -> None:
    """Filter `state`, with the same values at the edges all the time. Collective.

    StateError on all ranks when a state on the way is bad. Cost: one and a half spans of steps, and
    the memory of a second model, which is released.
    """
    step, half = settings.initialisation_step, settings.initialisation_steps
    back = make(of_steps_back(settings), -step)
    _begin(domain, back, state, edges)
    back.advance(half)
    _check(back)
    copy_fields(domain, _newest(domain, back), state)
    del back  # before the next one takes its memory
    forward = make(of_steps_forward(settings), step)
    _begin(domain, forward, state, edges)
    weights = filter_weights(settings)
    _scale(domain, state, float(weights[0]))
    for weight in weights[1:]:
        forward.advance(1)
        _add(domain, state, _newest(domain, forward), float(weight))
    _check(forward)


def copy_fields(domain: Domain, source: Fields, into: Fields) -> None:
    """Copy the owned cells of fields. Local, on all ranks alike."""
    for one, other in zip(source, into, strict=True):
        for box in domain.boxes:
            other[box] = one[box]


def _scale(domain: Domain, state: Fields, weight: float) -> None:
    for field in state:
        for box in domain.boxes:
            field[box] = weight * field[box]


def _add(domain: Domain, sums: Fields, state: Fields, weight: float) -> None:
    for total, field in zip(sums, state, strict=True):
        for box in domain.boxes:
            values = total[box]
            values += weight * field[box]
        total.modified()


def _begin(domain: Domain, model: _kernels.WeatherModel, state: Fields, edges: Edges) -> None:
    for number in range(3):
        copy_fields(domain, state, [Field(domain, one) for one in model.state(number)])
    if edges:
        given = [Field(domain, one) for one in model.given[0]]
        copy_fields(domain, edges[0][1], given)
        _scale(domain, given, edges[0][0])
        for share, record in edges[1:]:
            _add(domain, given, record, share)


def _newest(domain: Domain, model: _kernels.WeatherModel) -> Fields:
    return [Field(domain, one) for one in model.state(model.newest)]


def _check(model: _kernels.WeatherModel) -> None:
    try:
        model.check_state()
    except StateError as problem:
        message = f"{problem} (in the initialisation: initialisation.step is the step there)"
        raise StateError(message) from None
