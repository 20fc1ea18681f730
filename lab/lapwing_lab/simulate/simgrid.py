"""SimGrid: its folder, the driver of lapwing's C++ under it, and machine files as it reads them."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from lapwing.base.error import OutsideError, outside_error, user_error

from lapwing_lab.machine.charges import node_of, require_room
from lapwing_lab.machine.machine import Machine
from lapwing_lab.machine.shape import Link

logger = logging.getLogger(__name__)

VERSION = "4.1"  # that of requirements/simgrid.txt

_ROOT = Path(__file__).resolve().parents[3]  # of the sources
# what the driver is made of, below the root, and of each model
_PARTS = ("lab/simulate", "lab/src/predict", "cmake", "cpp/include", "cpp/src")
_MODEL_PARTS = ("include", "src", "simulate")
_PROGRAM = "simulate_driver"


def cache() -> Path:
    """The folder for what is compiled once: $XDG_CACHE_HOME/lapwing, or ~/.cache/lapwing. Local."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "lapwing"


def prefix() -> Path:
    """The folder where `make simgrid` puts SimGrid. Local."""
    return cache() / f"simgrid-{VERSION}"


def is_there() -> bool:
    """True if SimGrid was built. Local."""
    return (prefix() / "complete").exists()


def require() -> Path:
    """Return the folder of SimGrid. Local; UserError where it is not there, with the command."""
    if not is_there():
        raise user_error(
            "SimGrid",
            f"nothing in {prefix()}",
            f"SimGrid {VERSION}, which simulates the network",
            "run `make simgrid` in lapwing's sources (minutes, once; needs Boost's headers: "
            "`make system-packages`)",
        )
    return prefix()


def driver(models: Sequence[Path]) -> Path:
    """Return the program that simulates, with the models whose sources are in these folders.

    Local; compiled if it was not yet: a minute or two where sources changed, else nothing.
    UserError where lapwing or a model has no sources here (a wheel), and without the headers of
    nlohmann-json; OutsideError when they do not compile.
    """
    root = require()
    for name, folder in [("lapwing", _ROOT / "lab"), *((model.name, model) for model in models)]:
        if not (folder / "simulate").is_dir():
            expected = "sources, which are compiled for the simulator"
            remedy = "install it with `pip install --editable .` or `make build` in its sources"
            raise user_error(name, f"no sources at {folder}", expected, remedy)
    program = cache() / "simulate" / _fingerprint(models) / _PROGRAM
    if not program.exists():
        _build(root, program, models)
    return program


def _sources(models: Sequence[Path]) -> Iterator[Path]:
    parts = [_ROOT / part for part in _PARTS]
    for folder in (*parts, *(model / part for model in models for part in _MODEL_PARTS)):
        yield from sorted(path for path in folder.rglob("*") if path.is_file())


