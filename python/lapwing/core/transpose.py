"""Transposes: fields moved from one distribution to another, and stored in another order there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from lapwing.base.error import user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Box, FieldSpec, Partition, TransposeCensus, transpose_plan
from lapwing.core.field import Field
from lapwing.core.together import together_on

MOST_GROUPS = 1024  # groups of levels, as in C++


def transpose_census(
    source: Partition,
    target: Partition,
    fields: Sequence[FieldSpec],
    *,
    active: Box | None = None,
    ranks: Iterable[int] | None = None,
) -> TransposeCensus:
    """Messages and bytes of a transpose, of all ranks together or of some.

    Local. Raises as `transpose_plan`. Cost: a plan for each rank.
    """
    total = TransposeCensus()
    for rank in range(source.ranks) if ranks is None else ranks:
        plan = transpose_plan(source, target, rank, fields, active=active)
        total = total + _core.transpose_census(plan)
    return total


class Transpose(_core.Transpose):
    """Moves fields from one distribution to another, again and again.

    Collective over the domain of the fields; make it once, outside the time loop. `sources`,
    `targets`: a field each, or as many of each: a batch travels in the same messages; pairs of one
    type and number of components; storage orders may differ. `method`: from `transpose_methods()`;
    "auto" reads LAPWING_TRANSPOSE_METHOD, else measures and takes the fastest; `groups`: groups of
    levels, 1 to 1024, each with its own exchange, so that `wait_group(g)` lets work on one begin
    while later ones travel; `active`: only these cells. For the way back make one with both sides
    swapped. From `start` to `wait`, sources must not be written and targets not be touched, except
    for groups that were waited for. Raises UserError on all ranks when something does not fit, they
    disagree, or the MPI or the machine lacks the method; OutsideError when a rank lacks the memory.
    Cost of making it: some small collectives and, with "auto", some hundred transposes.
    """

    def __init__(
        self,
        sources: Field | Sequence[Field],
        targets: Field | Sequence[Field],
        *,
        method: str = "auto",
        groups: int = 1,
        active: Box | None = None,
    ) -> None:
        """Check the fields, plan, choose the method and make the buffers."""
        come = listed("sources of a transpose", sources)
        go = listed("targets of a transpose", targets)
        domain = come[0].domain

        def checked() -> tuple[Partition, Partition, int]:
            for field in (*come, *go):
                if field.domain is not domain:
                    raise user_error(
                        f"field {field.name} of a transpose",
                        f"one of another domain, rank {field.domain.rank}",
                        f"one of the domain of {come[0].name}",
                        "make distributions with Distribution(domain, partition)",
                    )
            return (
                _partition_of("sources", come),
                _partition_of("targets", go),
                whole_number("groups of a transpose", groups, 1, MOST_GROUPS),
            )

        source, target, parts = together_on(domain, checked)
        super().__init__(
            domain,
            source,
            target,
            [field.core for field in come],
            [field.core for field in go],
            method,
            parts,
            active,
        )
        self.sources, self.targets = come, go

    def wait_group(self, group: int) -> None:
        """Block until one group is complete, and count halos of the targets as stale. Local."""
        super().wait_group(group)
        self._note()

    def wait(self) -> None:
        """Block until all that was started is complete, and count halos as stale. Local."""
        super().wait()
        self._note()

    def run(self) -> None:
        """Start it and wait. Local, but all ranks that it concerns must do so too."""
        super().run()
        self._note()

    def run_pipelined(self, work: Callable[[Box], Any]) -> None:
        """Call work(box) for the boxes of each group that has arrived, while later ones travel.

        Local, as `run`. Boxes belong to the targets, in global indices: `field[box]`.
        """
        self.start()
        for group in range(self.groups):
            self.wait_group(group)
            for box in self.target_boxes(group):
                work(box)
                self.test()

    def send_pipelined(self, work: Callable[[Box], Any]) -> None:
        """Call work(box) for the boxes of each group, then send it, while earlier ones travel.

        Local, as `run`; waits at the end. Boxes belong to the sources.
        """
        for group in range(self.groups):
            for box in self.source_boxes(group):
                work(box)
                self.test()
            self.start_group(group)
        self.wait()

    def _note(self) -> None:
        for field in self.targets:
            field.modified()


def listed(side: str, fields: Field | Sequence[Field]) -> list[Field]:
    """The fields in a list; UserError for none, or what is no field. Local."""
    given = [fields] if isinstance(fields, Field) else list(fields)
    if given and all(isinstance(field, Field) for field in given):
        return given
    raise user_error(
        side,
        repr(fields),
        "a field, or a list of fields",
        "pass what domain.field() or Distribution(domain, partition).field() returned",
    )


def _partition_of(side: str, fields: Sequence[Field]) -> Partition:
    """The partition that all fields are on, levels as its z axis. Local; UserError unless one."""
    on = [with_levels(field) for field in fields]
    for field, partition in zip(fields, on, strict=True):
        if partition != on[0]:
            raise user_error(
                f"{side} of a transpose",
                f"{field.name} on {partition!r}",
                f"one on {on[0]!r}, as {fields[0].name}",
                "make a transpose for each distribution",
            )
    return on[0]


def with_levels(field: Field) -> Partition:
    """The partition of a field, its levels as the z axis. Local."""
    partition, levels = field.partition, field.spec.levels
    if levels == 0 or partition.grid.size[2] > 1:
        return partition
    return _core.twod_partition(partition, levels)
