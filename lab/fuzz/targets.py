"""The targets in Python: each reads bytes as a user's file or words.

A target returns, or raises UserError in the form that all errors have; everything else is a fault.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from math import isfinite, prod
from pathlib import Path

import numpy as np
from lapwing.base.duration import format_duration, parse_duration
from lapwing.base.error import UserError
from lapwing.core.partition import read_costs, read_speeds
from lapwing.core.steps import tuned
from lapwing.io import journal, mask_file, restart
from lapwing.io.records import restarts
from lapwing.model import case
from lapwing.model.registry import installed_models
from lapwing.partition import layouts, regions
from lapwing.run import request
from lapwing_lab.machine.machine import load_machine
from lapwing_lab.netlab import request as netlab
from scipy.io import netcdf_file

MODELS = installed_models()

Target = Callable[[bytes], None]


@cache
def memory() -> tempfile.TemporaryDirectory[str]:
    """A folder in memory, which goes with the process."""
    shared = Path("/dev/shm")
    return tempfile.TemporaryDirectory(
        prefix="lapwing-fuzz-", dir=shared if shared.is_dir() else None
    )


def place(name: str) -> Path:
    """A file in memory, written again and again."""
    return Path(memory().name) / name


def written(name: str, data: bytes) -> Path:
    """A file with these bytes."""
    path = place(name)
    path.write_bytes(data)
    return path


@contextmanager
def may_refuse() -> Iterator[None]:
    """Lets errors of lapwing pass, in their form and short enough to be read."""
    try:
        yield
    except UserError as error:
        text = str(error)
        assert ": got " in text, text
        assert "; expected " in text, text
        assert len(text) < 4000, f"{len(text)} characters: {text[:300]}"


def case_file(data: bytes) -> None:
    """A case file, and after a line of dashes settings of the command line."""
    text, _, sets = data.partition(b"\n---\n")
    path = written("case.toml", text)
    words = sets.decode(errors="replace").splitlines()
    with may_refuse():
        found = case.load_case(str(path), MODELS, words)
        again = written("again.toml", found.to_toml(path.parent).encode())
        assert case.load_case(str(again), MODELS).run == found.run


def machine_file(data: bytes) -> None:
    """A machine file, for predictions and for costs of a partition."""
    path = written("machine.toml", data)
    with may_refuse():
        machine = load_machine(str(path))
        assert machine.nodes > 0
    with may_refuse():
        read_costs("--costs", str(path))


def mask_npy(data: bytes) -> None:
    """A mask of NumPy."""
    with may_refuse():
        mask_file.read_mask(written("mask.npy", data))


def mask_netcdf(data: bytes) -> None:
    """A NetCDF file with any axes, variables and attributes: HDF5 and NetCDF are not ours.

    SciPy writes it, which takes less than half the time of netCDF4.
    """
    left = iter(data)
    number = partial(next, left, 0)
    path = place("mask.nc")
    names = ("wet", "mask", "lat", "lon", "x", "y", "tmask", "any")
    with netcdf_file(path, "w") as file:
        axes = [names[2 + n] for n in range(number() % 4)]
        for axis in axes:
            file.createDimension(axis, number() % 4 + 1)
        for name in dict.fromkeys(names[number() % 8] for _ in range(number() % 4)):
            chosen = [one for one in axes if number() % 4 > 0]
            kind = ("i1", "f8", "i4", "S1", "f4")[number() % 5]
            variable = file.createVariable(name, kind, chosen)
            if kind != "S1" and number() % 8 == 7:
                variable._FillValue = np.array(1, kind)
            for attribute in ("units", "standard_name")[: number() % 3]:
                text = ("degrees_east", "land_binary_mask", "degrees_north", "1")[number() % 4]
                setattr(variable, attribute, text if number() % 8 else 5)
            if kind != "S1" and chosen:
                shape = variable.shape
                values = [(0, 1, 1, 1, 2, float("nan"))[number() % 6] for _ in range(prod(shape))]
                with np.errstate(invalid="ignore"):  # NaN as a whole number
                    variable[:] = np.reshape(values, shape).astype(kind)
    with may_refuse():
        mask_file.read_mask(path)


LAYOUTS = tuple(kind for kind in layouts.KINDS if kind != "cice")  # texts


def layout_file(data: bytes) -> None:
    """A layout of another model, by the kind that the first byte says; NetCDF files after them."""
    number, rest = (data[0] if data else 0) % (len(LAYOUTS) + 2), data[1:]
    with may_refuse():
        if number < len(LAYOUTS):
            layouts.read_layout(LAYOUTS[number], written("layout", rest))
        elif number == len(LAYOUTS):
            layouts.read_layout("cice", layout_netcdf(rest))
        else:
            layouts.read_ranks(layout_netcdf(rest))


def layout_netcdf(data: bytes) -> Path:
    """A NetCDF file with a map of weights or ranks of any type, and any attributes."""
    left = iter(data)
    number = partial(next, left, 0)
    path = place("layout.nc")
    with netcdf_file(path, "w") as file:
        axes = [("nj", "ni", "k")[n] for n in range(number() % 4)]
        for axis in axes:
            file.createDimension(axis, number() % 5 + 1)
        for attribute in ("block_size_x", "block_size_y", "nprocs")[: number() % 4]:
            value = number()
            setattr(file, attribute, (np.int32(value - 2), 1.5, "two", [1, 2])[max(0, value - 252)])
        kind = ("i4", "f8", "i1", "S1")[number() % 4]
        variable = file.createVariable(("wght", "rank", "any")[number() % 3], kind, axes)
        if kind != "S1" and axes:
            values = [(0, 1, 2, -3, 127, float("nan"))[number() % 6] for _ in variable[:].flat]
            with np.errstate(invalid="ignore"):  # NaN as a whole number
                variable[:] = np.reshape(values, variable.shape).astype(kind)
    return path


def tuned_file(data: bytes) -> None:
    """A file with the strategy that auto found in an earlier run."""
    with may_refuse():
        tuned.load(written("tuned.toml", data))


BELONGS = restart.Fingerprint(
    model="coast", settings={"depth": 1.0}, grid=[4, 3], periodic=[False, False], wet="0" * 64
)


def restart_file(data: bytes) -> None:
    """A restart file whose checksum is right where the first byte is odd."""
    if data[:1] and data[0] & 1:
        body = data[1:]
        head = restart._HEAD.format(digest=hashlib.sha256(body).hexdigest(), size=len(body))
        data = head.encode() + body
    path = written("restart", data)
    with may_refuse():
        restart.read_restart(path, BELONGS)
    with may_refuse():
        restarts.newest_restart(path, BELONGS)


def journal_file(data: bytes) -> None:
    """The rest of an output file that a killed run left."""
    path = place("output.nc")
    journal.journal_of(path).write_bytes(data)
    about = journal.read_about(path)
    if about is not None:
        for record in journal.read_records(path):
            record.checksum(list(record.values))


def words(data: bytes) -> None:
    """Lengths of time, sizes and lists of the command line."""
    text = data.decode(errors="replace")
    try:
        seconds = parse_duration(text)
    except ValueError:
        pass
    else:
        shown = format_duration(seconds)
        assert not isfinite(seconds) or parse_duration(shown) == seconds, shown
    for read in (
        request.parse_blocks,
        partial(read_costs, "--costs"),
        lambda one: read_speeds(one, [2]),
        lambda one: regions.find_region(one, None, None),
        lambda one: netlab.parse(netlab.NetworkOptions(2, one, one), ["true"], 1),
        lambda one: netlab.parse(
            netlab.NetworkOptions(group=(one, one), joint="1gbit"), ["true"], 1
        ),
    ):
        with may_refuse():
            read(text)


TARGETS: dict[str, Target] = {
    "case": case_file,
    "machine": machine_file,
    "mask_npy": mask_npy,
    "mask_netcdf": mask_netcdf,
    "layout": layout_file,
    "tuned": tuned_file,
    "restart": restart_file,
    "journal": journal_file,
    "command_words": words,
}
