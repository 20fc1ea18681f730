"""Putting the model of a case on a domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lapwing.base.error import user_error
from lapwing.core import _core
from lapwing.core.domain import set_threads
from lapwing.run.threads import threads_of

if TYPE_CHECKING:
    from lapwing.core.domain import Domain
    from lapwing.core.steps.tuned import TunedFile
    from lapwing.model.model import Geometry, Model, Run
    from lapwing.run.request import Setup


def create_run(
    model: Model,
    domain: Domain,
    settings: Any,
    geometry: Geometry,
    *,
    strategy: str,
    transport: str,
    tuned: TunedFile | None = None,
    wet_messages: str = "off",
    threads: int = 1,
    skip_land: bool = True,
) -> Run:
    """Create a model on a domain.

    Collective. `tuned`: file where `auto` looks for its earlier finding for a step with these
    stages, before it measures. `wet_messages`: form of the messages of steps, as in
    `run.wet_messages` of a case. `threads`: of each rank, as for `set_threads`. `skip_land`: stages
    leave out land, as in `run.skip_land`. UserError for a form other than whole messages if the
    case has no land, computes it, or has no field that is constant there.
    """
    if threads != 1:
        set_threads(domain, threads)
    land = not np.all(geometry.wet)
    if not land:
        _require_whole(wet_messages, "a case without land")
    elif not skip_land:
        _require_whole(wet_messages, "a run with run.skip_land = false")
    else:
        _core.set_land(domain, geometry.mask, wet_messages)
    run = model.create(domain, settings, geometry, strategy=strategy, transport=transport)
    if tuned is not None:
        found = tuned.look_up(domain, run.step.report.stage_names, transport)
        if found is not None:
            step_of(run, model.name).settle(found)
    if not _core.constant_on_land(domain):
        _require_whole(
            wet_messages, f"model {model.name}, which declares no field to be constant on land"
        )
    return run


def _require_whole(wet_messages: str, of: str) -> None:
    """UserError for messages that shall lack land and have none that may stay away. Local."""
    if wet_messages in ("off", "auto"):
        return
    raise user_error(
        "run.wet_messages",
        f"{wet_messages!r} for {of}",
        "a case with land, whose model declares fields with constant_on_land",
        'leave it out, or set it to "off" or "auto"',
    )


def create_case_run(
    setup: Setup,
    domain: Domain,
    *,
    strategy: str = "",
    transport: str = "",
    threads: int = 0,
    tuned: TunedFile | None = None,
) -> Run:
    """Create the model of a case on a domain, with its strategy, transport and threads or others.

    Collective. Cost and `tuned` as for `create_run`.
    """
    case = setup.case
    return create_run(
        case.model,
        domain,
        case.settings,
        setup.geometry,
        strategy=strategy or case.run.strategy,
        transport=transport or case.run.transport,
        tuned=tuned,
        wet_messages=case.run.wet_messages,
        threads=threads or threads_of(domain, case.run.threads)[0],
        skip_land=case.run.skip_land,
    )


def step_of(run: Run, case: str) -> _core.Step:
    """The time step of a case, one of stages. Local; UserError for a model with any other."""
    step: object = run.step
    if not isinstance(step, _core.Step):
        raise user_error(
            f"case {case}",
            f"a time step of type {type(step).__name__}",
            "one that lapwing.Step runs, of stages that say what they read and write",
            "give the model such a step",
        )
    return step
