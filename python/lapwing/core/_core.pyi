import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray

class Box:
    """Half-open ranges of global indices: lo <= (i, j, k) < hi."""

    @overload
    def __init__(self) -> None:
        """The empty box."""

    @overload
    def __init__(self, lo: Sequence[int], hi: Sequence[int]) -> None:
        """
        The cells from `lo` up to, not including, `hi`: three numbers each, or two on a grid without a z axis. Local. Raises UserError for any other number of them.
        """

    def __getstate__(self) -> tuple[list[int], list[int]]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def lo(self) -> list[int]:
        """First index per axis."""

    @property
    def hi(self) -> list[int]:
        """One past the last index per axis."""

    @property
    def shape(self) -> list[int]:
        """Cells per axis."""

    @property
    def volume(self) -> int:
        """Number of cells."""

    @property
    def empty(self) -> bool:
        """Whether the box has no cell."""

    def contains(self, other: Box) -> bool:
        """Whether every cell of `other` is in this box."""

    def intersect(self, other: Box) -> Box:
        """The cells in both boxes."""

    def subtract(self, other: Box) -> list[Box]:
        """The cells that are not in `other`, as disjoint boxes."""

    def shift(self, x: int = 0, y: int = 0, z: int = 0) -> Box:
        """The box moved by that many cells."""

    def grow(self, extent: Extent) -> Box:
        """The box with the halo of an extent."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __repr__(self) -> str: ...

class Extent:
    """How far a stencil reads beyond its cell, per axis and side."""

    def __init__(
        self, lo: Sequence[int] = [0, 0, 0], hi: Sequence[int] = [0, 0, 0], corners: bool = True
    ) -> None:
        """
        Cells below and above per axis, three or two of them, and whether the corners between them are read. Local. Raises UserError for any other number of axes.
        """

    def __getstate__(self) -> tuple[list[int], list[int], bool]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @staticmethod
    def horizontal(width: int) -> Extent:
        """width cells in x and y, with corners."""

    @staticmethod
    def uniform(width: int) -> Extent:
        """width cells along all axes, with corners."""

    @staticmethod
    def cross(width: int) -> Extent:
        """width cells in x and y, no corners."""

    @property
    def lo(self) -> list[int]:
        """Cells towards lower indices per axis."""

    @property
    def hi(self) -> list[int]:
        """Cells towards higher indices per axis."""

    @property
    def corners(self) -> bool:
        """Whether cells that are off along two axes are read."""

    def covers(self, inner: Extent) -> bool:
        """Whether a halo of this extent serves a stencil of `inner`."""

    def unite(self, other: Extent) -> Extent:
        """The smallest extent that holds both."""

    def boxes(self, box: Box) -> list[Box]:
        """The cells read from `box`, as boxes that overlap in it alone."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

class Grid:
    """How many cells a model has, and which axes close on themselves."""

    def __init__(
        self, size: Sequence[int], periodic: Sequence[bool] = [False, False, False]
    ) -> None:
        """
        A grid of three axes. Local. Raises UserError for a size below 1, or more cells than 64 bits count.
        """

    def __getstate__(self) -> tuple[list[int], list[bool]]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def size(self) -> list[int]:
        """Cells per axis."""

    @property
    def periodic(self) -> list[bool]:
        """Whether each axis closes on itself."""

    @property
    def box(self) -> Box:
        """All cells."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

class Mask:
    """Which columns of a grid are wet."""

    def __init__(
        self,
        wet: Annotated[
            NDArray[numpy.uint8], dict(shape=(None, None), order="F", device="cpu", writable=False)
        ],
    ) -> None:
        """
        Count the wet columns of an array [nx, ny]. Local. Raises UserError when none is wet.
        """

    def __getstate__(self) -> tuple[int, int, bytes]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def shape(self) -> tuple[int, int]:
        """Columns along x and y."""

    def count(self, box: Box) -> int:
        """Number of wet columns in the box."""

    def counts(
        self, x: Sequence[tuple[int, int]], y: Sequence[tuple[int, int]]
    ) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """
        Wet columns of many boxes: an array [x, y] of numbers, for the half-open ranges of columns `x` and `y`. Local. What lies outside the grid is dry.
        """

    def wet(self, i: int, j: int) -> bool:
        """Whether column (i, j) is wet."""

    def wet_bounds(self, box: Box) -> Box:
        """Smallest box around the wet columns of `box`."""

    def __eq__(self, arg: object, /) -> bool: ...

class Subdomain:
    """One owned box and its rank."""

    def __init__(self, rank: int, box: Box) -> None:
        """The box and who owns it; checked when a partition is made. Local."""

    def __getstate__(self) -> tuple[int, Box]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def rank(self) -> int:
        """The rank that owns the box."""

    @property
    def box(self) -> Box:
        """The cells, in global indices."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

class Partition:
    """Who owns which box of a grid."""

    def __init__(self, grid: Grid, ranks: int, subdomains: Sequence[Subdomain]) -> None:
        """
        Take any set of boxes. Local. Raises UserError when a rank is outside, a box is empty or leaves the grid, or two overlap.
        """

    def __getstate__(self) -> tuple[Grid, int, list[Subdomain]]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def grid(self) -> Grid:
        """The grid that is cut."""

    @property
    def ranks(self) -> int:
        """Number of ranks."""

    @property
    def subdomains(self) -> list[Subdomain]:
        """All boxes with their ranks, in the order of their numbers."""

    @property
    def aligned(self) -> bool:
        """Whether the boxes lie between one set of cuts per axis."""

    def subdomains_of(self, rank: int) -> list[int]:
        """
        Numbers of the subdomains of a rank. Local. Raises UserError for a rank outside the partition.
        """

    def overlapping(self, box: Box) -> list[int]:
        """Numbers of the subdomains that meet the box."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

def block_range(n: int, parts: int, part: int) -> tuple[int, int]:
    """
    The half-open range of part `part` when n cells are cut into `parts`; the larger parts come first. Local.
    """

def best_blocks(grid: Grid, ranks: int, width: int = 1) -> list[int]:
    """
    Blocks per axis with the least halo per block. Local. Raises UserError when no factorisation fits.
    """

def block_partition(grid: Grid, blocks: Sequence[int]) -> Partition:
    """
    Cut a grid into blocks, one per rank, x varying fastest. Local. Raises UserError when an axis has fewer cells than blocks.
    """

def trimmed(partition: Partition, mask: Mask) -> Partition:
    """
    Shrink every box to the bounds of its wet cells. Local. Raises UserError when a box has none, or the mask another size than the grid.
    """

class CostModel:
    """What a point and a message cost, and on what a partition is to run."""

    def __init__(
        self,
        wet: float = 1.0,
        dry: float = 0.05,
        off: float = 5.0,
        on: float = 1.0,
        latency: float = 0.0,
        width: int = 2,
        ranks_per_node: int = 1,
        speeds: Sequence[float] = [],
    ) -> None:
        """
        Costs per wet point, dry point, wet halo point from another node and from the same, and message, in units of the work on a wet point; width of the halo in cells; ranks that share a node; relative speeds, one per rank or none. Local; checked where it is used.
        """

    @property
    def wet(self) -> float:
        """Per wet point owned."""

    @property
    def dry(self) -> float:
        """Per dry point owned."""

    @property
    def off(self) -> float:
        """Per halo point from another node."""

    @property
    def on(self) -> float:
        """Per halo point from the same node."""

    @property
    def latency(self) -> float:
        """Per message."""

    @property
    def width(self) -> int:
        """Width of the halo, cells."""

    @property
    def ranks_per_node(self) -> int:
        """Ranks that share a node."""

    @property
    def speeds(self) -> list[float]:
        """Relative speeds of the ranks; empty: all alike."""

class RankCost:
    """One rank's share of a partition."""

    @property
    def wet(self) -> int:
        """Wet points owned."""

    @property
    def dry(self) -> int:
        """Dry points owned."""

    @property
    def halo_off(self) -> int:
        """Wet halo points from other nodes."""

    @property
    def halo_on(self) -> int:
        """Wet halo points from other ranks of the node."""

    @property
    def messages(self) -> int:
        """Ranks from which wet halo points come."""

    @property
    def cost(self) -> float:
        """In units of the work on a wet point."""