def _fingerprint(models: Sequence[Path]) -> str:
    """A name for the sources as they are."""
    digest = hashlib.sha256(VERSION.encode())
    for path in _sources(models):
        digest.update(os.path.relpath(path, _ROOT).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _json_headers() -> Path:
    """The folder of the headers of nlohmann-json; none of its Python is run."""
    found = find_spec("nlohmann_json")
    if found is None or not found.submodule_search_locations:
        expected = "its headers, with which the simulator is compiled"
        remedy = "run `make venv` in lapwing's sources, or `pip install nlohmann-json`"
        raise user_error("nlohmann-json", "no such package", expected, remedy)
    return Path(found.submodule_search_locations[0]) / "include"


def _build(simgrid: Path, program: Path, models: Sequence[Path]) -> None:
    """Compile in a folder that is kept, so that the next time only what changed is compiled."""
    headers = _json_headers()
    # named after the sources' folder: CMake refuses a build folder that another one made
    sources = _ROOT / "lab" / "simulate"
    folder = cache() / "simulate" / f"build-{hashlib.sha256(bytes(sources)).hexdigest()[:8]}"
    logger.info("compiling the simulation in %s: a minute or two, once", folder)
    compiler = simgrid / "bin" / "smpicxx"
    configure = ["cmake", "-G", "Ninja", "-S", str(sources), "-B", str(folder)]
    configure += [f"-DMODELS={';'.join(map(str, models))}", f"-DJSON_INCLUDE={headers}"]
    if ninja := shutil.which("ninja"):  # that of the environment that made the folder may be gone
        configure.append(f"-DCMAKE_MAKE_PROGRAM={ninja}")
    _run([*configure, f"-DCMAKE_CXX_COMPILER={compiler}"])
    _run(["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 1)])
    program.parent.mkdir(parents=True, exist_ok=True)
    part = program.with_name(f"{_PROGRAM}.{os.getpid()}.part")
    part.write_bytes((folder / _PROGRAM).read_bytes())
    part.chmod(0o755)
    part.replace(program)


def _run(command: list[str]) -> None:
    try:
        job = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        remedy = "activate the environment of `make build`"
        raise outside_error(command[0], "no such program", "it on PATH", remedy) from None
    if job.returncode != 0:
        told = "\n".join((job.stdout + job.stderr).splitlines()[-30:])
        raise OutsideError(f"{' '.join(command)} ended with code {job.returncode}:\n{told}")


# ---- a machine file as SimGrid sees it

SPEED = 1e9  # flop/s of every simulated core: computing is charged in seconds, so any would do

_HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""


def platform(machine: Machine) -> str:
    """The platform file: nodes with a link up and a link down each. Local.

    The ranks of a node share its links. The switch between them never blocks: as no link of its
    own, which would make SimGrid share out all messages of the machine together. A message crosses
    two links, each with half the latency; so have links of a fat tree. In a torus each has all.
    UserError where the file lacks a link.
    """
    shape = machine.shape
    if not shape.groups:
        cluster = _cluster(machine, "machine", range(machine.nodes), machine.link("network"))
        if shape.torus or shape.fat_tree is not None:  # SimGrid 4.1 ends where one is all there is
            cluster = f'<zone id="all" routing="Full">\n{cluster}</zone>\n'
        return f"{_HEAD}{cluster}</platform>\n"
    return f"{_HEAD}{_groups(machine)}</platform>\n"


def _cluster(machine: Machine, name: str, nodes: range, link: Link, more: str = "") -> str:
    node, shape = machine.link("node"), machine.shape
    latency = link.latency / 2
    if shape.torus:
        parameters = ",".join(map(str, shape.torus))
        more, latency = f' topology="TORUS" topo_parameters="{parameters}"', link.latency
    if shape.fat_tree is not None:
        levels, down, up = len(shape.fat_tree.down), shape.fat_tree.down, shape.fat_tree.up
        lists = (",".join(map(str, numbers)) for numbers in (down, up, (1,) * levels))
        parameters = ";".join((str(levels), *lists))
        more, latency = f' topology="FAT_TREE" topo_parameters="{parameters}"', link.latency / 2
    return (
        f'<cluster id="{name}" prefix="node-" suffix="" radical="{nodes.start}-{nodes.stop - 1}"'
        f' speed="{SPEED:.17g}f" core="{machine.ranks_per_node}"'
        f' bw="{link.peak:.17g}Bps" lat="{latency:.17g}s" sharing_policy="SPLITDUPLEX"'
        f' loopback_bw="{node.bandwidth:.17g}Bps" loopback_lat="{node.latency:.17g}s"{more}/>\n'
    )


def _groups(machine: Machine) -> str:
    """A cluster for each group, with a link to all others, which crosses two of these."""
    shape, joint = machine.shape, machine.link("joint")
    lines, first = ['<zone id="machine" routing="Full">\n'], 0
    for number, group in enumerate(shape.groups):
        nodes, name = range(first, first + group.nodes), f"group-{number}"
        router = f' router_id="{name}-router"'
        lines.append(_cluster(machine, name, nodes, group, router))
        first += group.nodes
    for number in range(len(shape.groups)):
        lines.append(
            f'<link id="joint-{number}" bandwidth="{joint.bandwidth:.17g}Bps"'
            f' latency="{joint.latency / 2:.17g}s" sharing_policy="SPLITDUPLEX"/>\n'
        )
    pairs = ((a, b) for b in range(len(shape.groups)) for a in range(b))
    for one, other in pairs:
        lines.append(
            f'<zoneRoute src="group-{one}" dst="group-{other}" gw_src="group-{one}-router"'
            f' gw_dst="group-{other}-router"><link_ctn id="joint-{one}" direction="UP"/>'
            f'<link_ctn id="joint-{other}" direction="DOWN"/></zoneRoute>\n'
        )
    return "".join((*lines, "</zone>\n"))


def hosts(machine: Machine, ranks: int) -> str:
    """The host file: the node of each rank. Local.

    UserError for more ranks than the machine holds.
    """
    require_room(machine, ranks)
    return "".join(f"node-{node_of(machine, rank, ranks)}\n" for rank in range(ranks))
