"""Settings from TOML tables: types that no case has, but files of other packages."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from lapwing.base.error import UserError
from lapwing.base.settings import Where, fill, read_toml


def doubled(value: Any, where: Where) -> float:
    return 2.0 * float(value)


@dataclass(frozen=True)
class Speeds:
    """Speeds by name."""

    of: dict[str, float] = field(default_factory=dict)
    along: dict[Literal["x", "y"], Annotated[float, doubled]] = field(default_factory=dict)


def read(text: str) -> Speeds:
    return fill(Speeds, read_toml(text), Where("file.toml", text))


def test_tables_have_any_names_and_types_may_read_values_themselves() -> None:
    assert read("of = { wind = 2, sea = 1.5 }\nalong = { x = 3 }") == Speeds(
        {"wind": 2.0, "sea": 1.5}, {"x": 6.0}
    )


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("of = 3", r"of: got 3; expected a table"),
        ("of = { wind = 'fast' }", r"of.wind: got 'fast'; expected a number"),
        ("[along]\nz = 1", r"file.toml, line 2: along.z: got unknown key 'z'; .*\(x, y\)"),
    ],
)
def test_other_values_and_names_are_refused(text: str, named: str) -> None:
    with pytest.raises(UserError, match=named):
        read(text)
