"""The work on which the stages of a model are measured."""

from dataclasses import dataclass

FLAT, LAYERS = "flat", "layers"  # fields without layers, and with them


@dataclass(frozen=True)
class Work:
    """Cells per rank, and how much a sample averages over."""

    name: str  # appended to the names of the kernels
    nx: int
    ny: int
    steps: int  # per sample: as many as the cycle of the step has positions, or a multiple
    samples: int
    levels: int = 0  # layers; 0: the depth-integrated mode alone
    warm: bool = False  # a copy that is not timed comes first: what was copied is in the caches

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of fields that there are: those with layers, and those without."""
        return (LAYERS, FLAT) if self.levels else (FLAT,)

    @property
    def columns(self) -> int:
        """The cells of a rank."""
        return self.nx * self.ny