class PartitionCost:
    """What a partition costs."""

    @property
    def ranks(self) -> list[RankCost]:
        """Each rank's share."""

    @property
    def cost(self) -> float:
        """Of the slowest rank, in units of the work on a wet point."""

    @property
    def imbalance(self) -> float:
        """Largest over mean of wet points / speed."""

    @property
    def halo_off(self) -> int:
        """Wet halo points from other nodes, all ranks."""

    @property
    def halo_on(self) -> int:
        """Wet halo points from the same node, all ranks."""

    @property
    def messages(self) -> int:
        """Messages, all ranks."""

def check_cost_model(model: CostModel, grid: Grid, ranks: int) -> None:
    """Raise UserError for a model that cannot price `ranks` ranks of a grid. Local."""

def partition_cost(partition: Partition, mask: Mask, model: CostModel) -> PartitionCost:
    """
    Price every rank. Local. Raises UserError for a mask of another size than the grid, and a wrong model.
    """

class CutOrders:
    """The ways to cut into a number of parts by its prime factors up to 7."""

    def __init__(self, parts: int) -> None:
        """Count the ways. Local. Raises UserError for parts < 1."""

    @property
    def count(self) -> int:
        """Number of ways: distinct orders of the factors times axes."""

    def at(self, n: int) -> list[tuple[int, int]]:
        """
        Way n as (axis, parts), found without the others. Local. Raises UserError for another n.
        """

class KSection:
    """The candidates of a k-section of the wet points."""

    def __init__(
        self, grid: Grid, mask: Mask, ranks: int, model: CostModel = ..., nodes_first: bool = True
    ) -> None:
        """
        Count the candidates. Local. Raises UserError for more ranks than wet points, a mask of another size than the grid, and a wrong model.
        """

    @property
    def count(self) -> int:
        """Number of candidates."""

    def partition(self, n: int) -> Partition:
        """
        Candidate n as a partition. Local. Raises UserError unless 0 <= n < count.
        """

def accepted_imbalance(wet: int, ranks: int) -> float:
    """Largest over mean of wet points per rank that a search accepts. Local."""

class FoundPartition:
    """What a search for a partition came to."""

    @property
    def partition(self) -> Partition:
        """The cheapest one found."""

    @property
    def candidates(self) -> int:
        """Candidates of the k-section."""

    @property
    def searched(self) -> int:
        """Those that were priced, and wider trees."""

class FoundBlocks:
    """What a search for blocks came to."""

    @property
    def partition(self) -> Partition:
        """The cheapest one found."""

    @property
    def blocks(self) -> list[int]:
        """Blocks per axis."""

    @property
    def searched(self) -> int:
        """Shapes of blocks that were priced."""

def find_partition(
    grid: Grid,
    mask: Mask,
    ranks: int,
    model: CostModel,
    threads: int,
    nodes_first: bool,
    wider: bool,
    refine: bool,
) -> FoundPartition:
    """Search for a k-section partition. Local."""

def find_partition_together(
    comm: object,
    grid: Grid,
    mask: Mask,
    model: CostModel,
    threads: int,
    nodes_first: bool,
    wider: bool,
    refine: bool,
) -> FoundPartition:
    """The same by all ranks of a communicator, together. Collective."""

def ranks_per_node(comm: object) -> int:
    """Ranks that share a node, the most over all nodes. Collective."""

def wet_block_partition(grid: Grid, mask: Mask, blocks: Sequence[int]) -> Partition:
    """Blocks without the dry ones, trimmed. Local."""

def find_wet_blocks(grid: Grid, mask: Mask, ranks: int, model: CostModel) -> FoundBlocks:
    """The cheapest blocks without the dry ones. Local."""

def find_assigned_blocks(grid: Grid, mask: Mask, ranks: int, model: CostModel) -> FoundBlocks:
    """The cheapest small blocks, several per rank. Local."""

def node_ordered(partition: Partition, ranks_per_node: int) -> Partition:
    """
    The partition with ranks numbered such that neighbours share nodes. Local.
    """

def weighted_blocks(partition: Partition, speeds: Sequence[float]) -> Partition:
    """Blocks with cuts moved for ranks of these speeds. Local."""

class FieldSpec:
    """Name, type and shape of a field, and how far its halo is read."""

    def __init__(
        self,
        name: str,
        type: str = "float64",
        extents: Sequence[Extent] = ...,
        levels: int = 0,
        components: int = 1,
        location: str = "center",
        order: Sequence[int] = [0, 1, 2, 3],
        constant_on_land: bool = False,
    ) -> None:
        """
        Describe a field. Local. Raises UserError for an unknown type or location; the rest is checked against a grid when a field or a plan is made.
        """

    @property
    def largest_extent(self) -> Extent:
        """What holds the extents of all components. Local."""

    @property
    def name(self) -> str:
        """Name of the field."""

    @property
    def type(self) -> str:
        """float32, float64, int32 or int64."""

    @property
    def location(self) -> str:
        """center, xface, yface or corner."""

    @property
    def levels(self) -> int:
        """
        Length of a vertical axis that is never cut; 0: the z axis of the grid.
        """

    @property
    def components(self) -> int:
        """Values per cell."""

    @property
    def extents(self) -> list[Extent]:
        """How far the halo is read: one for all components, or one for each."""

    @property
    def order(self) -> list[int]:
        """Axes x = 0, y = 1, z = 2, components = 3 in memory, fastest first."""

    @property
    def constant_on_land(self) -> bool:
        """Whether its values on land never change."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

class WetShare:
    """
    What a rank sends before and after the land was left out of its messages.
    """

    def __init__(self) -> None:
        """Nothing sent, nothing saved: where a sum begins. Local."""

    def __getstate__(self) -> tuple[int, int, int, int, int, int, int, int, int]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def bytes_before(self) -> int:
        """Bytes sent with land."""

    @property
    def bytes_after(self) -> int:
        """Bytes sent without."""

    @property
    def messages_before(self) -> int:
        """Messages sent with land."""

    @property
    def messages_after(self) -> int:
        """Messages sent without."""

    @property
    def dry(self) -> int:
        """Pieces that vanished."""

    @property
    def whole(self) -> int:
        """Pieces that stayed as they were."""

    @property
    def clipped(self) -> int:
        """Pieces cut to their wet bounds."""

    @property
    def patched(self) -> int:
        """Pieces that became several patches."""

    @property
    def listed(self) -> int:
        """Pieces that became an index list."""

    def __add__(self, other: WetShare) -> WetShare:
        """The shares of two ranks together."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

def wet_form_names() -> list[str]:
    """What may become of pieces of messages that hold land. Local."""

class Piece:
    """One box of one field on its way from an owner to a reader."""

    def __getstate__(self) -> tuple[int, int, int, Box, Box, int, int, list[int]]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def field(self) -> int:
        """Number of the field in the plan."""

    @property
    def source(self) -> int:
        """Number of the subdomain that it is read from; -1: the whole grid."""

    @property
    def target(self) -> int:
        """Number of the subdomain that it is written to; -1: the whole grid."""

    @property
    def source_box(self) -> Box:
        """Cells that are read."""

    @property
    def target_box(self) -> Box:
        """Cells that are written: the same, or a periodic image of them."""

    @property
    def component_lo(self) -> int:
        """First component."""

    @property
    def component_hi(self) -> int:
        """One past the last component."""

    @property
    def columns(self) -> list[int]:
        """
        Index list: the columns of the boxes that travel, as ascending positions, x fastest; empty: all.
        """

    @property
    def values(self) -> int:
        """Number of values: cells times components."""

    def __eq__(self, arg: object, /) -> bool: ...

class Message:
    """All pieces that travel together between two ranks."""

    def __getstate__(self) -> tuple[int, list[Piece]]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def peer(self) -> int:
        """The other rank."""

    @property
    def pieces(self) -> list[Piece]:
        """What travels, in the order in which it is stored."""

    def __eq__(self, arg: object, /) -> bool: ...

