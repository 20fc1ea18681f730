"""What every benchmark is asked for, and the kinds of option that several of them have.

A request is a dataclass whose fields are the options of a command: typer fills it from the command
line. What a parser refuses becomes an error about its option, before there are ranks.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Annotated, Any, NoReturn

import typer
from lapwing.base.error import UserError
from lapwing.commands.options import EXIT_CODES, Debug, Json, NamingCommand, Progress, answer
from typer.core import TyperOption
from typer.main import get_command


# typer knows no tuples of any length, but classes that a parser makes
class Names(tuple[str, ...]):
    """Names, each once."""

    def __str__(self) -> str:
        return ", ".join(self)


class Numbers(tuple[int, ...]):
    """Whole numbers, each once."""

    def __str__(self) -> str:
        return ", ".join(map(str, self))


class Shape(tuple[int, ...]):
    """Numbers along the axes."""

    def __str__(self) -> str:
        return "x".join(map(str, self))


class Shapes(tuple[Shape, ...]):
    """Shapes, each once."""

    def __str__(self) -> str:
        return ", ".join(map(str, self))


Parser = Callable[[Any], Any]  # of a text; what is no text is a default, and stays


def _refused(got: str, expected: str, remedy: str) -> NoReturn:
    raise typer.BadParameter(f"got {got!r}; expected {expected}; {remedy}")


def _of_text(parse: Callable[[str], object]) -> Parser:
    return lambda given: parse(given) if isinstance(given, str) else given


def name_among(known: Callable[[], Sequence[str]]) -> Parser:
    """A parser of names among those known, asked for when they are needed. Local."""

    def parse(text: str) -> str:
        if text not in known():
            expected = f"names among {', '.join(known())}"
            _refused(text, expected, "separate names by commas")
        return text

    return _of_text(parse)


def number_in(least: int, most: int) -> Parser:
    """A parser of a whole number from `least` to `most`. Local."""

    def parse(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            _refused(text, f"a whole number from {least} to {most}", "give such a number")
        return int(text)

    return _of_text(parse)


def shape_like(example: str, least: int = 1) -> Parser:
    """A parser of as many numbers as the example has, each `least` or more. Local."""
    pattern = re.compile("x".join([r"(\d{1,5})"] * len(example.split("x"))))

    def parse(text: str) -> Shape:
        found = pattern.fullmatch(text)
        if found is None or min(map(int, found.groups())) < least:
            _refused(text, f"numbers from {least} on like {example}", "correct it")
        return Shape(map(int, found.groups()))

    return _of_text(parse)


def several(kind: Callable[[Iterable[Any]], object], one: Parser) -> Parser:
    """A parser of what `one` parses, several separated by commas, each kept once. Local."""
    return _of_text(lambda text: kind(dict.fromkeys(one(part.strip()) for part in text.split(","))))


Ranks = Annotated[
    int,
    typer.Option(min=1, help="Ranks to start, unless under mpiexec.", metavar="N"),
]


def names(known: Callable[[], Sequence[str]], help: str, **more: Any) -> Any:
    """The option of some names among those known. Local."""
    parser = several(Names, name_among(known))
    return typer.Option(parser=parser, metavar="A,B", help=help, **more)


def count(least: int, most: int, help: str, **more: Any) -> Any:
    """The option of a whole number from `least` to `most`. Local."""
    return typer.Option(parser=number_in(least, most), metavar="N", help=help, **more)


def counts(least: int, most: int, help: str, **more: Any) -> Any:
    """The option of some whole numbers from `least` to `most`. Local."""
    parser = several(Numbers, number_in(least, most))
    return typer.Option(parser=parser, metavar="N,M", help=help, **more)


def shape_option(example: str, help: str, **more: Any) -> Any:
    """The option of a shape like the example. Local."""
    return typer.Option(parser=shape_like(example), metavar=example, help=help, **more)


def shapes(example: str, help: str, least: int = 1, **more: Any) -> Any:
    """The option of some shapes like the example, no number below `least`. Local."""
    parser = several(Shapes, shape_like(example, least))
    return typer.Option(parser=parser, metavar=f"{example},...", help=help, **more)


Samples = Annotated[int, count(2, 100_000, "Samples of each method.")]


def transports() -> list[str]:
    """The transports, auto among them. Local."""
    from lapwing import transport_names  # here: listing benchmarks loads no extension

    return transport_names()


Transport = Annotated[
    str,
    typer.Option(
        parser=name_among(transports), help="How messages move: {transports}.", metavar="T"
    ),
]


@dataclass(frozen=True, kw_only=True)
class Request:
    """The options of all benchmarks."""

    ranks: Ranks = 2
    json: Json = None
    progress: Progress = "auto"
    debug: Debug = False


class BenchCommand(NamingCommand):
    """A command that raises UserError where an option has a value that it cannot have."""

    def make_context(self, *arguments: Any, **more: Any) -> Any:
        """Read the options."""
        try:
            return super().make_context(*arguments, **more)
        except typer.BadParameter as problem:
            option = problem.param.opts[0] if problem.param else "options"
            raise UserError(f"{option}: {problem.message}") from problem


def command_of(
    request: type[Any], title: str, run: Callable[[dict[str, Any]], int]
) -> BenchCommand:
    """The command whose options are the fields of a request, and whose help is its text. Local.

    `run` gets the options by field, as the request takes them, and returns the exit code.
    """

    def command(**options: Any) -> None:
        answer(lambda: run(options), options["debug"])

    command.__signature__ = signature(request)  # type: ignore[attr-defined]
    command.__doc__ = request.__doc__
    app = typer.Typer(rich_markup_mode="rich", add_completion=False)
    app.command(title, cls=BenchCommand, epilog=EXIT_CODES)(command)
    made = get_command(app)
    assert isinstance(made, BenchCommand)
    for option in made.params:  # as people write them
        if isinstance(option, TyperOption) and isinstance(option.default, tuple):
            option.show_default = str(option.default)
    return made
