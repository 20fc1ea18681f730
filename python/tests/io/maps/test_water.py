"""The meaning of water: flags, standard names, texts and names; contradictions are refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.mask_file import MaskFile, read_mask

Write = Callable[..., Path]
Read = Callable[..., MaskFile]

MAP = np.array([[1, 1, 0], [0, 1, 0]], dtype=np.int8)  # [y, x]
TWO = np.array([0, 1], dtype=np.int8)


@pytest.fixture
def read(write: Write) -> Read:
    """Read a map of these values in a variable with this name and these attributes."""

    def make(attributes: dict[str, Any], name: str = "mask", values: Any = MAP) -> MaskFile:
        return read_mask(write(**{name: (("y", "x"), values, attributes)}))

    return make


def flags(meanings: str, values: Any = TWO) -> dict[str, Any]:
    return {"flag_values": values, "flag_meanings": meanings}


@pytest.mark.parametrize(
    ("attributes", "wet"),
    [
        (flags("land water"), 1),
        (flags("Sea LAND"), 0),
        (flags("ocean land", TWO[::-1].copy()), 1),
        (flags("land sea", "0b, 1b"), 1),
        (flags("sea, land", "0, 1"), 0),
        (flags("dry_land open_ocean"), 1),
        (flags("not_land land"), 0),
        (flags("land", 1), 0),
        ({"option_0": "land", "option_1": "water"}, 1),
        ({"option(0)": "water", "option(1)": "land"}, 0),
        ({"standard_name": "land_binary_mask"}, 0),
        ({"standard_name": "land_area_fraction"}, 0),
        ({"long_name": "0-sea, 1-land, 2-ice"}, 0),
        ({"long_name": "landsea mask at t grid: 1 ocean, 0 land"}, 1),
        ({"description": "LAND MASK (1 FOR LAND, 0 FOR WATER)"}, 0),
        ({"comment": "0 if land, 1 if ocean at tracer points"}, 1),
        ({"comment": "land = 0 sea = 1"}, 1),
        ({"comment": "sea (0) land (1)"}, 0),
        ({"description": "1 where there is no water"}, 0),
        ({"comment": "False over sea, True over land"}, 0),
        ({"standard_name": "land fraction"}, 0),
        ({"flag": "0=ocean 1=land"}, 0),
        ({"legend": "land=1"}, 0),
        ({"notes": ["sea = 0", "land = 1"]}, 0),
        ({"long_name": "land mask (1 = ocean)"}, 1),
        ({"long_name": "mask that is 1 for land and 0 for ocean"}, 0),
        ({"long_name": "0 where land"}, 1),
        ({"long_name": f"1: sea, 0: land, {'9' * 5000}: ice"}, 1),
        ({"long_name": "mask on RHO-points"}, 1),
        ({"long_name": "sea mask"}, 1),
        ({"flag_meanings": "good bad", "standard_name": "sea_binary_mask"}, 1),
        ({}, 1),
    ],
)
def test_attributes_say_it(read: Read, attributes: dict[str, Any], wet: int) -> None:
    mask = read(attributes)
    assert np.array_equal(mask.wet, wet == MAP.T)
    assert any("land is 1 in mask" in note for note in mask.notes) == (wet == 0)


@pytest.mark.parametrize(
    ("name", "wet"),
    [
        *[(name, 0) for name in ("land", "lsm", "LANDMASK", "GEOG_LANDMASK", "landmask")],
        *[(name, 0) for name in ("land_mask", "landMask", "sftlf", "is_land", "dry_mask")],
        *[(name, 1) for name in ("sea_mask", "oceanMask", "water", "tmask", "mask_rho", "wet")],
        *[
            (name, 0)
            for name in ("slm", "SLM", "slf", "FR_LAND", "fr_land", "lndmsk", "lmask", "LSM_1")
        ],
    ],
)
def test_names_say_it(read: Read, name: str, wet: int) -> None:
    mask = read({}, name)
    assert np.array_equal(mask.wet, wet == MAP.T)
    said = f"land is 1 in {name} (by its name): inverted"
    assert mask.notes == ((said,) if wet == 0 else ())


@pytest.mark.parametrize("name", ["any", "imask", "active", "oceanic_basin_map", "MASK", "mask"])
def test_the_only_map_of_a_file_is_water_where_1_and_it_is_said(read: Read, name: str) -> None:
    mask = read({}, name)
    assert np.array_equal(mask.wet, MAP.T == 1)
    assert mask.notes == (f"1 is taken as water in {name}: the file does not say",)


@pytest.mark.parametrize(
    "name",
    [
        *("frland", "maskland", "land_cover", "cloud_mask", "ice_mask", "vegetation", "lakemask"),
        *("terrain_mask", "islnd", "notland", "inlandwater"),
    ],
)
def test_names_with_a_word_of_land_or_something_else_never_reach_the_default(
    read: Read, name: str
) -> None:
    both = rf'no attribute .* wet="{name} == 1", or wet="{name} == 0"'
    with pytest.raises(UserError, match=both):
        read({}, name)


def test_a_resolution_explains_no_number(read: Read) -> None:
    mask = read({"comment": "made from charts at 1 km", "long_name": "mask of the model"}, "mask")
    assert np.array_equal(mask.wet, MAP.T == 1)
    assert mask.notes == ("1 is taken as water in mask: the file does not say",)


def test_one_of_several_maps_must_be_called_a_mask(write: Write) -> None:
    yx = ("y", "x")
    path = write(any=(yx, MAP, {}), other=(yx, MAP, {}), mask_u=(yx, MAP, {}))
    with pytest.raises(UserError, match="any: got no attribute that says what 1 is"):
        read_mask(path, variable="any")
    assert np.array_equal(read_mask(path, variable="mask_u").wet, MAP.T == 1)


@pytest.mark.parametrize(("first", "wet"), [("land", 1), ("sea", 0)])
def test_an_enum_type_is_a_kind_of_flags(tmp_path: Path, first: str, wet: int) -> None:
    with netCDF4.Dataset(tmp_path / "mask.nc", "w") as file:
        file.createDimension("y", 2)
        file.createDimension("x", 3)
        names = {first: 0, {"land": "sea", "sea": "land"}[first]: 1}
        kind = file.createEnumType(np.uint8, "surface", names)
        file.createVariable("mask", kind, ("y", "x"))[:] = MAP.astype("u1")
    assert np.array_equal(read_mask(tmp_path / "mask.nc").wet, wet == MAP.T)


def test_flags_decide_over_the_name(read: Read) -> None:
    assert np.array_equal(read(flags("land sea"), "landmask").wet, MAP.T == 1)


def test_bits(read: Read) -> None:
    """The flags of products of sea surface temperature: 1 water, 2 land, 4 lake, 8 ice."""
    bits = {"flag_masks": np.array([1, 2, 4, 8], "i1"), "flag_meanings": "water land lake sea_ice"}
    mask = read(bits, values=np.array([[1, 9, 2], [10, 5, 2]], dtype=np.int8))
    assert mask.wet.T.tolist() == [[True, True, False], [False, True, False]]
    assert mask.notes == ("water is 1 in mask (flag_meanings)",)
    with pytest.raises(UserError, match=r"\[y, x\] = \[1, 1\] is 4 \(lake\)"):
        read(bits, values=np.array([[1, 9, 2], [2, 4, 2]], dtype=np.int8))


@pytest.mark.parametrize(
    ("name", "attributes", "message"),
    [
        ("mask", {**flags("sea land"), "standard_name": "sea_binary_mask"}, "contradict each oth"),
        ("mask", {**flags("sea land"), "comment": "1 is sea"}, "contradict each other"),
        ("mask", {"comment": "1 = sea, 1 = land"}, "without water or land"),
        ("landmask", {"long_name": "sea mask"}, "its name and long_name 'sea mask'"),
        ("mask", flags("good bad"), r"meanings without water or land \(0 good, 1 bad\)"),
        ("mask", flags("sea land ice"), "got 2 numbers; expected 3, one for each"),
        *[
            ("mask", {"long_name": text}, "where 1 is land and where it is 0")
            for text in ("Land Mask", "30 arc-second land mask", "land points masked out")
        ],
        *[
            ("mask", {"comment": text}, "nothing that says what 1 is")
            for text in (
                *("Made from level 1 land product", "cells with sea fraction = 0 are masked"),
                *("ocean fraction = 1 - land", "1 where there is no water", "sea points are 0"),
                *("inverse of the ocean mask", "Version 1 of the ocean mask"),
            )
        ],
        *[
            ("mask", {word: text}, "explains numbers in words of its own")
            for word, text in (
                *(("long_name", "masque, 1=terre"), ("legend", "1=terre 0=mer")),
                *(("comment", "0 value indicates cell is not active"), ("note", "0: tierra")),
            )
        ],
        ("mask", {"flag_masks": "1 9999999999999999999999", **flags("water land")}, r"below 2\^63"),
        (
            "mask",
            {"flag_masks": np.array([1, 2**63], "u8"), "flag_meanings": "water land"},
            "flag_masks: got the number 9223372036854775808",
        ),
        ("mask", {"long_name": "Land/Sea/Ice Mask"}, "nothing that says what 1 is"),
        ("mask", {"flag_meanings": "sea land"}, "nothing that says what 1 is"),
        ("land_sea_mask", {}, "its name, and nothing that says what 1 is"),
        (
            "mask",
            {"long_name": "sea ice mask"},
            "long_name 'sea ice mask', and nothing that says what 1",
        ),
        ("sftlf", {"units": "%"}, r'a map in percent.* wet="sftlf < 50"'),
        ("sftof", {"units": "percent"}, r'a map in percent.* wet="sftof > 50"'),
    ],
)
def test_what_is_refused(read: Read, name: str, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        read(attributes, name)
    said = str(caught.value).replace(": flag_values: got", ": got")
    assert f", {name}: got " in said.replace(": flag_masks: got", ": got")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("FR_LAND", MAP * 0.25, r'wet="FR_LAND < 0.5"'),
        ("active", MAP * 0.25, r'wet="active > 0.5", or wet="active < 0.5"'),
        ("landmask", MAP * 3, r'wet="landmask == 0"'),
        ("lsm", MAP * 0.25, r'the share 0.25 in \[y, x\] = \[0, 0\].*wet="lsm < 0.5"'),
        ("mask", MAP * 3, r'\[0, 0\] is 3; expected 0 or 1 in every cell; .*wet="mask > 0"'),
    ],
)
def test_other_values(read: Read, name: str, values: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read({}, name, values)


def test_flags_do_not_explain_a_value(read: Read) -> None:
    attributes = flags("sea land lake", np.array([0, 1, 2], dtype=np.int8))
    with pytest.raises(UserError, match=r'\[0, 0\] is 2 \(lake\).* wet="mask == 2"'):
        read(attributes, values=MAP * 2)