class Phase:
    """What may travel at the same time."""

    def __getstate__(self) -> tuple[list[Message], list[Message], list[Piece]]: ...
    def __setstate__(self, state: object | None) -> None: ...
    @property
    def sends(self) -> list[Message]:
        """Messages to other ranks."""

    @property
    def receives(self) -> list[Message]:
        """Messages from other ranks."""

    @property
    def copies(self) -> list[Piece]:
        """Pieces between boxes of this rank."""

    def __eq__(self, arg: object, /) -> bool: ...

class MessagePlan:
    """The messages of one exchange as one rank sees them."""

    def __getstate__(self) -> tuple[int, list[FieldSpec], list[Phase], bool, bool]: ...
    def __setstate__(self, state: object | None) -> None: ...
    def __eq__(self, arg: object, /) -> bool: ...
    @property
    def rank(self) -> int:
        """The rank whose view this is."""

    @property
    def fields(self) -> list[FieldSpec]:
        """The fields that the pieces name by number."""

    @property
    def phases(self) -> list[Phase]:
        """What may travel at the same time; phases run one after the other."""

    @property
    def adds(self) -> bool:
        """Whether what arrives is added to the target instead of replacing it."""

    @property
    def messages_sent(self) -> int:
        """Messages that this rank sends, all phases together."""

    @property
    def bytes_sent(self) -> int:
        """Bytes that this rank sends."""

    @property
    def bytes_received(self) -> int:
        """Bytes that this rank receives."""

    @property
    def bytes_copied(self) -> int:
        """Bytes that this rank copies between its own boxes."""

    @property
    def packed_bytes(self) -> int:
        """Bytes of the buffers of a transport that packs both ends."""

    def bytes(self, message: Message) -> int:
        """Bytes of a message of this plan. Local."""

    def __repr__(self) -> str: ...
    def reversed(self, add: bool = False) -> MessagePlan:
        """
        The plan of the opposite direction; `add`: what arrives is added. Local.
        """

    def regrouped(self, separate: bool = False, chunk_bytes: int = 0) -> MessagePlan:
        """
        The same data in more messages: `separate`: one per peer and field instead of one per peer; `chunk_bytes`: longer ones are split into messages of at most so many bytes, 0 for never. Local; all ranks must ask alike. Raises UserError for chunks of less than 8 bytes, a value. Cost: one walk over the pieces.
        """

    def wet_only(
        self,
        mask: Mask,
        *,
        form: str = "lists",
        declared_only: bool = False,
        seconds_per_byte: float = 2e-10,
        seconds_per_piece: float = 8e-09,
        seconds_per_column: float = 1.5e-09,
    ) -> MessagePlan:
        """
        The plan without land: pieces are dropped, clipped, cut into patches or turned into index lists, whichever costs least: by the byte, and for every walk over the columns by the piece and the listed column. Wet values (of faces and corners those that touch a wet cell) arrive as before; results stay the same as long as dry cells hold a constant fill. `mask`: that of the grid; `form`: what pieces may become at most: off, clip, patches or lists; `declared_only`: only those of fields that are constant on land. Local; all ranks must ask alike. Raises UserError where the mask is seen to be too small, and for another form. Cost: the number of columns in the plan, for each field.
        """

    def wet_share(self, wet: MessagePlan) -> WetShare:
        """
        What this rank saves with `wet`, which `wet_only` made of this plan. Local.
        """

def halo_plan(
    partition: Partition, rank: int, fields: Sequence[FieldSpec], *, ordered: bool = False
) -> MessagePlan:
    """
    Plan the halo exchange of `fields` as `rank` sees it: one message per neighbour and phase. Local. `ordered`: corners travel along one axis after the other instead of directly. Raises UserError for a bad field, or ordered corners on a partition that is not aligned. Cost: the number of the rank's own neighbours.
    """

def gather_plan(
    partition: Partition, rank: int, fields: Sequence[FieldSpec], *, root: int = 0
) -> MessagePlan:
    """
    Plan the collection of all owned cells of `fields` on `root`; `reversed()` scatters them. Local. Raises UserError for a root outside the partition.
    """

class Field:
    """Memory of a field on one rank, one array per box that the rank owns."""

    @staticmethod
    def allocate(partition: Partition, rank: int, spec: FieldSpec, halo: Extent = ...) -> Field:
        """
        Allocate zeroed memory for all boxes of a rank. Local. Raises UserError for a bad description or a size that overflows, OutsideError when the memory is not there.
        """

    @staticmethod
    def declared(
        domain: Domain, partition: Partition, spec: FieldSpec, own_extents: bool = False
    ) -> Field:
        """
        A field on a partition of the domain's ranks, without memory until a step or `give_memory` gives it some; `own_extents`: those of the spec stay as they are where memory is wider. Local. Raises UserError for a bad description.
        """

    def give_memory(self, halo: Extent) -> None:
        """
        Allocate zeroed memory for a declared field, with halos of at least `halo`. Local. Raises as `allocate`.
        """

    @property
    def has_memory(self) -> bool:
        """Whether it has memory. Local."""

    @staticmethod
    def wrap(
        domain: Domain,
        spec: FieldSpec,
        arrays: Sequence[numpy.typing.NDArray[Any]],
        lo: Sequence[Sequence[int]],
        keep: object,
    ) -> Field:
        """
        Use arrays [x, y, z, component] in place, one per box of the rank; `lo`: global index of the first cell of each; `keep` lives as long as the memory is needed. Local. Raises UserError for arrays that do not fit.
        """

    @staticmethod
    def whole(grid: Grid, spec: FieldSpec, here: bool) -> Field:
        """
        An array of the whole grid, without halo, where `here` is true, and no memory elsewhere. Local. Raises UserError for a size that overflows, OutsideError when the memory is not there.
        """

    @property
    def spec(self) -> FieldSpec:
        """Name, type, shape and extents. Local."""

    @property
    def count(self) -> int:
        """Number of boxes. Local."""

    def owned(self, block: int = 0) -> Box:
        """
        The owned box number `block`. Local. Raises IndexError for another number.
        """

    def allocated(self, block: int = 0) -> Box:
        """
        Box number `block` with its halo. Local. Raises IndexError for another number.
        """

    def array(self, block: int = 0) -> numpy.typing.NDArray[Any]:
        """
        Memory of box number `block` as a view [x, y, z, component]. Local. Raises IndexError for another number.
        """

    def modified(self) -> None:
        """
        Say that something outside the stages of a step wrote the field: its halo is stale. Local, but must be called on all ranks alike.
        """

class Node:
    """The node of a rank: who shares its memory, and with how many cores."""

    @property
    def ranks(self) -> int:
        """Number of ranks on it. Local."""

    @property
    def cores(self) -> int:
        """Cores that this process may use. Local."""

    @property
    def oversubscribed(self) -> bool:
        """
        Whether any node has more ranks than cores; waits then let others run after every look, and timings mean little. The same on all ranks. Local.
        """

class Domain:
    """A partition on a communicator: what fields and exchanges are made on."""

    def __init__(
        self,
        partition: Partition,
        communicator: object,
        ranks_per_node: int = 0,
        in_place_of: int | None = None,
    ) -> None:
        """
        Compare the partition and duplicate the communicator. Collective. Raises UserError on all ranks when the partitions differ or are for another number of ranks. `in_place_of`: the rank for which this process stands in, alone: what is made is that rank's, and messages to others are planned and never sent.
        """

    def close(self) -> None:
        """
        Free the communicator. Collective; exchanges must be finished, and none can be made or run afterwards. Closing again does nothing. Raises OutsideError when MPI fails.
        """

    @property
    def partition(self) -> Partition:
        """Who owns which box. Local."""

    @property
    def rank(self) -> int:
        """Number of this rank. Local."""

    @property
    def ranks(self) -> int:
        """Number of ranks. Local."""

    @property
    def node(self) -> Node:
        """Who shares memory and cores with this rank. Local."""

    @property
    def closed(self) -> bool:
        """Whether `close` was called. Local."""

def set_wet_messages(domain: Domain, mask: Mask | None, form: str = "auto") -> None:
    """
    Let steps that are made from now on leave the land of a mask out of the messages of fields that are constant on land. Local, the same on all ranks. Raises UserError for a mask of another size than the grid, none, or another form.
    """

