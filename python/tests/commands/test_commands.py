"""The commands as people find them: help that is quick, and names that the library has."""

import subprocess
import sys

import pytest
from lapwing import strategy_names, transport_names
from lapwing.__main__ import app
from lapwing.model.registry import installed_benchmarks
from typer.testing import CliRunner

COMMANDS = [command.callback.__name__ for command in app.registered_commands if command.callback]


def help_of(*arguments: str) -> str:
    environment = {"COLUMNS": "200", "NO_COLOR": "1"}
    answer = CliRunner().invoke(app, [*arguments, "--help"], env=environment)
    assert answer.exit_code == 0
    return answer.output


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    text = help_of(name)
    assert f"lapwing {name}" in text or f"{name} [OPTIONS]" in text
    assert "Exit codes" in text
    assert "{strategies}" not in text
    assert "{transports}" not in text


def test_help_of_run_names_what_there_is() -> None:
    text = " ".join(help_of("run").replace("│", " ").split())
    assert ", ".join(strategy_names()) in text
    assert ", ".join(transport_names()) in text


def test_the_command_line_loads_no_extension_before_it_is_needed() -> None:
    code = (
        "import sys, lapwing.__main__\n"
        "heavy = {'lapwing.core._core', 'mpi4py', 'numpy', 'netCDF4', 'matplotlib'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_help_of_bench_says_what_every_benchmark_measures_and_takes() -> None:
    every = help_of("bench")
    for name, benchmark in installed_benchmarks().items():
        measured, *_ = (benchmark.help or "").split("\n\n")
        assert len(measured) > 10, name
        assert measured.split()[0] in every.split(f" {name} ")[1].splitlines()[0]
        text = help_of("bench", name)
        assert " ".join(measured.split()) in " ".join(text.split())
        assert "{transports}" not in text
        for option in benchmark.params:
            assert option.opts[0] in text
            assert len(getattr(option, "help", "")) > 4, (name, option.opts)
