"""Putting a model on a domain, with room in its fields for what the strategy computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lapwing.base.error import user_error
from lapwing.core import _core

if TYPE_CHECKING:
    from lapwing.core.domain import Domain
    from lapwing.core.steps.tuned import TunedFile
    from lapwing.model.model import Geometry, Model, Run
    from lapwing.run.request import Setup

_DEEPEST = (8, 4, 2, 1)  # repetitions that `auto` may try, the first for which there is room
_SHARE = 4  # a box is so many times as wide as the widest halo that is worth a trial


def create_run(
    model: Model,
    domain: Domain,
    settings: Any,
    geometry: Geometry,
    *,
    strategy: str,
    transport: str,
    tuned: TunedFile | None = None,
) -> Run:
    """Create a model whose halos are as wide in memory as the strategy needs.

    Collective. Strategies that compute beyond the owned box read wider halos than the stages
    declare, and only the stages can tell how wide: the model is made twice then, first to ask
    its stages. `tuned`: where `auto` looks first for a step with these stages.
    """
    if strategy == "auto" or strategy.startswith("deep"):
        domain.spare_halos = {}
        draft = model.create(domain, settings, geometry, strategy="blocking", transport="p2p")
        if tuned is not None:
            strategy = tuned.look_up(domain, draft.step.stage_names, transport) or strategy
        domain.spare_halos = _spare(draft.step, domain, strategy)
        del draft
    return model.create(domain, settings, geometry, strategy=strategy, transport=transport)


def create_case_run(
    setup: Setup,
    domain: Domain,
    *,
    strategy: str = "",
    transport: str = "",
    tuned: TunedFile | None = None,
) -> Run:
    """Create the model of a case on a domain, with the case's strategy and transport or others.

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


def _spare(step: _core.Step, domain: Domain, strategy: str) -> dict[str, int]:
    """Cells that halos of fields lack, by name. Local.

    Only fields that a strategy computes beyond the owned box get any: with rows that much longer, a
    sweep over layers touches more pages and cache lines, whatever strategy is taken in the end.
    """
    if strategy != "auto":
        return step.lacking_halos(strategy) if strategy.startswith("deep") else {}
    boxes = [subdomain.box for subdomain in domain.partition.subdomains]
    axes = (0, 1, 2) if domain.partition.grid.size[2] > 1 else (0, 1)
    narrowest = min(box.hi[axis] - box.lo[axis] for box in boxes for axis in axes)
    for repetitions in _DEEPEST:
        if _SHARE * _widest(step, f"deep({repetitions})") <= narrowest:
            return step.lacking_halos(f"deep({repetitions})")
    return {}


def _widest(step: _core.Step, strategy: str) -> int:
    extents = step.halo_widths(strategy)
    return max((w for extent in extents for w in (*extent.lo, *extent.hi)), default=0)