def wet_messages(domain: Domain) -> str:
    """The form of wet messages of steps that are made from now on. Local."""

def constant_on_land(domain: Domain) -> list[str]:
    """The names of the fields of a domain that are constant on land. Local."""

class Pending:
    """
    A started exchange. Until it has been waited for, owned cells that are sent must not be written and halo cells that are received must not be read.
    """

    def test(self) -> bool:
        """
        Move messages on; true when the exchange is complete. Local, does not block. Raises OutsideError when MPI fails.
        """

    def wait(self) -> None:
        """
        Block until the exchange is complete. Local, but every neighbour must have started it. Raises OutsideError when MPI fails; with LAPWING_WATCHDOG seconds set, ends the job when nothing moves for so long.
        """

class Exchange:
    """
    A plan, a transport and its buffers, ready to be started again and again; made by Domain.exchange.
    """

    def __init__(
        self,
        domain: Domain,
        fields: Sequence[Field],
        transport: str = "auto",
        ordered: bool | None = None,
        reverse: bool = False,
        add: bool = False,
        separate: bool = False,
        chunk_bytes: int = 0,
        wet: Mask | None = None,
        threads: int = 1,
        wet_form: str = "lists",
    ) -> None:
        """
        Plan the halo exchange of fields and make its buffers. Collective over the domain. Raises UserError on all ranks when they disagree, OutsideError when a rank lacks the memory.
        """

    @staticmethod
    def of_plan(
        domain: Domain,
        plan: MessagePlan,
        sources: Sequence[Field],
        targets: Sequence[Field],
        transport: str = "p2p",
    ) -> Exchange:
        """
        Make an exchange of any plan, from `sources` to `targets`. Collective over the domain. Raises UserError on all ranks when they disagree, OutsideError when a rank lacks the memory.
        """

    @staticmethod
    def for_arrays(
        domain: Domain,
        specs: Sequence[FieldSpec],
        transport: str = "auto",
        ordered: bool | None = None,
        separate: bool = False,
        threads: int = 1,
    ) -> Exchange:
        """
        Make the exchange of arrays that come and go, which `take` gives it. Collective over the domain. Raises as the constructor.
        """

    def take(self, number: int, array: numpy.typing.NDArray[Any]) -> None:
        """
        Let array `number`, of x, y, z and component without those of length 1, be the memory from the next start on. The caller keeps it alive. Local. Raises UserError for another type or size, or while the exchange is active; TypeError for what is no array in memory of the CPU that may be written.
        """

    @property
    def arrays(self) -> int:
        """How many arrays it takes; 0: it is of fields. Local."""

    def start(self) -> Pending:
        """
        Pack and post the messages, and return the handle to wait on. Local, does not block; every neighbour must start it too. Raises UserError while a former start is unfinished, OutsideError when MPI fails. Cost: one message per neighbour and phase, nothing is allocated.
        """

    def run(self) -> None:
        """
        Start the exchange and wait for it. Blocks until all neighbours have started it. Raises what `start` and `wait` raise. Cost: one message per neighbour and phase.
        """

    @property
    def active(self) -> bool:
        """Whether it was started and not yet waited for. Local."""

    @property
    def plan(self) -> MessagePlan:
        """What moves, as this rank sees it. Local."""

    @property
    def transport(self) -> str:
        """Name of the transport. Local."""

    @property
    def choice(self) -> str:
        """
        What `auto` found, what measuring took and after how many exchanges it has paid, in words; empty where the transport was given. Local.
        """

    @property
    def buffer_bytes(self) -> int:
        """Bytes of message buffers on this rank. Local."""

    @property
    def start_seconds(self) -> float:
        """Seconds spent packing and posting since construction. Local."""

    @property
    def wait_seconds(self) -> float:
        """Seconds spent waiting and unpacking since construction. Local."""

    def __repr__(self) -> str: ...

def raise_together(domain: Domain, problem: str | None, user: bool = True) -> None:
    """
    Raise the problem of the lowest rank that has one on all ranks, as UserError or else OutsideError; None where there is none. Collective over the domain. Cost: one reduction when all is well.
    """

def require_same(domain: Domain, name: str, value: str) -> None:
    """
    Raise UserError on all ranks, with both values, unless `value` is the same on all. Collective over the domain. Cost: a broadcast and a reduction.
    """

def largest(domain: Domain, number: int) -> int:
    """The largest of the numbers of all ranks. Collective, one reduction."""

class Occupation(enum.Enum):
    """What a rank says of itself when the roll is called."""

    waits = 119
    """For another rank."""

    waits_for_server = 115
    """For an output server, which may be slow."""

    works = 98
    """And will answer those who wait for it."""

class Watchdog:
    """
    Looks after one wait, from its construction on: LAPWING_WATCHDOG seconds.
    """

    def __init__(self, mine: Occupation = Occupation.waits) -> None:
        """Begin the time. Local."""

    def look(self, what: str) -> None:
        """
        To be called again and again while this rank waits; `what` says for what and for whom. When the time is over, asks all ranks what they wait for, prints it and ends the job, unless one answers that it works. Local.
        """

def answer_roll_call(mine: Occupation, what: str) -> bool:
    """
    Answer ranks whose watchdogs ask; whether one did. For a rank that works between its waits. Local.
    """

def transport_names() -> list[str]:
    """The names of the transports. Local."""

class HaloVariants:
    """
    Exchanges of the same fields in several widths, planned beforehand; made by Domain.halo_variants.
    """

    def __init__(
        self,
        domain: Domain,
        fields: Sequence[Field],
        extents: Sequence[Extent],
        transport: str = "auto",
        ordered: bool | None = None,
    ) -> None:
        """
        Plan an exchange for every extent. Collective over the domain. Raises UserError on all ranks when an extent reaches further than every field, or they disagree, OutsideError when a rank lacks the memory.
        """

    def start(self, extent: Extent) -> Pending:
        """
        Start the narrowest variant that covers `extent`, and return the handle to wait on; halo cells beyond it stay as they are. Local, does not block; all ranks must ask alike. Raises UserError when no variant covers it, or one is in flight. Cost: one message per neighbour and phase, nothing is allocated.
        """

    def start_agreed(self, extent: Extent) -> Pending:
        """
        Start the narrowest variant that covers what every rank asks for, and return the handle to wait on. Collective. Raises UserError on all ranks when no variant does, or one is in flight on any. Cost: one reduction of eight numbers, which blocks, and what `start` costs.
        """

    @property
    def extents(self) -> list[Extent]:
        """What was planned, narrowest first. Local."""

    def plan(self, extent: Extent) -> MessagePlan:
        """
        What `start` moves for that extent, as this rank sees it. Local. Raises UserError when no variant covers it.
        """

    @property
    def buffer_bytes(self) -> int:
        """Bytes of message buffers of all variants on this rank. Local."""

    def __repr__(self) -> str: ...

class ReducedNumber:
    """A number that all ranks agree on; lapwing.Reduction is for people."""

    def __init__(self, largest: bool) -> None:
        """The largest or the smallest of what is folded in. Local."""

    def fold(self, number: float) -> None:
        """Take a number of this rank into account. Local."""

    @property
    def value(self) -> float:
        """That of all ranks, NaN before the first and where one is NaN. Local."""

class FieldUse:
    """What a kernel does to a field."""

    def __init__(
        self,
        domain: Domain,
        field: Field,
        read: bool,
        written: bool,
        scattered: bool,
        extent: Extent,
        number: ReducedNumber | None = None,
        widths: Sequence[int] = [],
    ) -> None:
        """
        Whether it is read, how far, and written, beyond the box too; and with a number, the widths in which as much of its halo travels as the number asks for. Local.
        """

