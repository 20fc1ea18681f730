"""The kinds of option that several benchmarks have: fields of the dataclasses that are requests.

What a parser refuses becomes an error about its option, before there are ranks.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import field
from math import isqrt
from typing import Any, NoReturn, TypeVar

import lapwing  # loads its extension at first use: listing benchmarks must not
import typer

Value = TypeVar("Value")
Known = Sequence[str] | Callable[[], Sequence[str]]  # asked for when it is needed


class Shape(tuple[int, ...]):
    """Numbers along the axes."""

    def __str__(self) -> str:
        return "x".join(map(str, self))


def option(
    default: Any, help: str, *flags: str, parser: Callable[[str], Any] | None = None, **more: Any
) -> Any:
    """The field of a request that an option fills, which is said as typer has it. Local.

    `parser`: of a text; what is no text is the default, and stays.
    """
    if parser is not None:
        more["parser"] = lambda given: parser(given) if isinstance(given, str) else given
    if isinstance(default, tuple):  # as people write it
        shown = str(default) if isinstance(default, Shape) else ", ".join(map(str, default))
        more["show_default"] = shown
    said = typer.Option(default, *flags, help=help, **more)
    return field(default=default, metadata={"option": said})


def _refused(got: str, expected: str, remedy: str) -> NoReturn:
    raise typer.BadParameter(f"got {got!r}; expected {expected}; {remedy}")


def name_among(known: Known) -> Callable[[str], str]:
    """A parser of names among those known. Local."""

    def parse(text: str) -> str:
        there = known() if callable(known) else known
        if text not in there:
            expected = f"names among {', '.join(there)}"
            _refused(text, expected, "separate names by commas")
        return text

    return parse


def number_in(least: int, most: int) -> Callable[[str], int]:
    """A parser of a whole number from `least` to `most`. Local."""

    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            _refused(text, f"a whole number from {least} to {most}", "give such a number")
        return int(text)

    return parse


def shape_like(example: str, least: int = 1) -> Callable[[str], Shape]:
    """A parser of as many numbers as the example has, each `least` or more. Local."""
    pattern = re.compile("x".join([r"(\d{1,5})"] * len(example.split("x"))))

    def parse(text: str) -> Shape:
        found = pattern.fullmatch(text)
        if found is None or min(map(int, found.groups())) < least:
            _refused(text, f"numbers from {least} on like {example}", "correct it")
        return Shape(map(int, found.groups()))

    return parse


def several(one: Callable[[str], Value]) -> Callable[[str], tuple[Value, ...]]:
    """A parser of what `one` parses, several separated by commas, each kept once. Local."""
    return lambda text: tuple(dict.fromkeys(one(part.strip()) for part in text.split(",")))


def names(known: Known, default: Any, help: str, **more: Any) -> Any:
    """The option of some names among those known. Local."""
    return option(default, help, parser=several(name_among(known)), **{"metavar": "A,B"} | more)


def count(least: int, most: int, default: int | None, help: str, **more: Any) -> Any:
    """The option of a whole number from `least` to `most`. Local."""
    return option(default, help, parser=number_in(least, most), metavar="N", **more)


def counts(least: int, most: int, default: Any, help: str, **more: Any) -> Any:
    """The option of some whole numbers from `least` to `most`. Local."""
    return option(default, help, parser=several(number_in(least, most)), metavar="N,M", **more)


def shape(example: str, default: Shape | None, help: str, **more: Any) -> Any:
    """The option of a shape like the example. Local."""
    return option(default, help, parser=shape_like(example), metavar=example, **more)


def shapes(example: str, default: Any, help: str, least: int = 1, **more: Any) -> Any:
    """The option of some shapes like the example, no number below `least`. Local."""
    parser = several(shape_like(example, least))
    return option(default, help, parser=parser, metavar=f"{example},...", **more)


def ranks(default: int) -> Any:
    """The option of all benchmarks that says on how many ranks they run. Local."""
    return option(default, "Ranks to start, unless under mpiexec.", min=1, metavar="N")


def samples(default: int | None, **more: Any) -> Any:
    """The option of how often each method is measured. Local."""
    return count(2, 100_000, default, "Samples of each method.", **more)


def transport() -> Any:
    """The option of a transport, `auto` among them. Local."""
    parser = name_among(lambda: lapwing.transport_names())
    return option("auto", "How messages move: {transports}.", parser=parser, metavar="T")


def near_square(ranks: int) -> tuple[int, int]:
    """The two factors that are next to each other, the lesser one first. Local."""
    less = max(n for n in range(1, isqrt(ranks) + 1) if ranks % n == 0)
    return less, ranks // less
