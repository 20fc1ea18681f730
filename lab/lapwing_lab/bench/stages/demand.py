"""The least work of a step: bytes that its stages declare, and divisions of its kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lapwing import FieldSpec

from lapwing_lab.bench.stages.request import FLAT, LAYERS, Work

VALUE = 8  # bytes of a float64


def _whole_box(stage: str, work: Work) -> float:
    return 1.0


@dataclass(frozen=True)
class Kernels:
    """What is known of a model's kernels beyond what its stages declare.

    What is kept by stage is kept by what the names of stages begin with; the first counts.
    """

    model: str
    # divisions and square roots in double precision per cell of a sweep
    dividing: Mapping[str, tuple[int, int]]
    reasons: Mapping[str, str]  # why a stage may stay far below its limit
    kind: Callable[[str], str] = str  # of a stage by its name: what these tables know it as
    sums: Mapping[str, Callable[[str], bool]] = field(default_factory=dict)  # of several stages
    skipped: Sequence[str] = ()  # stages of which nothing can be said
    # declared with all layers, as fields are, but read in the lowest one only: stage, field
    lowest_layer: Sequence[tuple[str, str]] = ()
    # of the cells of a box, those that a sweep of a stage computes
    share: Callable[[str, Work], float] = _whole_box

    def dividing_of(self, stage: str) -> tuple[int, int]:
        """Divisions and square roots per cell. Local."""
        return self._known(self.dividing, stage) or (0, 0)

    def reason_of(self, stage: str) -> str:
        """Why it may stay far below its limit. Local."""
        return self._known(self.reasons, stage) or "not known"

    def _known(self, table: Mapping[str, Any], stage: str) -> Any:
        kind = self.kind(stage)
        return next((known for start, known in table.items() if kind.startswith(start)), None)


@dataclass(frozen=True)
class Demand:
    """The least work of one sweep of a stage over a column of cells."""

    name: str
    sweeps: int  # in a step
    levels: int  # cells of a column that it computes; 1: only fields without layers
    values: int  # read and written, of a column
    dividing: tuple[int, int]  # divisions and square roots per cell
    share: float  # of the columns of a box that it computes

    @property
    def kind(self) -> str:
        """FLAT or LAYERS."""
        return FLAT if self.levels == 1 else LAYERS

    @property
    def bytes_per_cell(self) -> float:
        """The bytes that must move between memory and core when nothing stays in the caches."""
        return VALUE * self.values / self.levels


def demands_of(step: Any, kernels: Kernels, work: Work) -> list[Demand]:
    """The least work of each stage of a step, from what it declares; by name. Local."""
    found: dict[str, Demand] = {}
    cycle = [stage for stages in step.report.stages for stage in stages]
    sweeps = Counter(name for name, _, _ in cycle)
    for name, reads, writes in cycle:
        if name in kernels.skipped:
            continue
        distinct = [{spec.name: spec for spec in specs}.values() for specs in (reads, writes)]
        values = [_values(kernels, name, spec) for specs in distinct for spec in specs]
        found[name] = Demand(
            name,
            sweeps=sweeps[name] // len(step.report.stages),
            levels=max(values),
            values=sum(values),
            dividing=kernels.dividing_of(name),
            share=kernels.share(name, work),
        )
    return list(found.values())


def working_set(step: Any, kind: str) -> int:
    """Values per column of all fields that the step goes through, or the stages without layers."""
    fields = {
        spec.name: max(1, spec.levels)
        for stages in step.report.stages
        for _, reads, writes in stages
        for spec in (*reads, *writes)
        if kind == LAYERS or all(other.levels == 0 for other in (*reads, *writes))
    }
    return sum(fields.values())


def _values(kernels: Kernels, stage: str, spec: FieldSpec) -> int:
    """Values that one column of a field has for a stage. Local."""
    if any(stage.startswith(s) and spec.name.startswith(f) for s, f in kernels.lowest_layer):
        return 1
    return max(1, spec.levels) * spec.components