class Stage:
    """One loop of a model as a step takes it; lapwing.Stage is for people."""

    def __init__(
        self,
        name: str,
        uses: Sequence[FieldUse],
        kernels: Sequence[object],
        region: Box | None,
        in_any_order: bool,
        rim: Extent,
        reduction: ReducedNumber | None,
        work: object | None,
        repeats: int,
        above: float,
        iteration: int,
    ) -> None:
        """
        Name, uses of fields, one callable of a box per owned box, what all ranks do at the end, and what lapwing.Stage has of these names. Whoever makes it keeps the callables alive. Local.
        """

    @property
    def name(self) -> str:
        """Name of the stage."""

class StepTimes:
    """Where the time of a step went, in seconds."""

    @property
    def steps(self) -> int:
        """Steps that were run."""

    @property
    def halo_start(self) -> float:
        """Seconds of packing and posting."""

    @property
    def halo_wait(self) -> float:
        """Seconds of waiting and unpacking."""

    @property
    def compute(self) -> list[float]:
        """Seconds in each stage, in the order of StepReport.stage_names."""

class StepVolume:
    """Rounds, messages and bytes per step on this rank."""

    @property
    def exchanges(self) -> float:
        """Rounds of messages per step."""

    @property
    def messages(self) -> float:
        """Messages sent per step."""

    @property
    def bytes(self) -> float:
        """Bytes sent per step."""

class FieldShare:
    """A field's part in one run of an exchange, on this rank."""

    @property
    def name(self) -> str:
        """Name of the field."""

    @property
    def extent(self) -> Extent:
        """Cells that travel, beyond those that a rank owns."""

    @property
    def messages(self) -> int:
        """Messages sent that carry some of it."""

    @property
    def bytes(self) -> int:
        """Bytes of it that are sent."""

    @property
    def needless(self) -> bool:
        """Whether nobody reads its halo before it is stale again."""

class ExchangeCost:
    """Time of an exchange on this rank, in seconds over all its runs."""

    @property
    def count(self) -> int:
        """How often it ran."""

    @property
    def packing(self) -> float:
        """Seconds of packing, posting and copies within the rank."""

    @property
    def late(self) -> float:
        """Seconds until the last neighbour was there."""

    @property
    def transfer(self) -> float:
        """Seconds of messages on their way, unpacking included."""

class CensusEntry:
    """One exchange of a step: what it moves, and what it cost this rank."""

    @property
    def position(self) -> int:
        """Position in the cycle, from 0."""

    @property
    def steady(self) -> bool:
        """Whether it is part of the steady state."""

    @property
    def stage(self) -> str:
        """The stage that could not go on without it, or that sends it unasked."""

    @property
    def unasked(self) -> bool:
        """Whether a stage sends it because a list says so."""

    @property
    def fields(self) -> list[FieldShare]:
        """What every field has of one run."""

    @property
    def messages(self) -> int:
        """Messages sent in one run."""

    @property
    def bytes(self) -> int:
        """Bytes sent in one run."""

    @property
    def handshake(self) -> float:
        """
        Seconds that the handshake before it takes among ranks that are all there.
        """

    @property
    def cost(self) -> ExchangeCost:
        """How often it ran, and where the time went."""

class NamedTask:
    """One thing that a rank does in a step."""

    @property
    def kind(self) -> str:
        """
        start (packing and posting), arrive (a phase of an exchange is over), compute, or reduce.
        """

    @property
    def subject(self) -> str:
        """Name of the stage, or of the fields that travel."""

    @property
    def entry(self) -> int:
        """Number of its stage or exchange in the schedule."""

    @property
    def ahead(self) -> bool:
        """Whether it starts an exchange that the next step waits for."""

    @property
    def phase(self) -> int:
        """Arrive: number of the phase of its exchange."""

    @property
    def block(self) -> int:
        """Compute: number among the rank's boxes."""

    @property
    def box(self) -> Box:
        """Compute: the cells."""

    @property
    def priority(self) -> int:
        """Of what is ready the least is done first."""

    @property
    def after(self) -> list[int]:
        """Numbers of tasks in its list that must be done before, ascending."""

class Step:
    """The stages of a model, run in the order that a strategy chose."""

    def __init__(
        self,
        domain: Domain,
        cycle: Sequence[Sequence[Stage]],
        strategy: str = "blocking",
        transport: str = "auto",
    ) -> None:
        """
        Make the schedule of a cycle of lists of stages, and every exchange in it. Collective over the domain. Raises UserError on all ranks for a bad stage or stages that differ.
        """

    def run(self, steps: int, before_each: Callable[[], None]) -> None:
        """
        Run so many steps of the cycle, each after a call of `before_each`. Writes that some ranks alone announced before are known to all. Collective. Raises OutsideError when MPI fails. Cost: one reduction, and the messages that `report.volume` tells.
        """

    def settle(self, strategy: str) -> None:
        """
        End the measuring of strategy "auto" and run this one from now on. Collective. Raises UserError on all ranks for one that does not exist, for "auto", or where halos are too narrow for it.
        """

    @property
    def position(self) -> int:
        """
        Position in the cycle of the next step, from 0. Local. Set it, on all ranks alike, to continue there: all halos then count as stale. Raises UserError for a position outside the cycle.
        """

    @position.setter
    def position(self, arg: int, /) -> None: ...
    def reset_times(self) -> None:
        """Set all times to zero. Local."""

    def observe(self, on: bool = True) -> None:
        """
        Let every exchange follow a handshake with its neighbours and split its time, from now on and from zero. Collective. Raises OutsideError when MPI fails. Cost: some hundred handshakes per exchange now, one each afterwards.
        """

    def check(self, on: bool = True) -> None:
        """
        Check every step from now on: `run` raises UserError on all ranks together, naming stage, field and the extent needed, where a stage's results depend on what it does not declare as read, where it writes a field that it does not declare, or where one was changed outside the stages without Field.modified. Kernels are run several times, whatever the strategy. Collective. Cost: many times the step.
        """

    def draw_timeline(self, events: int) -> None:
        """
        Note what this rank does when, up to so many events from now on; 0: no more. Local.
        """

    @property
    def report(self) -> StepReport:
        """What it is made of and has cost. Local."""

class StepReport:
    """What a step is made of, and what it has cost; made by Step.report."""

    def __init__(self, step: Step) -> None:
        """Look at a step. Local."""

    @property
    def stage_names(self) -> list[str]:
        """The distinct names of the stages. Local."""

    @property
    def stages(self) -> list[list[tuple[str, list[FieldSpec], list[FieldSpec]]]]:
        """
        The stages by position in the cycle, in their order: tuples of name, fields that are read, and fields that are written. Local.
        """

    @property
    def positions(self) -> int:
        """Length of the cycle. Local."""

    @property
    def strategy(self) -> str:
        """Name of the strategy in use, "auto" while it measures. Local."""

    @property
    def choice(self) -> str:
        """
        How far strategy "auto" is, then what it took and why; empty without it. Local.
        """

    def describe(self) -> str:
        """The exchanges and stages of the steady state, for people. Local."""

    def describe_tasks(self) -> str:
        """The task lists of this rank in the steady state, for people. Local."""

    def task_lists(self) -> list[list[NamedTask]]:
        """
        The task lists of this rank in the steady state, one per step of it. In the order in which they are done, or for dataflow, in that of the schedule. Local.
        """

    @property
    def tasks_in_order(self) -> bool:
        """
        Whether tasks are done in the order of their list; else what is ready goes, by priority. Local.
        """

    @property
    def tasks_per_step(self) -> float:
        """Tasks of one step in the steady state. Local."""

    @property
    def times(self) -> StepTimes:
        """Where the time went since construction or `reset_times`. Local."""

    @property
    def volume(self) -> StepVolume:
        """
        What this rank sends per step once halos are in their steady state. Local.
        """

    def census(self) -> list[CensusEntry]:
        """
        The exchanges of the step by position in the cycle, with what they cost on this rank since `observe` or `reset_times`; empty unless it observes. Local.
        """

    @property
    def timeline(self) -> list[tuple[str, str, float, float, int]]:
        """
        What `draw_timeline` noted: tuples of kind (compute, start, wait, unpack), name of the stage or of the fields, begin and end in seconds of the node's monotonic clock (time.monotonic), cells computed. They do not overlap; those of one kind are in order. Local.
        """

