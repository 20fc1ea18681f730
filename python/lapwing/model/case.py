"""Cases: a model set-up in a TOML file, found, checked and written back in full."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from lapwing.base import settings as keys
from lapwing.base.atomic_file import is_file
from lapwing.base.error import beginning, shortened, shown, user_error
from lapwing.base.number_check import require_at_least_zero, require_count, require_positive
from lapwing.base.settings import Where
from lapwing.model.model import Duration, Geometry, Model, also_called
from lapwing.model.registry import installed_model
from lapwing.model.user_model import UserModel
from lapwing.model.user_module import FORMS, names_python


@dataclass(frozen=True)
class RunSettings:
    """The table [run] of a case: how long, and what happens on the way."""

    # from the start of the case to its end, s
    duration: Duration = field(default=86400.0, metadata=also_called("end", "tmax", "length"))
    start: str = "2000-01-01 00:00:00"  # date of step 0, the zero of the time axis, UTC
    restart_every: Duration = 0.0  # between restart files, s; 0: one at the end only
    restart_at_end: bool = True  # false: none; rank 0 gathers the state for it, which takes memory
    check_every: int = 100  # steps between searches for values that are not finite
    strategy: str = "blocking"  # order of computing and communicating
    # file that strategy auto looks into before it measures, and writes to afterwards; relative to
    # where the run is started
    tuned: Path | None = None
    transport: str = "auto"  # how bytes move
    # of each rank, which share its kernels; 0: OMP_NUM_THREADS, if the node has as many cores, or 1
    threads: int = 0
    skip_land: bool = True  # stages do not compute land where all that they write is constant there
    # what messages may lack of the land: nothing; pieces are clipped to the bounds of their water,
    # or cut into patches too, or index lists too; auto: lists where that saves 5 % of the bytes
    wet_messages: Literal["off", "clip", "patches", "lists", "auto"] = "off"
    partition: Literal["block", "ksection"] = "block"  # who owns which box
    # blocks along x, y (and z) for as many ranks; empty: those with the least halo
    blocks: list[int] = field(default_factory=list, metadata=also_called("decomposition"))
    speeds: Literal["alike", "measured"] = "alike"  # of ranks; a k-section gives more to fast ones
    # what a k-section counts: a machine file, as `lapwing probe` writes it, relative to where the
    # run is started, or "off=5,on=1,latency=100"; empty: the defaults of `lapwing partition`
    costs: str = ""
    # between looks at what each rank takes to compute, s, a multiple of the step: the grid is cut
    # again where that pays; none: the first partition stays
    rebalance: Duration | None = None

    @property
    def start_date(self) -> datetime:
        """The date of step 0, UTC, without a time zone. Local."""
        date = datetime.fromisoformat(self.start)
        return date if date.tzinfo is None else date.astimezone(UTC).replace(tzinfo=None)

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        require_positive("run.duration", self.duration, "s")
        require_at_least_zero("run.restart_every", self.restart_every, "s")
        require_count("run.threads", self.threads, 0, "thread")
        if self.rebalance is not None:
            require_positive("run.rebalance", self.rebalance, "s")
        require_count("run.check_every", self.check_every, 1, "step")
        if self.blocks and not (2 <= len(self.blocks) <= 3 and min(self.blocks) >= 1):
            raise user_error(
                "run.blocks",
                str(self.blocks),
                "2 or 3 numbers of blocks, of 1 or more",
                "give those along x, y (and z), or leave it out",
            )
        try:
            start = self.start_date
        except (ValueError, OverflowError):
            raise user_error(
                "run.start", repr(self.start), 'a date like "2000-01-01 00:00:00"', "change it"
            ) from None
        try:
            start + timedelta(seconds=self.duration)
        except OverflowError:
            raise user_error(
                "run.duration",
                f"{self.duration:g} s from run.start = {self.start} on",
                "an end before the year 10000",
                "run for a shorter time, or start earlier",
            ) from None


@dataclass(frozen=True)
class OutputSettings:
    """The table [output] of a case: the contents of the NetCDF files."""

    # between records, s; 0: the first and the last state only
    every: Duration = field(default=3600.0, metadata=also_called("interval", "output_every"))
    precision: Literal["double", "single"] = "double"  # of the values in the file
    # one file that one rank writes, or a store of chunks that all ranks write together: output.zarr
    # and restart.zarr
    format: Literal["netcdf", "zarr"] = "netcdf"
    variables: list[str] = field(default_factory=list)  # names; empty: all that the model offers
    # places whose columns are written to a file of their own: "name: x, y" in the units of the axes
    points: list[str] = field(default_factory=list)
    points_every: Duration | None = None  # between records of points, s; none: output.every

    @property
    def every_at_points(self) -> float | None:
        """Time between records of points, s; None without points. Local."""
        if not self.points:
            return None
        return self.every if self.points_every is None else self.points_every

    def __post_init__(self) -> None:
        """Refuse to go back in time."""
        require_at_least_zero("output.every", self.every, "s")
        if self.points_every is not None:
            require_at_least_zero("output.points_every", self.points_every, "s")


@dataclass(frozen=True)
class Case:
    """A resolved case: every key has its value."""

    name: str
    title: str
    model: Model
    folder: Path  # folder where relative file names in the settings start
    run: RunSettings
    output: OutputSettings
    settings: Any  # has the type Model.settings

    def __getstate__(self) -> dict[str, Any]:
        """The case for another rank, which has its own copy of an installed model."""
        own = isinstance(self.model, UserModel)
        values = {one.name: getattr(self.settings, one.name) for one in fields(self.settings)}
        model = self.model if own else self.model.name
        return {**vars(self), "model": model, "settings": values}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over what another rank has read. OutsideError where this one lacks the model."""
        model = state["model"]
        if isinstance(model, str):
            model = installed_model(model)
        settings = object.__new__(model.settings)
        for name, value in state["settings"].items():
            object.__setattr__(settings, name, value)
        vars(self).update(state, model=model, settings=settings)

    def to_toml(self, folder: Path) -> str:
        """The case with all its keys, as a case file for `folder`. Local."""

        def place(path: Path) -> Path:
            source = self.folder / path
            return Path(os.path.relpath(source, folder)) if is_file(source) else path

        own_name = self.model.name_in(folder) if isinstance(self.model, UserModel) else ""
        named = {"model": own_name or self.model.name, "title": self.title}
        head = [f"{key} = {keys.toml_value(value)}" for key, value in named.items()]
        own = keys.tables_of(self.settings, place=place)
        driver = keys.tables_of(self.run, "run") | keys.tables_of(self.output, "output")
        return keys.toml_text({"": head + own.pop("")} | driver | own)


