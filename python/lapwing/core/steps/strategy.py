"""Strategies as values: the names that a step takes, put together from words."""

from __future__ import annotations

import re
from typing import Literal, Self

from lapwing.base.error import user_error, whole_number
from lapwing.core.names import check_strategy


class Strategy(str):
    """An order of computing and communicating: `Strategy.deep(2, then=Strategy.dataflow(4))`.

    It is also a text, its name, so it serves wherever a name does; `Strategy("deep:2")` makes one
    from a name. Local. UserError for a name that no step takes.
    """

    __slots__ = ()

    def __new__(cls, name: str) -> Self:
        """The strategy of this name."""
        if not isinstance(name, str):
            raise user_error("strategy", repr(name), "a name", "choose one of strategy_names()")
        return super().__new__(cls, check_strategy("strategy", name))

    @classmethod
    def blocking(cls) -> Self:
        """Exchange, then compute."""
        return cls("blocking")

    @classmethod
    def auto(cls) -> Self:
        """The fastest other strategy, by measurement over the first steps."""
        return cls("auto")

    @classmethod
    def hirlam(cls, zones: Literal[3, 5, 6], alpha: float | None = None) -> Self:
        """HIRLAM's 3s, 5s and 6s; with 6, `alpha` (0 to 1) is the share of rows behind W-E."""
        if alpha is None:
            return cls(f"{zones}s")
        if zones != 6:
            got = f"alpha = {alpha} with {zones} zones"
            raise user_error("strategy", got, "alpha with 6 zones only", "leave alpha out")
        return cls(f"6s:{alpha!r}")

    @classmethod
    def edge_first(cls, split: Literal["all", "last"] = "all") -> Self:
        """Computes what a message takes first, then the interior; splits all stages, or the last.

        GETM's versions A and B.
        """
        names = {"all": "edge-first", "last": "edge-first:B"}
        if split not in names:
            expected = "'all' or 'last'"
            raise user_error("split of edge_first", repr(split), expected, "choose one")
        return cls(names[split])

    @classmethod
    def dataflow(cls, tiles: int | None = None) -> Self:
        """Run whatever is ready, tasks that unlock messages first; at least `tiles` tiles."""
        if tiles is None:
            return cls("dataflow")
        return cls(f"dataflow:{whole_number('tiles of dataflow', tiles, 1)}")

    @classmethod
    def tiled(cls, rows: int | None = None) -> Self:
        """Take tiles of `rows` rows, or as many as a cache holds, through several stages."""
        if rows is None:
            return cls("tiled")
        return cls(f"tiled:{whole_number('rows of tiled', rows, 1)}")

    @classmethod
    def deep(cls, steps: int, then: str | None = None) -> Self:
        """Exchange a wider halo once every few steps, and in between as `then` says."""
        name = f"deep:{whole_number('steps of deep', steps, 1)}"
        return cls(name if then is None else f"{name}+{Strategy(then)}")

    def __repr__(self) -> str:
        """The call that makes it: Strategy.deep(2)."""
        name, _, then = str(self).partition("+")
        if then:
            return f"{Strategy(name)!r}".removesuffix(")") + f", then={Strategy(then)!r})"
        if orders := re.fullmatch(r"(\d)s(?::(.*))?", name):
            alpha = f", alpha={orders[2]}" if orders[2] else ""
            return f"Strategy.hirlam({orders[1]}{alpha})"
        if name == "edge-first:B":
            return "Strategy.edge_first('last')"
        word, _, number = name.replace("-", "_").partition(":")
        return f"Strategy.{word}({number})"