def name_ranges(step: Step, functions: tuple[object, object]) -> None:
    """
    Call functions[0](name) where a part of the step begins and functions[1](name) where it ends, from now on. Local.
    """

def strategy_names() -> list[str]:
    """
    Names that a step takes as its strategy, those with a number as examples. Local.
    """

def strategy_name(name: str) -> str:
    """
    The strategy's own name for one that a step takes. Local. Raises UserError for any other.
    """

def twod_partition(columns: Partition, levels: int) -> Partition:
    """
    The boxes of a partition of a 2D grid with so many levels. Local. Raises UserError for a grid with a z axis, or no level.
    """

def fft_partition(twod: Partition, active: Box | None = None) -> Partition:
    """
    Full rows of x: the levels are spread over the ranks of each row of processes. Local. `twod`: what `twod_partition` returned, or such blocks; `active`: the cells that take part, all by default. Raises UserError for fewer levels than blocks along x, and a partition that is not of blocks with all levels.
    """

def tri_partition(twod: Partition, active: Box | None = None) -> Partition:
    """
    Full columns of y: the x are spread over the ranks of each column of processes, each of which keeps the levels that it has in `fft_partition`, which see for the arguments. Local. Raises UserError for fewer x than blocks along y, and as `fft_partition`.
    """

def level_slab_partition(twod: Partition, active: Box | None = None) -> Partition:
    """
    Full rows of x: all (level, rows of one process row) in a list that all ranks share. For comparison: messages grow with the square of the number of ranks. Local. Arguments as of `fft_partition`. Raises UserError for a partition that is not of blocks with all levels.
    """

class TransposeCensus:
    """What one rank, or several together, do in a transpose."""

    def __init__(self) -> None:
        """Nothing: where a sum begins. Local."""

    @property
    def messages(self) -> int:
        """Messages sent."""

    @property
    def bytes(self) -> int:
        """Bytes sent."""

    @property
    def copied(self) -> int:
        """Bytes that stay on their rank."""

    @property
    def buffer_bytes(self) -> int:
        """Bytes of buffers of a method that packs both ends."""

    def __add__(self, other: TransposeCensus) -> TransposeCensus:
        """Both together."""

    def __eq__(self, arg: object, /) -> bool: ...
    def __repr__(self) -> str: ...

def transpose_census(plan: MessagePlan) -> TransposeCensus:
    """What the rank of a plan does. Local."""

def transpose_plan(
    source: Partition,
    target: Partition,
    rank: int,
    fields: Sequence[FieldSpec],
    *,
    active: Box | None = None,
    groups: int = 1,
    group: int = 0,
) -> MessagePlan:
    """
    Plan the moving of `fields` between two distributions of a grid, as `rank` sees it. Local. One message per pair of ranks; `active`: these cells only; `groups`, `group`: a part of the levels, see `Transpose`. Raises UserError for bad fields, another grid or number of ranks on one side, and a rank, box or group that does not exist. Cost: the rank's own partners.
    """

class Transpose:
    """Fields moved from one distribution to another, again and again."""

    def __init__(
        self,
        domain: Domain,
        source: Partition,
        target: Partition,
        sources: Sequence[Field],
        targets: Sequence[Field],
        method: str = "auto",
        groups: int = 1,
        active: Box | None = None,
        threads: int = 1,
    ) -> None:
        """
        Plan the moving of fields from one distribution to another and make its buffers. Collective over the domain. Raises UserError on all ranks when something does not fit or they disagree, OutsideError when a rank lacks the memory.
        """

    def start(self) -> None:
        """
        Pack and post all groups. Local, does not block; all ranks that it concerns must start it too. Raises UserError while a former start is unfinished, OutsideError when MPI fails.
        """

    def start_group(self, group: int) -> None:
        """
        Pack and post one group. Local, as `start`. Raises UserError for a number that does not exist, too.
        """

    def test(self) -> bool:
        """
        Move messages on; true when all that was started is complete. Local, does not block. Raises OutsideError when MPI fails.
        """

    def wait_group(self, group: int) -> None:
        """
        Block until one group is complete. Local. Raises UserError for a number that does not exist, OutsideError when MPI fails.
        """

    def wait(self) -> None:
        """
        Block until all that was started is complete. Local. Raises OutsideError when MPI fails.
        """

    def run(self) -> None:
        """Start and wait. Raises what these raise."""

    @property
    def groups(self) -> int:
        """Groups of levels, each an exchange of its own. Local."""

    def source_boxes(self, group: int) -> list[Box]:
        """
        Cells of this rank, of the first field, that a group takes away. Local. Raises UserError for a number that does not exist.
        """

    def target_boxes(self, group: int) -> list[Box]:
        """
        Cells of this rank, of the first field, that a group brings. Local. Raises UserError for a number that does not exist.
        """

    def plan(self, group: int = 0) -> MessagePlan:
        """
        What a group moves, as this rank sees it. Local. Raises UserError for a number that does not exist.
        """

    @property
    def method(self) -> str:
        """What it runs by, never auto. Local."""

    @property
    def choice(self) -> str:
        """
        What `auto` found, what measuring took and after how many transposes it has paid, in words; empty where the method was given. Local.
        """

    @property
    def buffer_bytes(self) -> int:
        """Bytes of message buffers on this rank. Local."""

    @property
    def census(self) -> TransposeCensus:
        """What this rank does in one run. Local."""

    def __repr__(self) -> str: ...

def transpose_methods() -> list[str]:
    """The methods of transposes, auto first. Local."""

class LineTransform:
    """The transform of grid lines, and back."""

    def __init__(self, points: int, ends: str) -> None:
        """
        Take the length of a line. Local. Raises UserError for less than one point, and other ends than periodic, dirichlet or neumann.
        """

    @property
    def points(self) -> int:
        """Of a line. Local."""

    def eigenvalues(self, spacing: float) -> list[float]:
        """
        Those of minus the second difference, one per coefficient, in 1/spacing^2. Local.
        """

    def forward(
        self,
        lines: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    ) -> None:
        """
        Replace values [lines, points] by coefficients. Local. Of a periodic line these are the real part of wave 0, then real and imaginary part of each.
        """

    def backward(
        self,
        lines: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    ) -> None:
        """Replace coefficients [lines, points] by values. Local."""

def slow_length(points: int, ends: str) -> str:
    """
    Why the transform of a line takes long, for a warning; empty where it does not. Local. The length of the Fourier transform behind it, a point more with dirichlet ends, has a prime factor beyond 13.
    """

class Tridiagonal:
    """Tridiagonal systems, one per line, without pivots."""

    def __init__(
        self,
        diagonal: Annotated[
            NDArray[numpy.float64],
            dict(shape=(None, None), order="C", device="cpu", writable=False),
        ],
        off_diagonal: float,
    ) -> None:
        """
        Eliminate matrices that hold `diagonal` [points, lines] and `off_diagonal` next to it. Local. No entry of the diagonal may be smaller in size than the sum of those next to it. Raises UserError without lines.
        """

    def solve(
        self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device="cpu")]
    ) -> None:
        """Replace right-hand sides [points, lines] by solutions. Local."""

class Lines:
    """Whole lines of one field on this rank, in the memory of the solver."""

    @property
    def field(self) -> int:
        """Number in the solver's fields."""

    @property
    def box(self) -> Box:
        """The cells, in global indices; levels along z."""

    @property
    def values(self) -> NDArray[numpy.float64]:
        """
        Rows [level, y, x]; columns [y, level, x], or [level, x, y] where they are contiguous. A view.
        """

    @property
    def flat(self) -> NDArray[numpy.float64]:
        """
        The lines one after the other, [line, point], where they are contiguous. A view. Raises UserError else.
        """

    @property
    def place(self) -> list[int]:
        """The first cell: tells the pieces of a field apart."""

