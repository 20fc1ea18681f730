"""A kernel in Python as a step calls it: with a box, and views of its fields that fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from lapwing.core._core import Box, Extent, ReducedNumber
from lapwing.core.field import Field


@dataclass
class StepProgress:
    """How far a step has come, which its kernels' errors name, and the last of these errors."""

    done: int = 0  # steps
    problem: Exception | None = None


class KernelCall:
    """The kernel of a stage on one of this rank's boxes. Local."""

    def __init__(
        self,
        stage: str,
        kernel: Callable[..., object],
        reads: Sequence[tuple[Field, Extent]],
        writes: Sequence[Field],
        block: int,
        progress: StepProgress,
        reduction: ReducedNumber | None = None,
    ) -> None:
        """Take a stage's parts; views are made at the first call for a box, and kept."""
        self._stage, self._kernel, self._block = stage, kernel, block
        self._progress, self._reduction = progress, reduction
        read = [field for field, _ in reads]
        self._fields = [(field, extent, field in writes) for field, extent in reads]
        self._fields += [(field, Extent(), True) for field in writes if field not in read]
        self._views: dict[Box, list[NDArray[Any]]] = {}

    def __call__(self, box: Box) -> None:
        """Compute the cells of a box. What the kernel raises gets a note of where that was."""
        views = self._views.get(box)
        if views is None:
            views = self._views[box] = [self._view(box, *field) for field in self._fields]
        try:
            number = self._kernel(box, *views)
            if self._reduction is not None:
                self._reduction.fold(number)  # type: ignore[arg-type]
        except Exception as problem:
            problem.add_note(self._place(box))
            self._progress.problem = problem
            raise

    def _view(self, box: Box, field: Field, extent: Extent, written: bool) -> NDArray[Any]:
        view = field.cells(self._block, box.grow(extent))
        view.flags.writeable = written
        return view

    def _place(self, box: Box) -> str:
        domain = self._fields[0][0].domain if self._fields else None
        where = f", on rank {domain.rank} of {domain.ranks}" if domain is not None else ""
        return f"lapwing: in stage {self._stage} of step {self._progress.done + 1}, {box!r}{where}"
