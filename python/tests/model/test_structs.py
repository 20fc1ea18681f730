"""A setting that stands in the list of a C++ struct is bound, read from JSON and compared."""

import importlib.machinery
import importlib.util
import json
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import lapwing_coast._kernels as coast
import lapwing_lattice._kernels as lattice
import lapwing_weather._kernels as weather
import nanobind  # type: ignore[import-untyped]
import pytest
from lapwing.base.error import UserError
from lapwing.core.partition import Box
from lapwing.model.structs import plain, struct_from

ROOT = Path(__file__).resolve().parents[3]
HEAT = ROOT / "python" / "tests" / "support" / "heat"
STRUCTS = [
    getattr(kernels, name)
    for kernels in (coast, lattice, weather)
    for name in dir(kernels)
    if hasattr(getattr(kernels, name), "declared")
]


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The settings of a model of the tests, as `bind_settings` and the JSON reader see them."""
    if not (ROOT / "lab").exists():
        pytest.skip("without lab/, whose simulator reads settings as JSON")
    spec = importlib.util.find_spec("nlohmann_json")
    if shutil.which("c++") is None or spec is None or not spec.submodule_search_locations:
        pytest.skip("no c++ on PATH, or no headers of nlohmann-json: `make venv`")
    source = Path(nanobind.source_dir())
    json_headers = Path(spec.submodule_search_locations[0]) / "include"
    includes = [
        *(
            ROOT / "cpp" / "include",
            ROOT / "python" / "include",
            ROOT / "lab" / "simulate" / "include",
        ),
        *(HEAT / "include", nanobind.include_dir(), sysconfig.get_path("include"), json_headers),
        source.parent / "ext" / "robin_map" / "include",
    ]
    sources = [
        *(HEAT / "src" / "bindings.cpp", source / "nb_combined.cpp"),
        ROOT / "cpp" / "src" / "base" / "digest.cpp",
    ]
    out = tmp_path_factory.mktemp("heat") / "heat_settings.so"
    command = ["c++", "-std=c++20", "-O0", "-w", "-fPIC", "-shared", "-fvisibility=hidden"]
    command += ["-DNB_COMPACT_ASSERTIONS", *(f"-I{path}" for path in includes)]
    command += [*map(str, sources), "-o", str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loader = importlib.machinery.ExtensionFileLoader("heat_settings", str(out))
    found = importlib.util.spec_from_loader("heat_settings", loader)
    assert found is not None
    module = importlib.util.module_from_spec(found)
    loader.exec_module(module)
    return module


@pytest.mark.timeout(300)  # it compiles
def test_what_is_declared_is_bound_and_read(heat: Any) -> None:
    values = {"strength": 0.3, "start": "corner", "weights": [1.0, 0.5]}
    assert heat.HeatSettings.declared() == list(values)
    bound = heat.HeatSettings(**values)
    read = heat.from_json(json.dumps(plain(bound)))
    assert plain(read) == plain(bound) == values
    assert heat.text_of(read) == heat.text_of(bound)
    for name, value in values.items():
        alone = heat.HeatSettings()
        assert heat.text_of(heat.from_json("{}")) == heat.text_of(alone)
        setattr(alone, name, value)
        assert heat.text_of(alone) == heat.text_of(heat.from_json(json.dumps({name: value})))
        assert heat.text_of(alone) != heat.text_of(heat.HeatSettings())


@pytest.mark.timeout(300)
def test_what_is_not_declared_is_refused(heat: Any) -> None:
    with pytest.raises(TypeError, match="no setting strenght"):
        heat.HeatSettings(strenght=0.3)
    with pytest.raises(TypeError, match="wrong type of strength"):
        heat.HeatSettings(strength="strong")
    for text, message in (
        ('{"strenght": 0.3}', "got strenght; expected names that are known"),
        ('{"start": "middle"}', "got middle; expected wave or corner"),
    ):
        with pytest.raises(Exception, match=message):
            heat.from_json(text)


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: struct.__name__)
def test_every_struct_takes_its_settings_by_name(struct: Any) -> None:
    values = {name: getattr(struct(), name) for name in struct.declared()}
    assert plain(struct(**values)) == plain(struct())
    with pytest.raises(TypeError, match="no setting of_no_struct"):
        struct(of_no_struct=1)


def test_structs_are_filled_from_tables_by_name() -> None:
    @dataclass
    class Tables:
        gravity: float = 9.0
        drag: float = 0.5
        unheard_of: str = "left out"

    first, second = Tables(), SimpleNamespace(drag=0.7, ramp=4.0)
    made = struct_from(coast.CoastSettings, first, second, time_step=7.0, gravity=8.0)
    assert (made.gravity, made.drag, made.ramp, made.time_step) == (8.0, 0.5, 4.0, 7.0)
    assert made.coriolis == coast.CoastSettings().coriolis
    with pytest.raises(TypeError, match="no setting unheard_of"):
        struct_from(coast.CoastSettings, unheard_of=1)


def test_plain_data_of_nested_structs() -> None:
    tide = coast.Constituent(angular_speed=2.0, in_phase=[1.0], quadrature=[0.0])
    boundary = coast.Boundary(cells=Box((0, 0, 0), (1, 1, 1)), constituents=[tide])
    assert plain([boundary]) == [
        {
            "cells": {"lo": [0, 0, 0], "hi": [1, 1, 1]},
            "constituents": [{"angular_speed": 2.0, "in_phase": [1.0], "quadrature": [0.0]}],
        }
    ]
    with pytest.raises(UserError, match="equation: got heavy; expected linear or unesco"):
        coast.SeaWater(equation="heavy")