class LineSolver:
    """Whole rows and columns of fields, a group of levels at a time."""

    def __init__(
        self,
        domain: Domain,
        partition: Partition,
        fields: Sequence[Field],
        method: str,
        groups: int,
        contiguous_columns: bool,
    ) -> None:
        """Make the distributions, their memory and four transposes. Collective."""

    def run(
        self,
        forward: Callable[[Lines], object],
        across: Callable[[Lines], object],
        backward: Callable[[Lines], object],
    ) -> None:
        """
        Replace the owned cells of the fields: forward(rows), across(columns), backward(rows). Local, but all ranks must do so. Each is called with the Lines of every group and field as soon as they are there, on the same views in every run. Halos count as stale afterwards.
        """

    @property
    def rows(self) -> list[list[Lines]]:
        """The lines along x of each group of levels. Local."""

    @property
    def columns(self) -> list[list[Lines]]:
        """Those along y. Local."""

    @property
    def transposes(self) -> list[Transpose]:
        """In the order in which they run. Local."""

    @property
    def buffer_bytes(self) -> int:
        """Bytes of message buffers held by this rank. Local."""

class Helmholtz:
    """Helmholtz equations on the levels of a field."""

    def __init__(
        self,
        domain: Domain,
        partition: Partition,
        field: Field,
        shift: Sequence[float],
        spacing: Sequence[float],
        ends: Sequence[str],
        method: str,
        groups: int,
    ) -> None:
        """
        Check the equation, make the way to the lines and eliminate the systems along y. Collective.
        """

    def solve(self) -> None:
        """
        Replace the right-hand side in the owned cells of the field by the solution. Local, but all ranks must do so; the halo of the field is stale afterwards.
        """

    def work_on_lines(self) -> None:
        """
        Do all that `solve` does but move nothing: what it costs without other ranks. Local.
        """

    @property
    def lines(self) -> LineSolver:
        """What moves the lines. Local."""

class ImplicitDiffusion:
    """Implicit horizontal diffusion of any even order."""

    def __init__(
        self,
        domain: Domain,
        partition: Partition,
        fields: Sequence[Field],
        strength: Sequence[float],
        spacing: Sequence[float],
        order: int,
        ends: Sequence[str],
        method: str,
        groups: int,
    ) -> None:
        """
        Check the filter, make the way to the lines and find the damping of each wave. Collective.
        """

    def apply(self) -> None:
        """
        Filter the owned cells of the fields. Local, but all ranks must do so; halos are stale afterwards.
        """

    @property
    def lines(self) -> LineSolver:
        """What moves the lines. Local."""

class LinkWork:
    """A message that is timed."""

    def __init__(self, pattern: str, way: str, layout: str, bytes: int) -> None:
        """
        `pattern`: ring or ping-pong; `way`: two-sided, push (MPI_Put) or pull (MPI_Get); `layout`: contiguous, strided (a double of every cache line, one message) or element-wise (a message per double). Local. Raises UserError for other names.
        """

class LinkTest:
    """Messages between ranks of a node, or between nodes, timed."""

    def __init__(self, domain: Domain, link: str, most_bytes: int, pool_bytes: int) -> None:
        """
        `link`: node (the ranks of each, all nodes at once) or network (a rank of each node). Messages of up to `most_bytes` walk through `pool_bytes` of memory. Collective over the domain. Raises UserError on all ranks for what cannot be, OutsideError when a rank lacks the memory.
        """

    def close(self) -> None:
        """Free communicators and windows. Collective."""

    @property
    def available(self) -> bool:
        """Whether any two ranks take part. The same on all ranks. Local."""

    @property
    def ranks(self) -> int:
        """Ranks of the ring that this one is part of. Local."""

    def time(self, work: LinkWork, rounds: int) -> float:
        """
        Seconds per message, a mean over `rounds`, of the slowest rank: of a round of a ring, of half a round of ping-pong. Collective over the domain. Raises UserError on all ranks for what cannot be.
        """

    def time_beside(
        self, work: LinkWork, communicate: bool, iterations: int, chunks: int, rounds: int
    ) -> float:
        """
        Seconds per round of a ring whose ranks compute `iterations` between start and end, in `chunks` after each of which MPI is called. Collective over the domain. Raises UserError on all ranks for what cannot be.
        """

    def time_left(self, work: LinkWork, seconds: float) -> float:
        """
        Seconds that a ring still needs when it was started and MPI not called for `seconds`: the largest of all ranks. Collective over the domain.
        """

    def time_start(self, work: LinkWork) -> float:
        """
        Seconds of the calls that start a message around a ring, receive and send: the largest of all ranks. Collective over the domain.
        """

    def completes_unmatched(self, bytes: int, seconds: float) -> bool:
        """
        Whether a send completes within `seconds` although no receive is posted. Collective over the domain.
        """

    def wrong_values(self, work: LinkWork) -> int:
        """
        Values of all ranks that are wrong after one round. Collective over the domain.
        """

def compute(iterations: int) -> float:
    """Multiply and add so often in registers; seconds. Local."""

class StreamCopy:
    """One array copied to another, or 19 to 19, cell by cell."""

    def __init__(self, arrays: int, values: int, huge_pages: bool) -> None:
        """
        Sets of 1 or 19 arrays of at least `values` doubles, on huge pages if the kernel gives them. Local. Raises UserError for other numbers, OutsideError without memory.
        """

    def run(self, loop: str) -> float:
        """
        Copy every value once; seconds. `loop`: literal, blocked, pieces or nontemporal. Local. Raises UserError for other names, and stores that this build has not.
        """

    def wrong_values(self) -> int:
        """Values that were not copied; forgets the copy. Local."""

    @property
    def bytes(self) -> int:
        """Bytes of one array. Local."""

    @property
    def huge_pages(self) -> bool:
        """Whether the kernel took the advice. Local."""

    @staticmethod
    def moved_arrays(loop: str, arrays: int) -> float:
        """
        Arrays that go to or from memory in a copy, write-allocate included. Local.
        """

def cache_share(processes: int) -> int:
    """
    Bytes of the last cache before memory for each of so many processes of this node. Local.
    """

def has_nontemporal_stores() -> bool:
    """Whether this build has stores that pass the caches. Local."""

def packing_costs(rounds: int) -> tuple[float, float]:
    """
    Seconds per byte, and per piece that lies in a row in memory, of copying pieces of a field to a message: the least of `rounds`. Local. Raises UserError for fewer than one round.
    """

def call_costs(domain: Domain, rounds: int) -> dict[str, float]:
    """
    Seconds of small calls by name, means over `rounds`, of the slowest rank. Collective over the domain. Raises UserError on all ranks for fewer than one round.
    """

def cart_reorders(domain: Domain, axes: int) -> bool:
    """
    Whether MPI_Cart_create with reorder gives any rank another number. Collective over the domain.
    """

def neighbor_collectives(domain: Domain, cartesian: bool, ranks: int) -> str:
    """
    What a neighbourhood collective gives on a periodic ring of the first `ranks` ranks: right, swapped, wrong or does not complete. Collective over the domain. Raises UserError on all ranks for more ranks than there are.
    """

def cuda_awareness() -> str:
    """yes, no or unknown, as MPIX_Query_cuda_support says. Local."""

def thread_level() -> str:
    """
    What MPI was started for: single, funneled, serialized, multiple. Local.
    """

class RankOutline:
    """What a rank does in the steps of its steady state, as numbers."""

    @property
    def rank(self) -> int:
        """The rank that it was made of."""

    @property
    def peers(self) -> list[int]:
        """Ranks that it exchanges messages with, ascending."""

    @property
    def stages(self) -> list[str]:
        """The distinct names of the stages."""

    @property
    def regions(self) -> list[Box]:
        """Boxes of stages that compute some cells only."""

    @property
    def unknown(self) -> list[str]:
        """Stages with work of all ranks, or loops, that tasks do not show."""

    @property
    def steps(self) -> int:
        """Steps after which all repeats."""

    @property
    def messages(self) -> float:
        """Messages sent per step."""

    @property
    def bytes(self) -> float:
        """Bytes sent per step."""

    @property
    def sent_to(self) -> dict[int, float]:
        """Bytes sent per step, by peer."""

    @property
    def exchanges(self) -> float:
        """Rounds of messages per step."""

    def compute_seconds(
        self, stages: Mapping[str, KernelCost], crowd: float, speed: float
    ) -> float:
        """
        What its kernels take per step, s, at the costs of stages by name. Local.
        """

