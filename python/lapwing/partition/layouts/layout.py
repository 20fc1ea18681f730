"""A layout: the blocks of a grid, and which of them get no rank."""

from __future__ import annotations

from dataclasses import dataclass

Edges = tuple[list[int], list[int]]  # along x and y: first cells of the blocks, and the end


@dataclass(frozen=True)
class Layout:
    """Blocks of a grid, and which of them get no rank."""

    kind: str  # one of KINDS
    size: tuple[int, int] | None  # cells along x and y; None: the file does not say
    blocks: tuple[int, int]  # along x and y; (0, 0): the file does not say
    dropped: tuple[tuple[int, int], ...]  # block positions (i, j) from 0, x first
    halo: int  # width of the model's halo, cells

    @property
    def ranks(self) -> int:
        """Processes to start: one for every block that is left; 0 where the file does not say."""
        return self.blocks[0] * self.blocks[1] - len(self.dropped)
