"""`lapwing port`: what a Fortran model's own exchanges could do without, as a port has counted."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from lapwing.base.agreement import DONE, NO
from lapwing.base.atomic_file import check_file
from lapwing.base.error import UserError, user_error
from lapwing.commands.options import Debug, Json, answered

SCHEMA = "lapwing-port-calls-1"  # of the file that lapwing_port writes
_MOST_BYTES = 64 * 2**20  # of that file
_LEAVE_IT = "run the model with lapwing_port to its end, where port%finish writes the file"


@answered
def port(
    file: Annotated[
        Path, typer.Argument(help="The file that `port%finish` left.", metavar="FILE")
    ] = Path("port.json"),
    json: Json = None,
    debug: Debug = False,
) -> int:
    """Say which halo exchanges of a Fortran model are needless, missing or combinable.

    The model calls [b]lapwing_port[/b] where it exchanges halos, and leaves
    port.json ([b]docs/guide/porting.md[/b] says how). For each field and call
    site this command prints what the calls moved, which of them changed no halo,
    which halos were stale at a check, and what would be saved. Messages and
    bytes are of all ranks together. All is about this run: another input may
    need an exchange that changed nothing here.

    Example:

    LAPWING_WATCHDOG=60 mpiexec -n 2 ./model && lapwing port port.json
    """
    check_file("--json", json)
    run = read_port(file)
    print("\n".join(_lines(file, run)))
    if json is not None:
        _write(json, run)
    return NO if run.missing else DONE


# ---- what was counted


@dataclass(frozen=True)
class Amount:
    """Messages and bytes that ranks send, all together."""

    messages: int = 0
    bytes: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.messages + other.messages, self.bytes + other.bytes)

    def __str__(self) -> str:
        return f"{_counted(self.messages, 'message')} and {_counted(self.bytes, 'byte')}"


@dataclass(frozen=True)
class Site:
    """The calls of one field from one place of the model, in the steps."""

    call: str  # start_halo, update_halo or check_halo
    field: str
    site: str  # as the model names it, or empty
    width: int  # cells
    calls: int
    fills: bool  # True if any halo cell has an owner on this number of ranks
    needless: int  # calls that changed no halo value on any rank
    messages: int  # of one call, all ranks
    bytes: int  # of one call, all ranks
    combined: int  # calls that could have travelled with an earlier one
    with_: str  # the field of the earlier call
    saved_messages: int  # by combining, in all calls
    stale: int  # checks that found halo values other than their owners'
    most_cells: int  # halo values that differed, in one call at most
    first_step: int  # of the first such check, from 1

    @property
    def verdict(self) -> str:
        """One of: no halo, missing, fresh, needless, partly needless, needed."""
        if not self.fills:
            return "no halo"
        if self.call == "check_halo":
            return "missing" if self.stale else "fresh"
        if self.needless == self.calls:
            return "needless"
        return "partly needless" if self.needless else "needed"

    @property
    def moved(self) -> Amount:
        """What all calls sent."""
        return Amount(self.calls * self.messages, self.calls * self.bytes)

    @property
    def unneeded(self) -> Amount:
        """What the calls sent that changed nothing."""
        return Amount(self.needless * self.messages, self.needless * self.bytes)

    @property
    def joined(self) -> Amount:
        """The messages that combining saves, and the bytes that would travel in other messages."""
        return Amount(self.saved_messages, self.combined * self.bytes)


@dataclass(frozen=True)
class Run:
    """All that a port has counted in one run of a model."""

    ranks: int
    steps: int
    set_up_calls: int  # before the first step, not counted
    fixed: bool  # True if arrays stayed where they were: calls know if other fields had changed
    sites: list[Site]

    @property
    def missing(self) -> list[Site]:
        """The checks that found a stale halo."""
        return [site for site in self.sites if site.verdict == "missing"]

    def total(self, kind: str) -> Amount:
        """The sum over the sites of `moved`, `unneeded` or `joined`, without checks. Local."""
        exchanges = [site for site in self.sites if site.call != "check_halo"]
        return sum((getattr(site, kind) for site in exchanges if site.fills), Amount())


# ---- the file


def read_port(path: Path) -> Run:
    """What a port has written. Local; UserError for a missing, torn or other file."""
    document = _document(path)
    try:
        run = _run(document)
    except (KeyError, TypeError, ValueError) as problem:
        raise _other(path, f"without sense: {problem}") from None
    if run.steps == 0:
        raise user_error(
            str(path), "no step", "one or more", "call port%begin_step first in the time loop"
        )
    return run


def _document(path: Path) -> dict[str, Any]:
    if not path.is_file():
        got = "a folder" if path.is_dir() else "no such file"
        raise user_error(str(path), got, f"the file of a port ({SCHEMA})", _LEAVE_IT)
    if path.stat().st_size > _MOST_BYTES:
        raise _other(path, f"{path.stat().st_size:,} bytes, more than {_MOST_BYTES:,}")
    try:
        document = json_text.loads(path.read_text(encoding="utf-8", errors="replace"))
    except (ValueError, RecursionError):
        raise _other(path, "no whole JSON, as of a model that ended early") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema != SCHEMA:
        raise _other(path, f"schema {schema!r}" if schema else "JSON without a schema")
    return dict(document)


def _other(path: Path, got: str) -> UserError:
    remedy = f"remove it, and {_LEAVE_IT}; model and command must be of one version of lapwing"
    return user_error(str(path), got, f"the file of a port ({SCHEMA})", remedy)


def _run(document: dict[str, Any]) -> Run:
    return Run(
        ranks=_number(document, "ranks", least=1),
        steps=_number(document, "steps"),
        set_up_calls=_number(document, "set_up_calls"),
        fixed=_flag(document, "fixed"),
        sites=[_site(row) for row in document["rows"]],
    )


_TAKE = {"int": lambda row, name: _number(row, name), "bool": lambda row, name: _flag(row, name)}


def _site(row: dict[str, Any]) -> Site:
    """The calls of a row, each number checked."""
    values: dict[str, Any] = {
        one.name: _TAKE.get(str(one.type), _text)(row, one.name.rstrip("_")) for one in fields(Site)
    }
    site = Site(**values)
    if site.needless + site.combined > site.calls or site.stale > site.calls or site.calls == 0:
        raise ValueError(f"more of the calls of {site.field} than calls")
    return site


def _number(row: dict[str, Any], name: str, least: int = 0) -> int:
    value = row[name]
    if type(value) is not int or value < least:
        raise ValueError(f"{name} is {value!r}")
    return value


def _flag(row: dict[str, Any], name: str) -> bool:
    if not isinstance(row[name], bool):
        raise ValueError(f"{name} is {row[name]!r}")
    return bool(row[name])


def _text(row: dict[str, Any], name: str) -> str:
    if not isinstance(row[name], str):
        raise ValueError(f"{name} is {row[name]!r}")
    return "".join(letter if letter.isprintable() else "?" for letter in row[name])


def _write(file: Path, run: Run) -> None:
    """Write sites and sums as JSON. Local; OutsideError when the disk refuses."""
    from lapwing.core.versions import write_report  # loads the extension

    sites = []
    for site in run.sites:
        row = {name.rstrip("_"): value for name, value in asdict(site).items()}
        row["verdict"] = site.verdict
        sites.append(row | {kind: asdict(getattr(site, kind)) for kind in _SUMS})
    content = asdict(run) | {"sites": sites}
    content["total"] = {kind: asdict(run.total(kind)) for kind in _SUMS}
    write_report(file, "lapwing-port-1", content)
    print(f"JSON  {file}")


# ---- the words

_SUMS = ("moved", "unneeded", "joined")


def _lines(path: Path, run: Run) -> Sequence[str]:
    """The report: a head, two lines or more for each site, and the sums."""
    before = _counted(run.set_up_calls, "call")
    lines = [
        f"{path}: {_counted(run.steps, 'step')} on {_counted(run.ranks, 'rank')}, "
        f"without {before} of the set-up",
        "",
    ]
    for site in run.sites:
        lines += [_heading(site), *(f"  {words}" for words in _words(site, run))]
    return [*lines, "", *_sums(run)]


def _heading(site: Site) -> str:
    place = f" in {site.site}" if site.site else ""
    what = f"{site.call} of {site.field}{place}, width {site.width}: {_counted(site.calls, 'call')}"
    return (
        what if site.call == "check_halo" else f"{what}, {Amount(site.messages, site.bytes)} each"
    )


def _words(site: Site, run: Run) -> list[str]:
    """What a site could do without, or lacks."""
    if site.verdict == "no halo":
        return [f"no halo cell has an owner on {_counted(run.ranks, 'rank')}: run it on more"]
    if site.verdict == "missing":
        return [
            f"MISSING {_of(site.stale, site)}: the halo was stale, "
            f"first in step {site.first_step:,}, in up to {_counted(site.most_cells, 'value')}",
            f"exchange {site.field} before, or compute its halo",
        ]
    if site.verdict == "fresh":
        return ["the halo was fresh every time"]
    found = ["needed every time"]
    if site.needless:
        found = [
            f"NEEDLESS {_of(site.needless, site)}: it changed no halo; "
            f"without: {site.unneeded} less"
        ]
    if site.combined:
        found.append(
            f"COMBINE with {site.with_} {_of(site.combined, site)}: "
            f"{_counted(site.joined.messages, 'message')} less, the same bytes"
        )
    return found


def _sums(run: Run) -> list[str]:
    """All sites together."""
    unneeded, joined = run.total("unneeded"), run.total("joined")
    stale = _counted(len(run.missing), "check")
    lines = [
        f"all exchanges in the steps    {run.total('moved')}",
        f"without the needless ones     {unneeded} less",
        f"with the others combined      {_counted(joined.messages, 'message')} less; "
        f"{_counted(joined.bytes, 'byte')} travel with others",
        f"halos that were missing       {stale} found some",
        "",
        "A call that changed nothing here may be needed with other input, and a loop that reads",
        "the old halo between two calls is not seen: compare the bits after each change.",
    ]
    if not run.fixed:
        lines.append(
            "Only calls that were on their way together count as combinable: say fixed=.true."
        )
    return lines


def _of(number: int, site: Site) -> str:
    return "every time" if number == site.calls else f"{number:,} of {site.calls:,} times"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")