def load_case(text: str, models: Mapping[str, Model], sets: Sequence[str] = ()) -> Case:
    """Find a case by its shipped name or path, apply `--set key=value` and check every key.

    Local. `text` may also name a user's model, as FILE.py:CLASS or MODULE:CLASS. UserError when
    there is no such case, for an unknown key (with the nearest valid one) and for a value of a
    wrong type.
    """
    path, model, table, where = _found(text, models)
    valid, others = case_leaves(model), case_other_names(model)
    names = frozenset(apply_set(table, override, valid, others) for override in sets)
    return _resolve(table, model, path, replace(where, sets=names))


def _found(text: str, models: Mapping[str, Model]) -> tuple[Path, Model, dict[str, Any], Where]:
    """The file of a case, its model and its tables, and where these stand. Local."""
    if names_python(text):
        own = UserModel(text, Path())
        return own.named.path, own, own.case(), Where(text)
    path, shipped_by = find_case(text, models)
    source, table = _read(path)
    where = Where(path.name, source)
    model = _model_of(table, models, where, shipped_by, path.parent)
    if isinstance(model, UserModel):
        table = _over(model.case(), table)
    return path, model, table, where


def _over(below: dict[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Tables merged key by key with other tables, which come first. Local."""
    both = dict(below)
    for key, value in above.items():
        inner = both.get(key)
        tables = isinstance(inner, dict) and isinstance(value, Mapping)
        both[key] = _over(inner, value) if tables else value  # type: ignore[arg-type]
    return both


def geometry_of(case: Case) -> Geometry:
    """Make the place of a case, with what else its model reads from files for the run. Local.

    UserError as of the model's methods `geometry` and, where it has one, `inputs`.
    """
    geometry = case.model.geometry(case.settings, case.folder)
    inputs = getattr(case.model, "inputs", None)
    if inputs is None:
        return geometry
    place = case.settings, geometry, case.folder
    completed: Geometry = inputs(*place, case.run.start_date, case.run.duration)
    return completed


def find_case(text: str, models: Mapping[str, Model]) -> tuple[Path, str | None]:
    """The file of a case, and the model that ships it if one does. Local."""
    shipped = {name: (path, m.name) for m in models.values() for name, path in m.cases.items()}
    if text in shipped:
        return shipped[text]
    path = Path(text)
    if is_file(path):
        return path, None
    near = difflib.get_close_matches(text, list(shipped), n=1, cutoff=0.5)
    remedy = f"did you mean {near[0]!r}?" if near else "choose a shipped case or give a path"
    listed = ", ".join(sorted(shipped)) or "none is installed"
    raise user_error(
        "CASE",
        shortened(text),
        f"the path of a TOML file, a model of your own ({FORMS}), or a shipped case ({listed})",
        remedy,
    )


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        source = path.read_text(encoding="utf-8")
        return source, keys.read_toml(source)
    except (OSError, ValueError) as problem:  # errors of the disk, in UTF-8 or TOML
        raise user_error(
            f"case file {path.name}",
            str(problem),
            f"valid TOML in UTF-8, or a model in a Python file: {FORMS}",
            "fix the file, or name another",
        ) from None


def _model_of(
    table: dict[str, Any],
    models: Mapping[str, Model],
    where: Where,
    shipped_by: str | None,
    folder: Path,
) -> Model:
    name = table.get("model", shipped_by)
    if isinstance(name, str) and names_python(name):
        return UserModel(name, folder)
    if isinstance(name, str) and name in models:
        return models[name]
    got = "no such key" if name is None else shown(name)
    listed = ", ".join(repr(one) for one in sorted(models)) or "none: install one"
    raise user_error(
        where.inside("model").name(),
        got,
        f"the name of an installed model ({listed}), or {FORMS}",
        'write model = "NAME" at the top of the case',
    )


def case_leaves(model: Model) -> dict[str, Any]:
    """The dotted name and the type of every key that a case of this model may hold. Local."""
    driver = keys.leaves(RunSettings, "run.") | keys.leaves(OutputSettings, "output.")
    return {"title": str} | driver | keys.leaves(model.settings)


def case_other_names(model: Model) -> dict[str, str]:
    """The full name of a key by its aliases. Local."""
    tables = keys.other_names(RunSettings, "run.") | keys.other_names(OutputSettings, "output.")
    return tables | keys.other_names(model.settings)


def apply_set(
    table: dict[str, Any], override: str, valid: Mapping[str, Any], others: Mapping[str, str]
) -> str:
    """Put one `table.key=value`, or `key=value` where the key is unique, into a table.

    Local; returns the full name of the key. UserError for a text without "=", an unknown key, and
    a short key that stands in two tables.
    """
    short, equals, text = (part.strip() for part in override.partition("="))
    if not equals or not short:
        raise user_error("--set", shortened(override), "table.key=value", "write an = between them")
    dotted = _full_name(short, override, valid, others)
    target = table
    for part in dotted.split(".")[:-1]:
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            name, got = f"--set {beginning(override)}", f"{part!r} is no table"
            raise user_error(name, got, "a table", "fix the case")
    target[dotted.split(".")[-1]] = keys.read_value(valid[dotted], text)
    return dotted


def _full_name(
    short: str, override: str, valid: Mapping[str, Any], others: Mapping[str, str]
) -> str:
    name = f"--set {beginning(override)}"
    if short in valid:
        return short
    matches = [one for one in valid if one.split(".")[-1] == short]
    if len(matches) == 1:
        return matches[0]
    if matches:
        remedy = f"write {' or '.join(matches)}"
        raise user_error(name, f"{short!r}, which stands in several tables", "one key", remedy)
    names = {one.split(".")[-1]: one for one in valid} | {one: one for one in valid}
    # without its table where the whole says nothing: "mesh.nx" is meant as "nx" is
    alias = short if short in others else short.split(".")[-1]
    near = keys.nearest(alias if alias in others else short, names, others)
    if near:
        expected, remedy = "a key of the case", f"did you mean {near!r}?"
    else:
        expected, remedy = f"a key of the case ({', '.join(valid)})", "choose one of them"
    raise user_error(name, f"unknown key {shortened(short)}", expected, remedy)


def _resolve(table: dict[str, Any], model: Model, path: Path, where: Where) -> Case:
    own = dict(table)
    own.pop("model", None)
    title = own.pop("title", path.stem)
    run, output = own.pop("run", {}), own.pop("output", {})
    _refuse_unknown_tables(own, model, where)
    settings = keys.convert(RunSettings, run, where.inside("run"))
    if "run.tuned" not in where.sets:
        _require_inside(where.inside("run").inside("tuned"), settings.tuned)
    return Case(
        name=path.stem,
        title=keys.convert(str, title, where.inside("title")),
        model=model,
        folder=path.parent,
        run=settings,
        output=keys.convert(OutputSettings, output, where.inside("output")),
        settings=keys.fill(model.settings, own, where),
    )


def _require_inside(where: Where, file: Path | None) -> None:
    """Refuse a file to be written that a case file places outside of the present folder."""
    if file is None or (not file.is_absolute() and ".." not in file.parts):
        return
    raise user_error(
        where.name(),
        str(file),
        "a file below the folder where the run is started, as a case may be of somebody else",
        f"name it on the command line: --set run.tuned={file}",
    )


def _refuse_unknown_tables(own: Mapping[str, Any], model: Model, where: Where) -> None:
    """Name the driver's keys too when a key at the top of a case is unknown."""
    valid = {name.split(".")[0]: None for name in case_leaves(model)}
    for key in own:
        if key not in valid:
            raise where.unknown(key, ["model", *valid], case_other_names(model))


def with_options(
    case: Case, strategy: str | None, transport: str | None, threads: int | None = None
) -> Case:
    """The case with the options of the command line, where given. Local."""
    run = replace(
        case.run,
        strategy=strategy or case.run.strategy,
        transport=transport or case.run.transport,
        threads=case.run.threads if threads is None else threads,
    )
    return replace(case, run=run)
