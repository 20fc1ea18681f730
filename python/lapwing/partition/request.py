"""A request to `lapwing partition`, and everything that is wrong with it before the search."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from lapwing.base.atomic_file import check_file
from lapwing.base.error import UserError, user_error
from lapwing.core import _core
from lapwing.core.partition import CostModel
from lapwing.io.mask_file import MaskFile, read_mask
from lapwing.partition.layouts import KINDS
from lapwing.partition.regions import REGIONS

Number = TypeVar("Number", int, float)

METHODS = ("block", "assigned", "ksection", "metis")
COSTS = {name: getattr(CostModel(), name) for name in ("wet", "dry", "off", "on", "latency")}


@dataclass(frozen=True)
class PartitionRequest:
    """What the user asked of `lapwing partition`, as text."""

    mask: Path
    ranks: str
    method: str = "all"
    ranks_per_node: int = 1
    width: int = 2
    speeds: str | None = None
    costs: str | None = None
    threads: int = 1
    plot: Path | None = None
    json: Path | None = None
    layout: str | None = None
    layout_file: Path | None = None


@dataclass(frozen=True)
class PartitionTask:
    """A request that was found right."""

    path: Path
    mask: MaskFile
    ranks: list[int]
    methods: list[str]
    model: CostModel
    threads: int


def checked(request: PartitionRequest) -> PartitionTask:
    """Read the mask and the numbers of a request. Local; UserError for what is wrong with it."""
    ranks = parse_ranks(request.ranks)
    methods = _methods(request.method)
    model = CostModel(
        **parse_costs(request.costs or ""),
        width=request.width,
        ranks_per_node=request.ranks_per_node,
        speeds=read_speeds(request.speeds, ranks) if request.speeds else [],
    )
    for count in ranks:
        _core.check_cost_model(model, count)
    _check_outputs(request, ranks, methods)
    mask = _read(request.mask)
    _check_wet(int(mask.wet.sum()), ranks)
    return PartitionTask(request.mask, mask, ranks, methods, model, request.threads)


def parse_ranks(text: str) -> list[int]:
    """Numbers of ranks from a text like "60,120". Local; UserError for other forms."""

    def rank_count(part: str) -> int:
        if int(part) < 1:
            raise ValueError
        return int(part)

    return _numbers("-n", text, rank_count, "numbers of ranks like 60,120, each at least 1")


def parse_costs(text: str) -> dict[str, float]:
    """Coefficients from a text like "off=5,on=1" or a machine file; defaults for the others.

    Local. A machine file is a TOML file whose table [partition] holds some of the names. UserError
    for unknown names, what is no number, and a file that cannot be read.
    """
    if text.endswith(".toml"):
        return _machine_costs(Path(text))
    costs = dict(COSTS)
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            costs[name.strip()] = float(value)
        except ValueError:
            raise _bad_costs(part) from None
    if costs.keys() != COSTS.keys():
        raise _bad_costs(text)
    return costs


def _machine_costs(path: Path) -> dict[str, float]:
    """Coefficients from the table [partition] of a machine file."""
    try:
        table = tomllib.loads(path.read_text()).get("partition", {})
        if not isinstance(table, dict):
            raise _bad_costs(f"partition = {table!r} in {path}")
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise user_error(
            f"--costs {path}", str(problem), "a machine file", "mend the file or its name"
        ) from None
    for name, value in table.items():
        if name not in COSTS or isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _bad_costs(f"{name} = {value!r} in {path}")
    return COSTS | {name: float(value) for name, value in table.items()}


def _bad_costs(got: str) -> UserError:
    defaults = ",".join(f"{name}={value:g}" for name, value in COSTS.items())
    return user_error("--costs", repr(got), f"some of {defaults}", "write name=number")


def read_speeds(text: str, ranks: list[int]) -> list[float]:
    """The speeds of all ranks from a list with commas, or from a file with white space or commas.

    Local; UserError for a file that cannot be read, and another count than that of the ranks.
    """
    if Path(text).is_file():
        words = ",".join(Path(text).read_text(errors="replace").replace(",", " ").split())
    else:
        words = text
    speeds = _numbers("--speeds", words, float, "a file of numbers, or numbers like 1,1,0.5,1")
    for count in ranks:
        if count != len(speeds):
            raise user_error(
                "--speeds", f"{len(speeds)} numbers", f"{count}, one per rank", "give one per rank"
            )
    return speeds


def _numbers(name: str, text: str, number: Callable[[str], Number], expected: str) -> list[Number]:
    try:
        return [number(part) for part in text.split(",")]
    except ValueError:
        shown = text if len(text) < 60 else text[:57] + "..."
        raise user_error(name, repr(shown), expected, "change it") from None


def _methods(name: str) -> list[str]:
    if name == "all":
        return list(METHODS)
    if name not in METHODS:
        listed = ", ".join(METHODS)
        raise user_error("--method", repr(name), f"all, or one of {listed}", "choose one of them")
    return [name]


def _check_outputs(request: PartitionRequest, ranks: list[int], methods: list[str]) -> None:
    files = {
        "--plot": request.plot,
        "--json": request.json,
        "--layout-file": request.layout_file,
    }
    for option, file in files.items():
        if file is not None:
            check_file(option, file)
    if request.plot is not None and len(ranks) > 1:
        raise _one_count("--plot", ranks)
    if request.plot is not None and methods == ["metis"]:
        raise user_error("--plot", "--method metis", "boxes to draw", "choose another method")
    _check_layout_options(request, ranks, methods)


def _check_layout_options(request: PartitionRequest, ranks: list[int], methods: list[str]) -> None:
    if (request.layout is None) != (request.layout_file is None):
        raise user_error(
            "--layout", "one of --layout and --layout-file", "both or neither", "give both"
        )
    if request.layout is None:
        return
    if request.layout not in KINDS:
        raise user_error(
            "--layout", repr(request.layout), f"one of {', '.join(KINDS)}", "choose one of these"
        )
    if len(ranks) > 1:
        raise _one_count("--layout", ranks)
    if "block" not in methods:
        raise user_error(
            "--layout",
            f"--method {request.method}",
            "block or all, as other models cut their grid into blocks",
            "add --method block",
        )


def _one_count(option: str, ranks: list[int]) -> UserError:
    shown = ",".join(map(str, ranks))
    return user_error(option, f"-n {shown}", "one number of ranks", f"write -n {ranks[-1]}")


def _read(path: Path) -> MaskFile:
    if str(path) in REGIONS and not path.exists():
        raise user_error(
            f"MASK {path}",
            "the name of a region",
            "a mask file",
            f"lapwing mask --region {path} --out {path}.nc makes one",
        )
    return read_mask(path, "MASK")


def _check_wet(wet: int, ranks: list[int]) -> None:
    if max(ranks) > wet:
        raise user_error(
            "-n", str(max(ranks)), f"at most {wet}, the wet points of the mask", "take fewer ranks"
        )
