"""The commands as users find them: help that is quick, and names that the library has."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from command_line import common_options
from lapwing import strategy_names, transport_names
from lapwing.__main__ import app
from lapwing.base.agreement import EXIT_CODES
from lapwing.commands import completion
from lapwing.commands.group import COMMANDS, LAB, Commands, add_installed
from typer.testing import CliRunner

Lapwing = Callable[..., Any]  # the fixture in conftest.py

NAMES = [one.name or getattr(one.callback, "__name__", "") for one in app.registered_commands]


def help_of(*arguments: str) -> str:
    environment = {"COLUMNS": "200", "NO_COLOR": "1"}
    answer = CliRunner().invoke(app, [*arguments, "--help"], env=environment)
    assert answer.exit_code == 0
    return answer.output


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help(name: str) -> None:
    text = help_of(name)
    assert f"lapwing {name}" in text or f"{name} [OPTIONS]" in text
    assert "Exit codes" in text
    assert "{strategies}" not in text
    assert "{transports}" not in text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_the_first_line_of_the_help_of_a_command(name: str) -> None:
    command = getattr(importlib.import_module(f"lapwing.commands.{name}"), name)
    assert (command.__doc__ or "").splitlines()[0] == COMMANDS[name]


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


def test_a_command_of_the_laboratory_says_how_to_install_it() -> None:
    alone = typer.Typer(cls=Commands)
    alone.command()(lambda: None)
    alone.command("other")(lambda: None)
    answer = CliRunner().invoke(alone, ["probe"])
    assert answer.exit_code == 2
    assert "lapwing-lab, which is not installed; run `make lab`" in answer.output
    assert answer.output.count("\n") == 1


def test_a_package_that_cannot_be_loaded_leaves_the_other_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = EntryPoint("lab", "lapwing_nowhere:add", "lapwing.commands")
    monkeypatch.setattr("lapwing.commands.group.entry_points", lambda group: [broken])
    add_installed(typer.Typer())
    assert "without the commands of lapwing_nowhere:add: No module" in capsys.readouterr().err


# in a process that has loaded nothing: what the others of a command do in a fork of one that has
ANEW: dict[str, tuple[tuple[str, ...], int, str]] = {
    "run": (("kelvin-small", "--set", "duration=20min"), 0, "restart.lapwing"),
    "plan": (("kelvin-small", "--strategy", "dataflow"), 0, "momentum"),
    "census": (("kelvin-small", "--steps", "2"), 0, "per step"),
    "compare": (("nowhere.nc", "nowhere.nc"), 2, "nowhere.nc"),
    "port": (("nowhere.json",), 2, "port%finish"),
    "mask": (("--region", "atlantis", "--out", "mask.nc"), 2, "atlantis"),
    "partition": (("sea.npy", "-n", "2", "--method", "block"), 0, "block"),
    "list": (("transports",), 0, "shared"),
    "doctor": ((), 0, "MPI built with"),
}


@pytest.mark.parametrize("command", ANEW)
def test_commands_load_what_they_need(lapwing: Lapwing, tmp_path: Path, command: str) -> None:
    arguments, code, words = ANEW[command]
    np.save(tmp_path / "sea.npy", np.ones((12, 18)))
    answer = lapwing(command, *arguments, anew=True, pictures=True)
    assert answer.code == code, answer.out + answer.err
    assert words in answer.out + answer.err


def test_the_installed_script_is_the_command_line() -> None:
    script = Path(sys.executable).with_name("lapwing")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith("lapwing "), done.stderr


def own_commands() -> dict[str, Any]:
    group = typer.main.get_command(app)
    context = group.make_context("lapwing", ["--help"], resilient_parsing=True)
    return {name: group.get_command(context, name) for name in COMMANDS}  # type: ignore[attr-defined]


def test_common_options_mean_what_their_table_says() -> None:
    assert list(common_options.faults(own_commands())) == []


def test_the_table_of_options_names_commands_only() -> None:
    known = {*COMMANDS, *LAB, "all"}
    assert len(common_options.rows()) > 10
    for option, named in common_options.rows().items():
        assert named <= known, option


def test_another_meaning_of_a_common_option_is_found() -> None:
    swapped = {"mask": own_commands()["run"]}
    found = list(common_options.faults(swapped))
    assert "mask: --out DIR is not in the table" in found
    assert "mask: has no --out FILE" in found


def test_the_page_of_commands_has_all_exit_codes() -> None:
    page = common_options.PAGE.read_text()
    for code, words in EXIT_CODES.items():
        assert f"| {code} | {words} |" in page
        assert f"{code} {words}" in " ".join(help_of().split())


def test_names_are_completed_behind_the_last_comma() -> None:
    assert completion.transports("p2p,pers") == ["p2p,persistent"]
    assert completion.strategies("data")[0] == "dataflow"
    assert completion.cases("kelvin-s") == ["kelvin-small"]
    assert completion.cases("nowhere") == []


def test_a_shell_completes_what_the_commands_take() -> None:
    asked = {"_LAPWING_COMPLETE": "complete_bash", "COMP_CWORD": "3"}
    words = {"COMP_WORDS": "lapwing run --transport sha"}
    done = CliRunner().invoke(app, [], env=asked | words, prog_name="lapwing")
    assert done.output.split() == ["shared"]


def test_list_has_all_names_and_a_line_about_each(lapwing: Lapwing, tmp_path: Path) -> None:
    answer = lapwing("list", "--json", "names.json")
    assert answer.code == 0, answer.err
    told = json.loads((tmp_path / "names.json").read_text())
    assert list(told["strategies"]) == strategy_names()
    assert list(told["transports"]) == transport_names()
    assert "kelvin-small" in told["cases"]
    for kind in ("cases", "strategies", "transports"):
        for name, about in told[kind].items():
            assert len(about) > 10, name
            assert name in answer.out
    assert len(told["machines"]) == 0 or "office" in told["machines"]
