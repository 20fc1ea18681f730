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
from lapwing.partition.layouts import rules_of
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
    methods = list(METHODS) if request.method == "all" else [request.method]
    if not set(methods) <= set(METHODS):
        expected = f"all, or one of {', '.join(METHODS)}"
        raise user_error("--method", repr(request.method), expected, "choose one of them")
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
    if max(ranks) > (wet := int(mask.wet.sum())):
        expected = f"at most {wet}, the wet points of the mask"
        raise user_error("-n", str(max(ranks)), expected, "take fewer ranks")
    return PartitionTask(request.mask, mask, ranks, methods, model, request.threads)


def parse_ranks(text: str) -> list[int]:
    """Numbers of ranks from a text like "60,120". Local; UserError for other forms."""
    return _positive("-n", text, int, "numbers of ranks like 60,120, each at least 1")


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
    words = text
    if Path(text).is_file():
        words = ",".join(Path(text).read_text(errors="replace").replace(",", " ").split())
    expected = "a file of numbers, or numbers like 1,1,0.5,1, all positive"
    speeds = _positive("--speeds", words, float, expected)
    for count in ranks:
        if count != len(speeds):
            raise user_error(
                "--speeds", f"{len(speeds)} numbers", f"{count}, one per rank", "give one per rank"
            )
    return speeds


def _positive(name: str, text: str, number: Callable[[str], Number], expected: str) -> list[Number]:
    try:
        numbers = [number(part) for part in text.split(",")]
        if not all(value > 0 for value in numbers):
            raise ValueError
    except ValueError:
        shown = text if len(text) < 60 else text[:57] + "..."
        raise user_error(name, repr(shown), expected, "change it") from None
    return numbers


def _check_outputs(request: PartitionRequest, ranks: list[int], methods: list[str]) -> None:
    layout, layout_file, plot = request.layout, request.layout_file, request.plot
    for option, file in (
        ("--plot", plot),
        ("--json", request.json),
        ("--layout-file", layout_file),
    ):
        if file is not None:
            check_file(option, file)
    if (layout is None) != (layout_file is None):
        got = "one of --layout and --layout-file"
        raise user_error("--layout", got, "both or neither", "give both")
    for option, value in (("--plot", plot), ("--layout", layout)):
        if value is not None and len(ranks) > 1:
            got = f"-n {','.join(map(str, ranks))}"
            raise user_error(option, got, "one number of ranks", f"write -n {ranks[-1]}")
    if plot is not None and methods == ["metis"]:
        raise user_error("--plot", "--method metis", "boxes to draw", "choose another method")
    if layout is not None:
        rules_of(layout)
        if "block" not in methods:
            expected = "block or all, as other models cut their grid into blocks"
            raise user_error(
                "--layout", f"--method {request.method}", expected, "add --method block"
            )


def _read(path: Path) -> MaskFile:
    if str(path) in REGIONS and not path.exists():
        raise user_error(
            f"MASK {path}",
            "the name of a region",
            "a mask file",
            f"lapwing mask --region {path} --out {path}.nc makes one",
        )
    return read_mask(path, "MASK")
