"""The commands of the laboratory, as `lapwing` shows them."""

from collections.abc import Callable
from typing import Any

import pytest
import typer
from command_line import common_options
from lapwing.__main__ import app
from lapwing.commands.group import LAB
from lapwing.commands.list import Kind, names_of
from lapwing_lab.bench import every as benchmarks
from lapwing_lab.bench import listed, works
from lapwing_lab.commands import add_commands
from typer.testing import CliRunner

Lapwing = Callable[..., Any]  # the fixture in conftest.py


def help_of(*arguments: str) -> str:
    environment = {"COLUMNS": "200", "NO_COLOR": "1"}
    answer = CliRunner().invoke(app, [*arguments, "--help"], env=environment)
    assert answer.exit_code == 0
    return answer.output


def test_help_of_bench_says_what_every_benchmark_measures_and_takes() -> None:
    of_benchmarks, of_works = help_of("bench"), help_of("bench", "models")
    assert len(listed) <= 12
    for name in (*listed, *works):
        benchmark, every = benchmarks[name], of_benchmarks if name in listed else of_works
        measured, *_ = (benchmark.help or "").split("\n\n")
        assert len(measured) > 10, name
        assert measured.split()[0] in every.split(f" {name} ")[1].splitlines()[0]
        text = help_of("bench", name)
        assert " ".join(measured.split()) in " ".join(text.split())
        assert "{transports}" not in text
        for option in benchmark.params:
            assert option.opts[0] in text
            assert len(getattr(option, "help", "")) > 4, (name, option.opts)


def test_the_product_names_all_of_them_where_they_are_missing() -> None:
    alone = typer.Typer()
    add_commands(alone)
    commands = {one.callback.__name__ for one in alone.registered_commands if one.callback}
    assert sorted(LAB) == sorted(commands | {str(one.name) for one in alone.registered_groups})


def test_common_options_mean_what_their_table_says() -> None:
    alone = typer.Typer()
    add_commands(alone)
    group = typer.main.get_command(alone)
    commands = {name: group.commands[name] for name in LAB if name not in ("bench", "netlab")}  # type: ignore[attr-defined]
    assert list(common_options.faults(commands)) == []
    every = {f"bench {name}": benchmarks[name] for name in (*listed, *works) if name != "models"}
    assert list(common_options.faults(every, must=False)) == []
    for benchmark in every.values():
        options = common_options.options_of(benchmark)
        assert {"--ranks", "--json", "--progress"} <= set(options)


def test_the_product_lists_the_machines() -> None:
    named = names_of(Kind.MACHINES)
    assert {"office", "getm-cluster"} <= set(named)
    assert all(len(title) > 10 for title in named.values())


# in a process that has loaded nothing
ANEW: dict[str, tuple[tuple[str, ...], int, str]] = {
    "timeline": (("kelvin-small", "--steps", "1", "--out", "drawn"), 0, "timeline.png"),
    "simulate": (("coast-60x60", "--machine", "nowhere", "--ranks", "4"), 2, "nowhere"),
    "tune": (("kelvin-small", "--ranks", "1"), 2, "2 or more"),
}


@pytest.mark.parametrize("command", ANEW)
def test_commands_load_what_they_need(lapwing: Lapwing, command: str) -> None:
    arguments, code, words = ANEW[command]
    answer = lapwing(command, *arguments, anew=True, pictures=True)
    assert answer.code == code, answer.out + answer.err
    assert words in answer.out + answer.err