def outline_of(step: Step, domain: Domain) -> RankOutline:
    """
    What the rank of the domain does in a step: the task lists and messages that it would run. Local.
    """

class KernelCost:
    """What a stage costs, s."""

    def __init__(self) -> None:
        """With what costs nothing. Local."""

    @property
    def cell(self) -> float:
        """s per cell"""

    @cell.setter
    def cell(self, arg: float, /) -> None: ...
    @property
    def row(self) -> float:
        """s per row of cells along x"""

    @row.setter
    def row(self, arg: float, /) -> None: ...
    @property
    def call(self) -> float:
        """s per box"""

    @call.setter
    def call(self, arg: float, /) -> None: ...
    @property
    def crowded(self) -> float:
        """times as long while all cores of the node compute"""

    @crowded.setter
    def crowded(self, arg: float, /) -> None: ...

class PackingCost:
    """What copies between fields and messages cost, s."""

    def __init__(self) -> None:
        """With what costs nothing. Local."""

    @property
    def byte(self) -> float:
        """s"""

    @byte.setter
    def byte(self, arg: float, /) -> None: ...
    @property
    def row(self) -> float:
        """s per piece that lies in a row in memory"""

    @row.setter
    def row(self, arg: float, /) -> None: ...

class MessageCost:
    """What messages cost on a link, s and bytes."""

    def __init__(self) -> None:
        """With what costs nothing. Local."""

    @property
    def latency(self) -> float:
        """of the link, s"""

    @latency.setter
    def latency(self, arg: float, /) -> None: ...
    @property
    def bandwidth(self) -> float:
        """of the link in the long run, bytes/s"""

    @bandwidth.setter
    def bandwidth(self, arg: float, /) -> None: ...
    @property
    def send(self) -> float:
        """s of the processor per message"""

    @send.setter
    def send(self, arg: float, /) -> None: ...
    @property
    def receive(self) -> float:
        """likewise"""

    @receive.setter
    def receive(self, arg: float, /) -> None: ...
    @property
    def send_byte(self) -> float:
        """s of the processor per byte"""

    @send_byte.setter
    def send_byte(self, arg: float, /) -> None: ...
    @property
    def receive_byte(self) -> float:
        """likewise"""

    @receive_byte.setter
    def receive_byte(self, arg: float, /) -> None: ...
    @property
    def poll(self) -> float:
        """s per call that asks what has arrived"""

    @poll.setter
    def poll(self, arg: float, /) -> None: ...
    @property
    def eager_limit(self) -> float:
        """bytes: longer messages ask the receiver first"""

    @eager_limit.setter
    def eager_limit(self, arg: float, /) -> None: ...
    @property
    def calls(self) -> bool:
        """ranks answer that in calls of MPI only"""

    @calls.setter
    def calls(self, arg: bool, /) -> None: ...
    @property
    def rate(self) -> float:
        """messages/s of a node"""

    @rate.setter
    def rate(self, arg: float, /) -> None: ...
    @property
    def burst(self) -> float:
        """bytes that a node sends at burst_bandwidth after a pause; 0: none"""

    @burst.setter
    def burst(self, arg: float, /) -> None: ...
    @property
    def burst_bandwidth(self) -> float:
        """bytes/s"""

    @burst_bandwidth.setter
    def burst_bandwidth(self, arg: float, /) -> None: ...
    @property
    def noise(self) -> float:
        """s, mean of what a message is late"""

    @noise.setter
    def noise(self, arg: float, /) -> None: ...
    @property
    def bandwidth_by_size(self) -> list[list[float]]:
        """bytes and bytes/s, ascending"""

    @bandwidth_by_size.setter
    def bandwidth_by_size(self, arg: Sequence[Sequence[float]], /) -> None: ...

class NetworkShape:
    """How nodes are connected: on one switch, if it says nothing else."""

    def __init__(self) -> None:
        """One switch. Local."""

    @property
    def groups(self) -> list[int]:
        """Of each node, where groups of them have a switch each."""

    @groups.setter
    def groups(self, arg: Sequence[int], /) -> None: ...
    @property
    def group_links(self) -> list[list[float]]:
        """Latency, s, and bandwidth, bytes/s, of the nodes of each."""

    @group_links.setter
    def group_links(self, arg: Sequence[Sequence[float]], /) -> None: ...
    @property
    def torus(self) -> list[int]:
        """Nodes along each axis of a torus."""

    @torus.setter
    def torus(self, arg: Sequence[int], /) -> None: ...
    @property
    def tree_down(self) -> list[int]:
        """What each level of switches of a fat tree has below."""

    @tree_down.setter
    def tree_down(self, arg: Sequence[int], /) -> None: ...
    @property
    def tree_up(self) -> list[int]:
        """What each has above, from the nodes on."""

    @tree_up.setter
    def tree_up(self, arg: Sequence[int], /) -> None: ...

class ForecastMachine:
    """The machine as a forecast sees it."""

    def __init__(self) -> None:
        """Without links. Local."""

    @property
    def links(self) -> dict[str, MessageCost]:
        """Costs by link: node, network, joint."""

    @links.setter
    def links(self, arg: Mapping[str, MessageCost], /) -> None: ...
    @property
    def shape(self) -> NetworkShape:
        """How nodes are connected."""

    @shape.setter
    def shape(self, arg: NetworkShape, /) -> None: ...
    @property
    def packing(self) -> PackingCost:
        """Of all messages."""

    @packing.setter
    def packing(self, arg: PackingCost, /) -> None: ...
    @property
    def nodes_share(self) -> bool:
        """Whether messages within a node share its bandwidth."""

    @nodes_share.setter
    def nodes_share(self, arg: bool, /) -> None: ...
    @property
    def eager(self) -> float:
        """bytes: longer messages leave once their receive is posted."""

    @eager.setter
    def eager(self, arg: float, /) -> None: ...
    @property
    def detached(self) -> float:
        """bytes: sends of longer ones end when they have arrived."""

    @detached.setter
    def detached(self, arg: float, /) -> None: ...

class ForecastRank:
    """Which outline a rank follows, and where it runs."""

    def __init__(
        self, outline: int, node: int, crowd: float, speed: float, peers: Sequence[int]
    ) -> None:
        """
        `crowd`: the share of the other cores of the node that compute; `peers`: in place of the outline's. Local.
        """

class ForecastWait:
    """For whom a rank waited."""

    @property
    def what(self) -> str:
        """The fields that it waited for, or the stage."""

    @property
    def peer(self) -> int:
        """Whose message came last; -1: nobody's."""

    @property
    def seconds(self) -> float:
        """Per step."""

class RankTimes:
    """Where the time of a rank goes, s per step."""

    @property
    def compute(self) -> float:
        """Of stages."""

    @property
    def messages(self) -> float:
        """Packing, sending, receiving and unpacking."""

    @property
    def waiting(self) -> float:
        """With nothing to do."""

    @property
    def waits(self) -> list[ForecastWait]:
        """For what and whom, the longest first."""

class Forecast:
    """What steps would take."""

    @property
    def step(self) -> float:
        """s, of the slowest rank."""

    @property
    def ranks(self) -> list[RankTimes]:
        """Of every rank."""

    @property
    def events(self) -> int:
        """Of the forecast."""

def forecast(
    outlines: Sequence[RankOutline],
    stages: Mapping[str, KernelCost],
    machine: ForecastMachine,
    ranks: Sequence[ForecastRank],
    warm_up: int,
    steps: int,
) -> Forecast:
    """
    Run the events of all ranks in simulated time, `steps` steps after `warm_up` that do not count. Local. Raises UserError where a rank sends what its peer does not receive. Cost: about a microsecond per event.
    """

def version() -> str:
    """The version of the C++ library. Local."""

def mpi_library_version() -> str:
    """
    What the MPI library that the extension is linked to says about itself. Local; may be called before MPI is initialised.
    """

def unlink_shared_files() -> None:
    """
    Take the names of MPICH's files in /dev/shm, so that a killed job leaves none. Local; after a barrier that follows MPI_Init on all ranks.
    """

def communicator_size(communicator: object) -> int:
    """The number of ranks of an mpi4py communicator. Local."""
