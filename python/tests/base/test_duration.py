"""Lengths of time in case files."""

import pytest
from lapwing.base.duration import format_clock, format_duration, format_rate, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("3h", 10800), ("2 d", 172800), ("20 s", 20), ("1.5min", 90), ("7", 7), (" 1e2 ms ", 0.1)],
)
def test_parse(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "h", "3 hours", "3h 20min", "1,5 h", "3 m"])
def test_parse_refuses(text: str) -> None:
    with pytest.raises(ValueError, match="not a length of time"):
        parse_duration(text)


@pytest.mark.parametrize(
    "seconds", [0.0, 20.0, 90.0, 3600.0, 86400.0, 0.1, 1 / 3, 12345.678, 1e9, 3e40, 5.5e41]
)
def test_format_is_read_back_exactly(seconds: float) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


def test_clock() -> None:
    shown = [format_clock(s) for s in (0.2, 59.4, 187, 7500, 4 * 86400 + 3600)]
    assert shown == ["0 s", "59 s", "3:07 min", "2:05 h", "4 d 1 h"]


def test_rates_keep_two_digits() -> None:
    assert [format_rate(r) for r in (3616.4, 12.3, 1.37, 0.052)] == ["3616", "12", "1.4", "0.052"]
