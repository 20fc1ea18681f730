"""Parity of languages: each word that one lacks has a reason, and each reason a hole."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "site"
DATA = ROOT / "docs" / "reference" / "parity.toml"


@pytest.fixture(scope="module")
def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("parity", SITE / "parity.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["parity"] = made  # where dataclasses look for it
    spec.loader.exec_module(made)
    return made


def test_every_hole_has_a_reason(module: ModuleType) -> None:
    assert module.Parity().unexplained() == []


def test_every_reason_has_a_hole(module: ModuleType) -> None:
    assert module.Parity().idle() == []


def test_words_are_found_in_every_language(module: ModuleType) -> None:
    rows = {row.word: row.names for row in module.Parity().rows}
    assert rows["step.run"] == {
        "cpp": "Step::run",
        "python": "Step.run",
        "fortran": "step%run",
        "c": "lapwing_step_run",
    }
    assert rows["field.constant_on_land"] == {
        "cpp": "FieldOptions::constant_on_land",
        "python": "Domain.field(constant_on_land=)",
        "fortran": "field%wrap(constant_on_land=)",
        "c": "lapwing_field_spec.constant_on_land",
    }
    assert rows["helmholtz.solve"]["python"] == "Helmholtz.solve"
    assert set(rows["stage.on"]) == set(rows["reads"]) == {"cpp", "python", "fortran", "c"}


def test_a_missing_reason_and_an_idle_one_are_found(module: ModuleType, tmp_path: Path) -> None:
    data = tmp_path / "parity.toml"
    given = DATA.read_text()
    data.write_text(given.replace('"set_threads"', '"step.run"'))
    parity = module.Parity(data)
    assert parity.unexplained() == ["set_threads: not in Fortran", "set_threads: not in C"]
    assert parity.idle() == ["step.run: no hole in Fortran", "step.run: no hole in C"]
    data.write_text(given.replace('"pending.wait"', '"pending.await"'))
    assert "pending.await: no such word" in module.Parity(data).idle()
