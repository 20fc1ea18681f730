#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/mask.hpp"
#include "lapwing/partition/partition.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;
using lapwing::python::bind_pickle;

namespace {

// Two numbers count for x and y, with `z` for the third.
template <class Number>
std::array<Number, 3> of_axes(const std::vector<Number>& given, Number z) {
    if (given.size() != 2 && given.size() != 3)
        user_error("numbers of axes", std::to_string(given.size()), "2 (x, y) or 3 (x, y, z)", "give one per axis");
    return {given[0], given[1], given.size() == 3 ? given[2] : z};
}

// A bit per column, x fastest: an eighth of a byte per cell.
std::vector<unsigned char> bits_of(const Mask& mask) {
    std::vector<unsigned char> bits((mask.nx() * mask.ny() + 7) / 8);
    for (Index at = 0; at < mask.nx() * mask.ny(); ++at)
        if (mask.wet(at % mask.nx(), at / mask.nx()))
            bits[at / 8] = static_cast<unsigned char>(bits[at / 8] | 1u << at % 8);
    return bits;
}

Mask mask_of(Index nx, Index ny, const nb::bytes& bits) {
    const Index most = Index{1} << 31;
    if (nx < 1 || ny < 1 || nx > most || ny > most || static_cast<Index>(bits.size()) != (nx * ny + 7) / 8)
        user_error("pickled Mask", concat(bits.size(), " bytes"),
                   concat("a bit for each of ", nx, " x ", ny, " columns"),
                   "pickle it with the same version that reads it");
    std::vector<std::uint8_t> wet(nx * ny);
    const auto* packed = static_cast<const unsigned char*>(bits.data());
    for (Index at = 0; at < nx * ny; ++at) wet[at] = packed[at / 8] >> at % 8 & 1;
    return {nx, ny, wet};
}

using Ranges = std::vector<std::pair<Index, Index>>;
using Counts = nb::ndarray<nb::numpy, Index, nb::ndim<2>>;

// The wet columns of the box of each two ranges, [x, y].
Counts counts_of(const Mask& mask, const Ranges& x, const Ranges& y) {
    auto* counts = new std::vector<Index>;
    nb::capsule owner(counts, [](void* p) noexcept { delete static_cast<std::vector<Index>*>(p); });
    counts->reserve(x.size() * y.size());
    for (const auto& [west, east] : x) {
        for (const auto& [south, north] : y) counts->push_back(mask.count({{west, south, 0}, {east, north, 1}}));
    }
    return {counts->data(), {x.size(), y.size()}, owner};
}

using WetArray = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

void bind_box(nb::module_& m) {
    nb::class_<Box> box(m, "Box", "Half-open ranges of global indices: lo <= (i, j, k) < hi.");
    bind_pickle<Index3, Index3>(box, [](const Box& b) { return std::tuple(b.lo, b.hi); });
    box.def(nb::init<>(), "The empty box.")
        .def(
            "__init__",
            [](Box* self, const std::vector<Index>& lo, const std::vector<Index>& hi) {
                new (self) Box{of_axes<Index>(lo, 0), of_axes<Index>(hi, 1)};
            },
            "lo"_a, "hi"_a,
            "The cells from `lo` up to, not including, `hi`: three numbers each, or two on a grid without a z axis. "
            "Local. Raises UserError for any other number of them.")
        .def_ro("lo", &Box::lo, "First index per axis.")
        .def_ro("hi", &Box::hi, "One past the last index per axis.")
        .def_prop_ro(
            "shape", [](const Box& b) { return Index3{b.size(0), b.size(1), b.size(2)}; }, "Cells per axis.")
        .def_prop_ro("volume", &Box::volume, "Number of cells.")
        .def_prop_ro("empty", &Box::empty, "Whether the box has no cell.")
        .def("contains", nb::overload_cast<const Box&>(&Box::contains, nb::const_), "other"_a,
             "Whether every cell of `other` is in this box.")
        .def(
            "intersect", [](const Box& a, const Box& b) { return intersect(a, b); }, "other"_a,
            "The cells in both boxes.")
        .def(
            "subtract", [](const Box& a, const Box& b) { return subtract(a, b); }, "other"_a,
            "The cells that are not in `other`, as disjoint boxes.")
        .def(
            "shift", [](const Box& b, Index x, Index y, Index z) { return shift(b, {x, y, z}); }, "x"_a = 0, "y"_a = 0,
            "z"_a = 0, "The box moved by that many cells.")
        .def(
            "grow", [](const Box& b, const Extent& e) { return grow(b, e); }, "extent"_a,
            "The box with the halo of an extent.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def(
            "__hash__",
            [](const Box& b) { return nb::hash(nb::make_tuple(b.lo[0], b.lo[1], b.lo[2], b.hi[0], b.hi[1], b.hi[2])); })
        .def("__repr__", [](const Box& b) { return "Box" + to_string(b); });
}

void bind_extent(nb::module_& m) {
    nb::class_<Extent> extent(m, "Extent", "How far a stencil reads beyond its cell, per axis and side.");
    using Widths = std::array<int, 3>;
    bind_pickle<Widths, Widths, bool>(extent, [](const Extent& e) { return std::tuple(e.lo, e.hi, e.corners); });
    extent
        .def(
            "__init__",
            [](Extent* self, const std::vector<int>& lo, const std::vector<int>& hi, bool corners) {
                new (self) Extent{of_axes<int>(lo, 0), of_axes<int>(hi, 0), corners};
            },
            "lo"_a = std::vector<int>{0, 0, 0}, "hi"_a = std::vector<int>{0, 0, 0}, "corners"_a = true,
            "Cells below and above per axis, three or two of them, and whether the corners between them are read. "
            "Local. Raises UserError for any other number of axes.")
        .def_static("horizontal", &Extent::horizontal, "width"_a, "width cells in x and y, with corners.")
        .def_static("uniform", &Extent::uniform, "width"_a, "width cells along all axes, with corners.")
        .def_static("cross", &Extent::cross, "width"_a, "width cells in x and y, no corners.")
        .def_ro("lo", &Extent::lo, "Cells towards lower indices per axis.")
        .def_ro("hi", &Extent::hi, "Cells towards higher indices per axis.")
        .def_ro("corners", &Extent::corners, "Whether cells that are off along two axes are read.")
        .def("covers", &covers, "inner"_a, "Whether a halo of this extent serves a stencil of `inner`.")
        .def("unite", &unite, "other"_a, "The smallest extent that holds both.")
        .def(
            "boxes", [](const Extent& e, const Box& b) { return stencil_boxes(b, e); }, "box"_a,
            "The cells read from `box`, as boxes that overlap in it alone.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Extent& e) { return "Extent(" + to_string(e) + ")"; });
}

void bind_grid(nb::module_& m) {
    nb::class_<Grid> grid(m, "Grid", "How many cells a model has, and which axes close on themselves.");
    const auto made = [](Index3 size, std::array<bool, 3> periodic, const std::string& north_fold, const Faces& faces) {
        const Grid one{size, periodic, north_fold_from(north_fold), faces};
        check(one);
        return one;
    };
    const auto fold_of = [](const Grid& g) { return std::string(to_string(g.north_fold)); };
    bind_pickle<Index3, std::array<bool, 3>, std::string, Faces>(
        grid, [fold_of](const Grid& g) { return std::tuple(g.size, g.periodic, fold_of(g), g.faces); }, made);
    grid.def(
            "__init__",
            [made](Grid* self, Index3 size, std::array<bool, 3> periodic, const std::string& north_fold,
                   const std::optional<Faces>& faces) {
                new (self) Grid(made(size, periodic, north_fold, faces.value_or(Faces())));
            },
            "size"_a, "periodic"_a = std::array<bool, 3>{false, false, false}, "north_fold"_a = "none",
            "faces"_a = nb::none(),
            "A grid of three axes. Local. Raises UserError for a size below 1, more cells than 64 bits count, or a "
            "north fold or faces that do not fit.")
        .def_ro("size", &Grid::size, "Cells per axis.")
        .def_ro("periodic", &Grid::periodic, "Whether each axis closes on itself.")
        .def_prop_ro("north_fold", fold_of, "The points that the north fold passes through: T, F or none.")
        .def_ro("faces", &Grid::faces, "The faces that it is made of, side by side along x; count 0: an ordinary grid.")
        .def_prop_ro("box", &Grid::box, "All cells.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Grid& g) { return "Grid(" + to_string(g) + ")"; });
    nb::class_<Mask> mask(m, "Mask", "Which columns of a grid are wet.");
    bind_pickle<Index, Index, nb::bytes>(
        mask,
        [](const Mask& one) {
            const std::vector<unsigned char> bits = bits_of(one);
            return std::tuple(one.nx(), one.ny(), nb::bytes(bits.data(), bits.size()));
        },
        mask_of);
    mask.def(
            "__init__",
            [](Mask* self, WetArray wet) { new (self) Mask(wet.shape(0), wet.shape(1), {wet.data(), wet.size()}); },
            "wet"_a, "Count the wet columns of an array [nx, ny]. Local. Raises UserError when none is wet.")
        .def_prop_ro(
            "shape", [](const Mask& one) { return std::pair(one.nx(), one.ny()); }, "Columns along x and y.")
        .def("count", &Mask::count, "box"_a, "Number of wet columns in the box.")
        .def("counts", &counts_of, "x"_a, "y"_a,
             "Wet columns of many boxes: an array [x, y] of numbers, for the half-open ranges of columns `x` and `y`. "
             "Local. What lies outside the grid is dry.")
        .def("wet", &Mask::wet, "i"_a, "j"_a, "Whether column (i, j) is wet.")
        .def("wet_bounds", &Mask::wet_bounds, "box"_a, "Smallest box around the wet columns of `box`.")
        .def(
            "__eq__", [](const Mask& a, const Mask& b) { return a.nx() == b.nx() && bits_of(a) == bits_of(b); },
            nb::is_operator(), nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

}  // namespace

void lapwing::python::bind_partition(nb::module_& m) {
    bind_box(m);
    bind_extent(m);
    bind_grid(m);
    nb::class_<Subdomain> subdomain(m, "Subdomain", "One owned box and its rank.");
    bind_pickle<int, Box>(subdomain, [](const Subdomain& s) { return std::tuple(s.rank, s.box); });
    subdomain
        .def(
            "__init__", [](Subdomain* self, int rank, const Box& box) { new (self) Subdomain{rank, box}; }, "rank"_a,
            "box"_a, "The box and who owns it; checked when a partition is made. Local.")
        .def_ro("rank", &Subdomain::rank, "The rank that owns the box.")
        .def_ro("box", &Subdomain::box, "The cells, in global indices.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Subdomain& s) {
            return "Subdomain(rank " + std::to_string(s.rank) + ", " + to_string(s.box) + ")";
        });
    nb::class_<Partition> partition(m, "Partition", "Who owns which box of a grid.");
    bind_pickle<Grid, int, std::vector<Subdomain>>(
        partition, [](const Partition& p) { return std::tuple(p.grid(), p.ranks(), p.subdomains()); });
    partition
        .def(
            nb::init<Grid, int, std::vector<Subdomain>>(), "grid"_a, "ranks"_a, "subdomains"_a,
            "Take any set of boxes. Local. Raises UserError when a rank is outside, a box is empty or leaves the grid, "
            "or two overlap.")
        .def_prop_ro("grid", &Partition::grid, "The grid that is cut.")
        .def_prop_ro("ranks", &Partition::ranks, "Number of ranks.")
        .def_prop_ro("subdomains", &Partition::subdomains, "All boxes with their ranks, in the order of their numbers.")
        .def_prop_ro("aligned", &Partition::aligned, "Whether the boxes lie between one set of cuts per axis.")
        .def("subdomains_of", &Partition::subdomains_of, "rank"_a,
             "Numbers of the subdomains of a rank. Local. Raises UserError for a rank outside the partition.")
        .def("overlapping", &Partition::overlapping, "box"_a, "Numbers of the subdomains that meet the box.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Partition& p) { return "Partition(" + to_string(p) + ")"; });
    m.def("block_range", &block_range, "n"_a, "parts"_a, "part"_a,
          "The half-open range of part `part` when n cells are cut into `parts`; the larger parts come first. Local.");
    m.def("best_blocks", &best_blocks, "grid"_a, "ranks"_a, "width"_a = 1,
          "Blocks per axis with the least halo per block. Local. Raises UserError when no factorisation fits.");
    m.def(
        "block_partition", &block_partition, "grid"_a, "blocks"_a,
        "Cut a grid into blocks, one per rank, x varying fastest. Local. Raises UserError when an axis has fewer cells "
        "than blocks.");
    m.def("best_partition", &best_partition, "grid"_a, "ranks"_a, "width"_a = 1,
          "The best blocks of a grid, one per rank; on a grid of faces equal blocks that cut each face alike, several "
          "to a rank where need be. Local. Raises UserError when no factorisation fits.");
    m.def("trimmed", &trimmed, "partition"_a, "mask"_a,
          "Shrink every box to the bounds of its wet cells. Local. Raises UserError when a box has none, or the mask "
          "another size than the grid.");
}
