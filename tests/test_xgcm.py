"""Outputs of all shipped cases as staggered grids: xgcm and cf-xarray read the axes by themselves.

What xgcm makes of the files must be what the models did: each balance below is the model's own, to
rounding. The lattice has none that the variables of its files could show.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import cf_xarray  # noqa: F401  (gives datasets the accessor `cf`)
import numpy as np
import pytest
import xarray
import xgcm
from lapwing.model.case import Case, load_case
from lapwing.model.registry import installed_models
from lapwing_coast.place.metrics import make_metrics
from lapwing_weather.levels import make_levels

LapwingIn = Callable[..., Any]  # the fixture in conftest.py
Opened = Callable[[str], tuple[Case, xarray.Dataset]]

MODELS = installed_models()
CASES = {name: model.name for model in MODELS.values() for name in sorted(model.cases)}

# Of cases that would take long: the same on fewer cells.
SMALLER = {
    "kelvin3d": ("grid.cells_x=48", "grid.cells_y=36", "layers.levels=9"),
    "dmi-602": ("grid.cells_x=40", "grid.cells_y=36", "levels.count=8"),
    "g40-functional": ("grid.cells_x=42", "grid.cells_y=38", "levels.count=8"),
    "overlap-120": ("grid.cells_x=41", "grid.cells_y=37"),
    "lbm-350": ("grid.cells_x=22", "grid.cells_y=20", "grid.cells_z=18"),
    "porous": ("grid.cells_x=40", "grid.cells_y=32", "grid.cells_z=24"),
}
STEADY = ("channel", "geostrophic")  # in which nothing flows together
STEPS = 2


def cases_of(*models: str) -> list[str]:
    return [case for case, model in CASES.items() if model in models]


LAYERED = [one for one in cases_of("coast") if load_case(one, MODELS).settings.layers.levels]


def settings_of(case: str) -> list[str]:
    """What makes a run of two steps that leaves a record of each."""
    sets = list(SMALLER.get(case, ()))
    step = 1.0
    if CASES[case] != "lattice":
        step = load_case(case, MODELS).settings.time.step
    if CASES[case] == "coast":  # so that a step of the layers holds one of the transports
        sets.append("time.micro_steps=1")
    sets += [f"duration={STEPS * step}s", f"output.every={step}s", "output.precision=double"]
    return [*sets, "output.variables=[]", "run.restart_at_end=false"]


@pytest.fixture(scope="module")
def opened(lapwing_in: LapwingIn, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """What opened(case) returns: the resolved case and its output, from one run for all tests."""
    files = []

    @functools.cache
    def run(case: str) -> tuple[Case, xarray.Dataset]:
        folder = tmp_path_factory.mktemp(case)
        sets = settings_of(case)
        answer = lapwing_in(folder, "run", case, "--out=.", *(f"--set={one}" for one in sets))
        assert answer.code == 0, answer.out + answer.err
        files.append(xarray.open_dataset(folder / "output.nc"))
        return load_case(case, MODELS, sets), files[-1]

    yield run
    for file in files:
        file.close()


@pytest.fixture(scope="module")
def grid_of(opened: Opened) -> Callable[[str], xgcm.Grid]:
    """The grid that xgcm makes of the output of a case: only what is beyond the ends is told."""

    @functools.cache
    def make(case: str) -> xgcm.Grid:
        told, data = opened(case)
        geometry = told.model.geometry(told.settings, told.folder)
        padding = {
            axis: "periodic" if periodic else "fill"
            for axis, periodic in zip("XY", geometry.grid.periodic[:2], strict=True)
        }
        padding |= {"Z": "fill", "T": "fill"}
        return xgcm.Grid(data, padding=padding, fill_value=0.0)

    return make


def divergence(grid: xgcm.Grid, case: Case, *flows: xarray.DataArray) -> xarray.DataArray:
    """What leaves each cell, of flows along x and y through a metre of face, for each m2.

    Closed faces are missing values in files: nothing flows there.
    """
    across_x, across_y = (
        grid.diff(flow.fillna(0), axis) for flow, axis in zip(flows, "XY", strict=True)
    )
    cells = case.settings.grid
    found: xarray.DataArray = across_x / cells.spacing_x + across_y / cells.spacing_y
    return found


def outflow(grid: xgcm.Grid, case: Case, *flows: xarray.DataArray) -> xarray.DataArray:
    """What leaves each cell for each m2 and s: flows through its faces, less what a river brings.

    Flows are along x and y, through a metre of face. Closed faces are missing values in files:
    nothing flows there.
    """
    geometry = case.model.geometry(case.settings, case.folder)
    along_x, along_y = (one.T for one in make_metrics(case.settings, geometry).spacing)
    across_x, across_y = (
        grid.diff(flow.fillna(0) * upper_face(width, axis), "YX"[axis])
        for flow, width, axis in zip(flows, (along_y, along_x), (1, 0), strict=True)
    )
    found: xarray.DataArray = (across_x + across_y) / (along_x * along_y)
    rivers = case.settings.rivers
    for mouth, brought in zip(rivers.mouths, rivers.discharge, strict=True):
        east, north = map(float, mouth.split(":")[1].split(","))
        i, j = (
            int(abs(axis.values - place).argmin())
            for axis, place in ((geometry.x, east), (geometry.y, north))
        )
        found[:, j, i] -= brought / (along_x * along_y)[j, i]
    return found


def upper_face(width: Any, axis: int) -> Any:
    """The widths [y, x] of the faces above cells: the mean of both sides."""
    last = width.take([-1], axis)
    return 0.5 * (width + np.concatenate([np.delete(width, 0, axis), last], axis))


def inner(values: xarray.DataArray, rim: int) -> xarray.DataArray:
    return values.isel({values.dims[axis]: slice(rim, -rim or None) for axis in (-2, -1)})


def agree(one: xarray.DataArray, other: xarray.DataArray, scale: float) -> None:
    """Both are the same up to the rounding of numbers of that size."""
    assert float(abs(one - other).max()) < 20 * np.finfo(np.float64).eps * scale


def is_told(values: xarray.DataArray, scale: float) -> bool:
    """True if a value is far above the rounding of numbers of that size."""
    return bool(float(abs(values).max()) > 1e4 * np.finfo(np.float64).eps * scale)


@pytest.mark.parametrize("case", CASES)
def test_axes_have_centres_and_faces(case: str, opened: Opened, grid_of: Any) -> None:
    _, data = opened(case)
    positions = {name: set(axis.coords) for name, axis in grid_of(case).axes.items()}
    faces = {"center"} if CASES[case] == "lattice" else {"center", "right"}
    tops = {"Z": {"center", "right"} if "tke" in data else {"center"}} if "level" in data else {}
    assert positions == {"T": {"center"}, "X": faces, "Y": faces} | tops


@pytest.mark.parametrize("case", CASES)
def test_cf_names_find_axes_and_variables(case: str, opened: Opened) -> None:
    _, data = opened(case)
    begins = {"X": ("x", "lon"), "Y": ("y", "lat"), "Z": ("level",), "T": ("time",)}
    for name, values in data.data_vars.items():
        for axis, coordinates in values.cf.axes.items():
            assert len(coordinates) == 1
            assert coordinates[0].startswith(begins[axis])
        assert len(values.cf.axes) == len(values.dims)
        if "standard_name" in values.attrs:
            assert data.cf[values.attrs["standard_name"]].name == name


@pytest.mark.parametrize("case", cases_of("coast"))
def test_what_flows_together_raises_the_sea(case: str, opened: Opened, grid_of: Any) -> None:
    """In every cell but those of sides that may be open: there the tide says the level."""
    told, data = opened(case)
    dt, cells = told.settings.time.step, told.settings.grid
    out = outflow(grid_of(case), told, data.transport_x, data.transport_y)
    risen = data.sea_level.diff("time") / dt
    scale = max(
        abs(data.sea_level).max() / dt,
        abs(data.transport_x).max() / cells.spacing_x,
        abs(data.transport_y).max() / cells.spacing_y,
    )
    agree(inner(-out.isel(time=slice(1, None)), 1), inner(risen, 1), float(scale))
    assert case in STEADY or is_told(inner(risen, 1), float(scale))


@pytest.mark.parametrize("case", LAYERED)
def test_layers_carry_the_transport_of_their_column(
    case: str, opened: Opened, grid_of: Any
) -> None:
    _, data = opened(case)
    grid = grid_of(case)
    water = (data.depth + data.sea_level) / data.sizes["level"]
    scale = float(max(abs(data.transport_x).max(), abs(data.transport_y).max()))
    assert scale > 0
    for axis in "xy":
        carried = data[f"velocity_{axis}"] * grid.interp(water, axis.upper())
        agree(carried.sum("level"), data[f"transport_{axis}"].fillna(0), scale)
    tops = grid.diff(data.level_top, "Z", padding={"Z": "fill"}, fill_value=-1.0)
    assert float(abs(tops * data.sizes["level"] - 1).max()) < 1e-13


@pytest.mark.parametrize("case", cases_of("weather"))
def test_air_that_flows_together_presses_on_the_ground(
    case: str, opened: Opened, grid_of: Any
) -> None:
    """In Euler's first step and the leapfrog after it, inside a frame that is drawn to values."""
    told, data = opened(case)
    grid, halves, dt = grid_of(case), make_levels(told.settings.levels), told.settings.time.step
    da, db = (xarray.DataArray(np.diff(one), dims="level") for one in (halves.a, halves.b))
    pressure = data.surface_pressure
    flows = [
        (data[f"wind_{axis}"] * (da + db * grid.interp(pressure, axis.upper()))).sum("level")
        for axis in "xy"
    ]
    out = divergence(grid, told, *flows).isel(time=slice(STEPS)).drop_vars("time")
    spans = xarray.DataArray([dt, 2 * dt], dims="time")  # s since the first record
    after = pressure.isel(time=slice(1, None)).drop_vars("time")
    pressed = (after - pressure.isel(time=0, drop=True)) / spans
    rim, scale = told.settings.boundary.relaxation, float(pressure.max()) / dt
    agree(inner(-out, rim), inner(pressed, rim), scale)
    assert case in STEADY or is_told(inner(pressed, rim), scale)
