"""Output files: layers with a coordinate, and what is compressed together."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.core.partition import Grid
from lapwing.io.output import OutputFile
from lapwing.io.records.chunks import map_chunk
from lapwing.io.records.layout import About
from lapwing.io.restart import Fingerprint
from lapwing.io.variable_description import Description
from lapwing.model import Axis, Geometry, LevelTerm, VerticalAxis

NX, NY, LEVELS = 40, 30, 5
BELONGS = Fingerprint("none", {}, [NX, NY, 1], [False] * 3, "")
ABOUT = About("title", "lapwing", "none", "2000-01-01", "double", BELONGS)


@pytest.fixture
def geometry() -> Geometry:
    wet = np.ones((NX, NY), dtype=bool)
    wet[:9, :7] = False
    tops = -1.0 + np.arange(1, LEVELS + 1) / LEVELS
    vertical = VerticalAxis(
        values=tops - 0.5 / LEVELS,
        tops=tops,
        units="1",
        long_name="sigma",
        standard_name="ocean_sigma_coordinate",
        own_term="sigma",
        formula_terms={"eta": "level_of_sea", "depth": "depth"},
    )
    x, y = (Axis(1000.0 * np.arange(float(n)), "m", name) for n, name in ((NX, "x"), (NY, "y")))
    return Geometry(Grid((NX, NY)), wet, x, y, vertical)


def describe(geometry: Geometry, **changes: Any) -> Description:
    plain = Description("1", "something", None, "center", LEVELS, np.asarray(geometry.wet))
    return replace(plain, **changes)


def test_levels_have_a_coordinate(tmp_path: Path, geometry: Geometry) -> None:
    variables = {
        "water": describe(geometry),
        "mixing": describe(geometry, at_tops=True),
        "waves": describe(geometry, levels=3),  # not the layers of the axis
    }
    file = OutputFile(tmp_path / "a.nc", ABOUT, geometry, variables)
    file.append(0.0, 0, {"water": np.random.default_rng(1).normal(size=(NX, NY, LEVELS))})
    file.close()
    with netCDF4.Dataset(tmp_path / "a.nc") as data:
        assert data["water"].dimensions == ("time", "level", "y", "x")
        assert data["mixing"].dimensions == ("time", "level_top", "y", "x")
        assert data["waves"].dimensions == ("time", "level3", "y", "x")
        assert "level3" not in data.variables
        level, top = data["level"], data["level_top"]
        assert level[:].tolist() == pytest.approx([-0.9, -0.7, -0.5, -0.3, -0.1])
        assert top[:].tolist() == pytest.approx([-0.8, -0.6, -0.4, -0.2, 0.0])
        for one in (level, top):
            assert (one.axis, one.positive, one.units) == ("Z", "up", "1")
            assert one.standard_name == "ocean_sigma_coordinate"
        assert top.c_grid_axis_shift == 0.5  # to xgcm, that is the other end of the same axis
        assert "c_grid_axis_shift" not in level.ncattrs()
        assert level.formula_terms == "sigma: level eta: level_of_sea depth: depth"
        assert top.formula_terms == "sigma: level_top eta: level_of_sea depth: depth"


def test_tops_of_layers_come_with_the_centres(tmp_path: Path, geometry: Geometry) -> None:
    """To xgcm an axis without centres is an error."""
    variables = {"mixing": describe(geometry, at_tops=True)}
    OutputFile(tmp_path / "a.nc", ABOUT, geometry, variables).close()
    with netCDF4.Dataset(tmp_path / "a.nc") as data:
        assert data["mixing"].dimensions == ("time", "level_top", "y", "x")
        assert data["level"].shape == data["level_top"].shape == (LEVELS,)


def test_terms_with_one_number_per_level(tmp_path: Path, geometry: Geometry) -> None:
    """The terms of hybrid levels, p = ap + b ps, which exclude the axis itself."""
    tops = np.arange(1.0, LEVELS + 1) / LEVELS
    assert geometry.vertical is not None
    vertical = replace(
        geometry.vertical,
        standard_name="atmosphere_hybrid_sigma_pressure_coordinate",
        positive="down",
        own_term="",
        formula_terms={"ps": "surface"},
        level_terms={
            "ap": LevelTerm("ap", 1e4 * (1 - tops), 9e3 * (1 - tops), "Pa", "pressure part"),
            "b": LevelTerm("b", tops - 0.1, tops, "1", "share of the surface"),
        },
    )
    variables = {"air": describe(geometry), "flow": describe(geometry, at_tops=True)}
    place = replace(geometry, vertical=vertical)
    OutputFile(tmp_path / "a.nc", ABOUT, place, variables).close()
    with netCDF4.Dataset(tmp_path / "a.nc") as data:
        assert data["level"].formula_terms == "ap: ap b: b ps: surface"
        assert data["level_top"].formula_terms == "ap: ap_top b: b_top ps: surface"
        assert data["ap"].dimensions == ("level",)
        assert data["ap_top"].dimensions == ("level_top",)
        assert (data["ap"].units, data["b"].units) == ("Pa", "1")
        assert data["b"][:].tolist() == pytest.approx([0.1, 0.3, 0.5, 0.7, 0.9])
        assert data["b_top"][:].tolist() == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


def test_smooth_water_is_compressed(tmp_path: Path, geometry: Geometry) -> None:
    """A stratified sea and its land take less than a half, and come back bit for bit."""
    file = OutputFile(tmp_path / "a.nc", ABOUT, geometry, {"water": describe(geometry)})
    x, y, z = np.meshgrid(np.arange(NX), np.arange(NY), np.arange(LEVELS), indexing="ij")
    water = np.round(10.0 + z + 0.01 * x + 0.02 * y, 2)
    raw = 0
    for record in range(40):
        file.append(60.0 * record, record, {"water": water + record})
        raw += water.nbytes
    file.close()
    assert (tmp_path / "a.nc").stat().st_size < 0.5 * raw
    with netCDF4.Dataset(tmp_path / "a.nc") as data:
        stored = data["water"]
        assert stored.filters()["zlib"]
        assert stored.filters()["shuffle"]
        assert stored.chunking() == [1, LEVELS, NY, NX]
        assert np.array_equal(stored[39][:, ~0, ~0], water[~0, ~0] + 39)
        assert bool(np.ma.getmaskarray(stored[39])[:, :7, :9].all())


def test_chunks_are_layers_of_a_record() -> None:
    assert map_chunk([27, 31], 8) == [27, 31]
    assert map_chunk([12, 27, 31], 8) == [12, 27, 31]  # small: all layers together
    assert map_chunk([60, 300, 390], 8) == [1, 300, 390]  # 0.9 MiB each
    assert map_chunk([60, 300, 390], 4) == [2, 300, 390]
    levels, rows, columns = map_chunk([60, 1500, 1980], 8)  # 23 MiB each: shares of its rows
    assert (levels, columns) == (1, 1980)
    assert 0.9 * 2**20 < rows * columns * 8 <= 2**20
