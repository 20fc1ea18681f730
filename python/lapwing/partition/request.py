"""A request to `lapwing partition`, and everything that is wrong with it before the search."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import asdict, dataclass, make_dataclass
from pathlib import Path
from typing import Any, TypeVar

from lapwing.base.atomic_file import check_file
from lapwing.base.error import user_error
from lapwing.base.settings import Where, convert
from lapwing.core import _core
from lapwing.core.partition import CostModel
from lapwing.io.mask_file import MaskFile, read_mask
from lapwing.partition.layouts import rules_of
from lapwing.partition.regions import REGIONS

Number = TypeVar("Number", int, float)

METHODS = ("block", "assigned", "ksection", "metis")
COSTS = {name: getattr(CostModel(), name) for name in ("wet", "dry", "off", "on", "latency")}
_Costs = make_dataclass("_Costs", [(name, float, cost) for name, cost in COSTS.items()])


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
        return _checked_costs(_machine_costs(Path(text)), Where(text, path=("partition",)))
    parts = (part.partition("=") for part in filter(None, text.split(",")))
    given = {name.strip(): _number_or_text(value) for name, _, value in parts}
    return _checked_costs(given, Where("--costs"))


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _checked_costs(given: Any, where: Where) -> dict[str, float]:
    return asdict(convert(_Costs, given, where))


def _machine_costs(path: Path) -> Any:
    """The table [partition] of a machine file."""
    try:
        return tomllib.loads(path.read_text()).get("partition", {})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise user_error(
            f"--costs {path}", str(problem), "a machine file", "mend the file or its name"
        ) from None


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
        remedy = f"lapwing mask --region {path} --out {path}.nc makes one"
        raise user_error(f"MASK {path}", "the name of a region", "a mask file", remedy)
    return read_mask(path, "MASK")
