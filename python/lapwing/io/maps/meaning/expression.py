"""Expressions over the variables of a file that are true in wet cells: "depth > 10".

Names, whole-number indices, numbers, comparisons, and, or, not, parentheses and minus are all there
is: no calls and no attributes, so a case file from elsewhere can do nothing but compare numbers.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, shortened, user_error

_LONGEST = 1000  # characters
_BEYOND = 2**63  # whole numbers that no variable holds

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_ALLOWED = "names, numbers, comparisons, and, or, not, -, parentheses and indices like hFacC[0]"


@dataclass(frozen=True)
class Term:
    """A variable of the file that an expression names, with indices of its first dimensions."""

    name: str
    indices: tuple[int, ...] = ()

    def __str__(self) -> str:
        """The term as users write it: hFacC[0]."""
        return self.name + (f"[{', '.join(map(str, self.indices))}]" if self.indices else "")


# The cells where a condition is true, and where it is false; a hidden value makes it neither
Truth = tuple[NDArray[np.bool_], NDArray[np.bool_]]


@dataclass(frozen=True)
class Expression:
    """An expression that was found right."""

    text: str
    terms: tuple[Term, ...]
    tree: ast.expr

    def cells(self, values: Mapping[Term, NDArray[Any]]) -> Truth:
        """Find the cells where the expression is true, and those where a hidden value decides.

        Local. A comparison with NaN is neither true nor false, and so is `not` of it. Such cells
        are not wet, unless the rest of the expression decides.
        """
        true, false = _truth(self.tree, values)
        return true, ~(true | false)


def parse(text: str, name: str) -> Expression:
    """Read an expression; `name`: the caller's name of it, for messages. Local.

    UserError for a text that is no expression of these parts, or compares no variable.
    """
    if len(text) > _LONGEST:
        got, expected = f"{len(text)} characters", f"at most {_LONGEST}"
        raise user_error(name, got, expected, "write a shorter expression")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        why = getattr(problem, "msg", None) or str(problem) or type(problem).__name__
        raise _refused(name, f"{shortened(text)} ({why})", "compare with ==, not =") from None
    _check_condition(tree, text, name)
    terms = tuple(dict.fromkeys(_terms(tree)))
    if not terms:
        raise _refused(name, f"{shortened(text)} without a variable", 'write "depth > 10"')
    return Expression(text.strip(), terms, tree)


def _refused(name: str, got: str, remedy: str) -> UserError:
    return user_error(name, got, f"a condition of {_ALLOWED}", remedy)


def _check_condition(node: ast.expr, text: str, name: str) -> None:
    """Refuse whatever is neither a comparison nor made of them by and, or, not."""
    if isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        parts = [node.operand]
    elif isinstance(node, ast.Compare):
        for sign in node.ops:
            if type(sign) not in _COMPARE:
                got = f"`{type(sign).__name__.lower()}` in {shortened(text)}"
                raise _refused(name, got, "compare with < <= > >= == !=")
        for side in (node.left, *node.comparators):
            _check_value(side, text, name)
        return
    else:
        shown = _written(node, text)
        got = f"{shown} in {shortened(text)}, which is no comparison"
        example = shown if isinstance(node, ast.Name | ast.Subscript) else "depth"
        remedy = f"write {example} == 1, {example} > 0 or the like; join with and, or"
        raise _refused(name, got, remedy)
    for part in parts:
        _check_condition(part, text, name)


def _check_value(node: ast.expr, text: str, name: str) -> None:
    """Refuse whatever is neither a number nor a name with whole-number indices."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        _check_value(node.operand, text, name)
        return
    right = isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and _is_number(node))
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        right = all(_index(one) is not None for one in _index_nodes(node))
    if not right:
        got = f"{_written(node, text)} in {shortened(text)}"
        raise _refused(name, got, "leave it out, or store its values in a variable of the file")


def _written(node: ast.expr, text: str) -> str:
    return ast.get_source_segment(text.strip(), node) or type(node).__name__


def _is_number(node: ast.Constant) -> bool:
    value = node.value
    return isinstance(value, float) or (type(value) is int and abs(value) < _BEYOND)


def _index_nodes(node: ast.Subscript) -> list[ast.expr]:
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _index(node: ast.expr) -> int | None:
    """A whole number, which may have a minus, or None."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _index(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    return None


def _term(node: ast.expr) -> Term | None:
    if isinstance(node, ast.Name):
        return Term(node.id)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return Term(node.value.id, tuple(_index(one) or 0 for one in _index_nodes(node)))
    return None


def _terms(node: ast.AST) -> Iterator[Term]:
    term = _term(node) if isinstance(node, ast.expr) else None
    if term is not None:
        yield term
        return
    for inner in ast.iter_child_nodes(node):
        yield from _terms(inner)


# ---- evaluation


def _truth(node: ast.expr, values: Mapping[Term, NDArray[Any]]) -> Truth:
    if isinstance(node, ast.Compare):
        sides = [_value(side, values) for side in (node.left, *node.comparators)]
        pairs = zip(node.ops, sides, sides[1:], strict=False)
        return _all([_compared(sign, left, right) for sign, left, right in pairs])
    if isinstance(node, ast.UnaryOp):
        true, false = _truth(node.operand, values)
        return false, true
    assert isinstance(node, ast.BoolOp)
    parts = [_truth(part, values) for part in node.values]
    if isinstance(node.op, ast.And):
        return _all(parts)
    true, false = _all([(false, true) for true, false in parts])  # none of them is false
    return false, true


def _all(parts: list[Truth]) -> Truth:
    true, false = parts[0]
    for more, less in parts[1:]:
        true, false = true & more, false | less
    return true, false


def _compared(sign: ast.cmpop, left: Any, right: Any) -> Truth:
    true = np.asarray(_COMPARE[type(sign)](left, right), dtype=np.bool_)
    hidden = np.isnan(left) | np.isnan(right)
    return true & ~hidden, ~true & ~hidden


def _value(node: ast.expr, values: Mapping[Term, NDArray[Any]]) -> Any:
    if isinstance(node, ast.UnaryOp):
        value = _value(node.operand, values)
        if isinstance(node.op, ast.UAdd):
            return value
        plain = isinstance(value, int | float)  # takes the type of what it is compared with
        return -value if plain else -np.asarray(value, dtype=np.float64)
    if isinstance(node, ast.Constant):
        return node.value
    term = _term(node)
    assert term is not None
    return values[term]
