"""Requests of maps: what a caller may say of a file."""

from __future__ import annotations

import pytest
from lapwing.base.error import UserError
from lapwing.io.maps.request import MapRequest


def test_an_expression_and_a_variable_are_two_answers() -> None:
    with pytest.raises(UserError, match=r'--variable "mask": got an expression as well'):
        MapRequest("MASK", wet="depth > 10", variable="mask")
