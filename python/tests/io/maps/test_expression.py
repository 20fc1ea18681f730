"""Expressions that say which cells are wet: what they mean, and what they may not hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lapwing.base.error import UserError
from lapwing.io.maps.meaning.expression import Term, parse

NAN = float("nan")
DEPTH = Term("depth")


def cells(text: str, **values: list[float]) -> list[bool]:
    expression = parse(text, "--wet")
    arrays = {Term(name): np.asarray(numbers) for name, numbers in values.items()}
    wet, hidden = expression.cells(arrays)
    assert not (wet & hidden).any()
    return list(wet.tolist())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a > 1", [False, False, True, False]),
        ("a >= 1", [False, True, True, False]),
        ("1 > a", [True, False, False, False]),
        ("0 < a <= 1", [False, True, False, False]),
        ("a == 2 or a < 1", [True, False, True, False]),
        ("not a == 2", [True, True, False, False]),  # a hidden value stays unknown
        ("a != 2", [True, True, False, False]),
        ("not (a > 0 and a < 2)", [True, False, True, False]),
        ("-a < -1", [False, False, True, False]),
        ("a > -1.5e0", [True, True, True, False]),
        ("a > 5 or b > 0", [True, False, True, True]),  # b decides where a is hidden
        ("a < 5 and b > 0", [True, False, True, False]),
        ("not (a > 5 or b > 0)", [False, True, False, False]),
    ],
)
def test_meaning(text: str, expected: list[bool]) -> None:
    assert cells(text, a=[0, 1, 2, NAN], b=[1, 0, 1, 1]) == expected


def test_unsigned_numbers_have_negatives() -> None:
    expression = parse("-a < -200", "--wet")
    wet, _ = expression.cells({Term("a"): np.array([100, 255], dtype=np.uint8)})
    assert wet.tolist() == [False, True]


def test_a_number_has_the_precision_of_the_variable() -> None:
    wet, _ = parse("a == 0.1", "--wet").cells({Term("a"): np.array([0.1], dtype=np.float32)})
    assert wet.all()


def test_terms_have_indices() -> None:
    expression = parse("hFacC[0] > 0 and tmask[0, -1] == 1 and hFacC[0] < 2", "--wet")
    assert expression.terms == (Term("hFacC", (0,)), Term("tmask", (0, -1)))
    assert [str(term) for term in expression.terms] == ["hFacC[0]", "tmask[0, -1]"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depth", "got depth in 'depth', which is no comparison; .* write depth == 1, depth > 0"),
        ("depth >> 10", "which is no comparison; .* write depth == 1, depth > 0"),
        ("depth = 10", "compare with ==, not ="),
        ("", "got ''"),
        ("depth >", "got 'depth >'"),
        ("abs(depth) > 3", r"got abs\(depth\) in .*; expected a condition of names, numbers"),
        ("depth.size > 3", "got depth.size in "),
        ("depth + 1 > 3", r"got depth \+ 1 in .* store its values in a variable"),
        ("depth > 1 & depth < 3", "got 1 & depth in "),
        ("(depth > 1) | (depth < 3)", r"which is no comparison; .* join with and, or"),
        ("depth in (1, 2)", "got `in` in "),
        ("depth > '3'", "got '3' in "),
        ("depth == True", "got True in "),
        ("depth[a] > 3", r"got depth\[a\] in "),
        ("depth[0:2] > 3", r"got depth\[0:2\] in "),
        ("depth[1.5] > 3", r"got depth\[1.5\] in "),
        ("[depth] > 3", r"got \[depth\] in "),
        ("1 > 0", "without a variable"),
        (f"depth > {10**30}", "got 10+ in "),
        ("x if depth > 1 else y", "which is no comparison"),
        ("lambda: 1", "which is no comparison"),
        ("f'{depth}' > 1", "got f'{depth}' in "),
        ("depth > 1" + " and depth > 1" * 100, "got 1409 characters; expected at most 1000"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError, match=f"^--wet: .*{message}"):
        parse(text, "--wet")


@given(st.text(alphabet="ab01.()[]<>=!&|+-*,: \n'andotr", max_size=30))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        expression = parse(text, "--wet")
    except UserError:
        return
    wet, hidden = expression.cells({term: np.array([0.0, 1.0, NAN]) for term in expression.terms})
    assert np.shape(wet) == np.shape(hidden) == (3,)
