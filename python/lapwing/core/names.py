"""Names of strategies and transports, as steps, exchanges, cases and the command line take them."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence

from lapwing.base.error import UserError, user_error
from lapwing.core import _core


def strategy_names() -> list[str]:
    """Names of all strategies, orders of computing and communicating with equal results. Local.

    Names with a number stand as examples: 6s(alpha) takes any from 0 to 1, deep(k),
    dataflow(tiles) and tiled(rows) any from 1.
    """
    return list(_core.strategy_names())


def transport_names() -> list[str]:
    """Names of all transports, and "auto": the fastest of them, by measurement. Local.

    An MPI or a machine may lack some of them; naming these raises UserError.
    """
    return ["auto", *_core.transport_names()]


def check_strategy(what: str, name: str) -> None:
    """Raise UserError for a strategy that no step takes; `what` names the request. Local."""
    try:
        _core.strategy_name(name)
    except UserError:
        raise _unknown(what, name, strategy_names(), "; or another number in brackets") from None


def check_transport(what: str, name: str) -> None:
    """Raise UserError for a transport that does not exist; `what` names the request. Local."""
    if name not in transport_names():
        raise _unknown(what, name, transport_names())


def _unknown(what: str, name: str, names: Sequence[str], more: str = "") -> UserError:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]!r}?" if near else "choose one of them"
    return user_error(what, repr(name), f"one of: {', '.join(names)}{more}", remedy)


def chosen_strategies(option: str, text: str | None) -> tuple[str, ...]:
    """The strategies in a text like "3s,5s", each once; all for None. Local.

    UserError for unknown names, and for none.
    """
    return _chosen(option, text, strategy_names(), check_strategy)


def chosen_transports(option: str, text: str | None) -> tuple[str, ...]:
    """The same of transports in a text like "p2p,shared". Local."""
    return _chosen(option, text, transport_names(), check_transport)


def _chosen(
    option: str, text: str | None, names: Sequence[str], check: Callable[[str, str], None]
) -> tuple[str, ...]:
    if text is None:
        return tuple(names)
    found = dict.fromkeys(part.strip() for part in text.split(",") if part.strip())
    if not found:
        raise user_error(
            option,
            repr(text),
            f"names, separated by commas, each one of: {', '.join(names)}",
            "choose some, or leave the option out",
        )
    for name in found:
        check(option, name)
    return tuple(found)
