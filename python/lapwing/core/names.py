"""Names of strategies and transports, as steps, exchanges, cases and the command line take them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

from lapwing.base.error import UserError, user_error
from lapwing.core import _core


def strategy_names() -> list[str]:
    """Names of all strategies, orders of computing and communicating with equal results. Local.

    Names with a number stand as examples: 6s:alpha takes any from 0 to 1, deep:k,
    dataflow:tiles and tiled:rows any from 1.
    """
    return list(_core.strategy_names())


def transport_names() -> list[str]:
    """Names of all transports, and "auto": the fastest of them, by measurement. Local.

    An MPI or a machine may lack some of them; naming these raises UserError.
    """
    return ["auto", *_core.transport_names()]


def check_strategy(what: str, name: str) -> str:
    """The one form of a strategy's name: deep:2 for deep(2), too. Local.

    UserError for a strategy that no step takes; `what` names the request.
    """
    try:
        return _core.strategy_name(name)
    except UserError:
        raise _unknown(what, name, strategy_names(), "; or another number") from None


def total_of(kind: str) -> _core.Total:
    """Return the way to combine numbers that has this name. Local. UserError if there is none."""
    names = {"minimum": _core.Total.MINIMUM, "maximum": _core.Total.MAXIMUM, "sum": _core.Total.SUM}
    if kind not in names:
        raise _unknown("kind of the reduction", str(kind), list(names))
    return names[kind]


def steps_per_exchange(strategy: str) -> int:
    """Steps between two exchanges of a strategy: k of deep:k, 1 of others. Local."""
    found = re.match(r"deep:(\d+)", check_strategy("strategy", strategy))
    return int(found[1]) if found else 1


def check_transport(what: str, name: str) -> str:
    """The name. UserError for a transport that does not exist; `what` names the request. Local."""
    if name not in transport_names():
        raise _unknown(what, name, transport_names())
    return name


def _unknown(what: str, name: str, names: Sequence[str], more: str = "") -> UserError:
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]!r}?" if near else "choose one of them"
    return user_error(what, repr(name), f"one of: {', '.join(names)}{more}", remedy)


def chosen_strategies(option: str, texts: Sequence[str] | None) -> tuple[str, ...]:
    """The strategies in texts like "3s,5s", each once; all for None. Local.

    UserError for unknown names, and for none.
    """
    return _chosen(option, texts, strategy_names(), check_strategy)


def chosen_transports(option: str, texts: Sequence[str] | None) -> tuple[str, ...]:
    """The same of transports in texts like "p2p,shared". Local."""
    return _chosen(option, texts, transport_names(), check_transport)


def chosen_threads(option: str, text: str) -> tuple[int, ...]:
    """The numbers of threads in a text like "1,2", each once. Local; UserError for none."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or not all(part.isdecimal() and int(part) > 0 for part in parts):
        expected = "whole numbers from 1, separated by commas"
        raise user_error(option, repr(text), expected, "give threads of a rank, such as 1,2")
    return tuple(dict.fromkeys(map(int, parts)))


def _chosen(
    option: str,
    texts: Sequence[str] | None,
    names: Sequence[str],
    check: Callable[[str, str], str],
) -> tuple[str, ...]:
    if texts is None:
        return tuple(names)
    text = ",".join(texts)
    found = [part.strip() for part in text.split(",") if part.strip()]
    if not found:
        raise user_error(
            option,
            repr(text),
            f"names, separated by commas, each one of: {', '.join(names)}",
            "choose some, or leave the option out",
        )
    return tuple(dict.fromkeys(check(option, name) for name in found))
