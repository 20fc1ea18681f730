#include <nanobind/ndarray.h>
#include <nanobind/operators.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "lapwing/grid/extent.hpp"
#include "lapwing/grid/mask.hpp"
#include "lapwing/partition/partition.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

using WetArray = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

void bind_box(nb::module_& m) {
    nb::class_<Box>(m, "Box", "Half-open ranges of global indices: lo <= (i, j, k) < hi.")
        .def(nb::init<>(), "The empty box.")
        .def(
            "__init__", [](Box* self, Index3 lo, Index3 hi) { new (self) Box{lo, hi}; }, "lo"_a, "hi"_a,
            "The cells from `lo` up to, not including, `hi`. Local.")
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
    nb::class_<Extent>(m, "Extent", "How far a stencil reads beyond its cell, per axis and side.")
        .def(
            "__init__",
            [](Extent* self, std::array<int, 3> lo, std::array<int, 3> hi, bool corners) {
                new (self) Extent{lo, hi, corners};
            },
            "lo"_a = std::array<int, 3>{0, 0, 0}, "hi"_a = std::array<int, 3>{0, 0, 0}, "corners"_a = true,
            "Cells below and above per axis, and whether the corners between them are read. Local.")
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
    nb::class_<Grid>(m, "Grid", "How many cells a model has, and which axes close on themselves.")
        .def(
            "__init__",
            [](Grid* self, Index3 size, std::array<bool, 3> periodic) {
                new (self) Grid{size, periodic};
                check(*self);
            },
            "size"_a, "periodic"_a = std::array<bool, 3>{false, false, false},
            "A grid of three axes. Local. Raises UserError for a size below 1, or more cells than 64 bits count.")
        .def_ro("size", &Grid::size, "Cells per axis.")
        .def_ro("periodic", &Grid::periodic, "Whether each axis closes on itself.")
        .def_prop_ro("box", &Grid::box, "All cells.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Grid& g) { return "Grid(" + to_string(g) + ")"; });
    nb::class_<Mask>(m, "Mask", "Which columns of a grid are wet.")
        .def(
            "__init__",
            [](Mask* self, WetArray wet) { new (self) Mask(wet.shape(0), wet.shape(1), {wet.data(), wet.size()}); },
            "wet"_a, "Count the wet columns of an array [nx, ny]. Local. Raises UserError when none is wet.")
        .def_prop_ro(
            "shape", [](const Mask& mask) { return std::pair(mask.nx(), mask.ny()); }, "Columns along x and y.")
        .def("count", &Mask::count, "box"_a, "Number of wet columns in the box.")
        .def("wet", &Mask::wet, "i"_a, "j"_a, "Whether column (i, j) is wet.")
        .def("wet_bounds", &Mask::wet_bounds, "box"_a, "Smallest box around the wet columns of `box`.");
}

}  // namespace

void lapwing::python::bind_partition(nb::module_& m) {
    bind_box(m);
    bind_extent(m);
    bind_grid(m);
    nb::class_<Subdomain>(m, "Subdomain", "One owned box and its rank.")
        .def(
            "__init__", [](Subdomain* self, int rank, const Box& box) { new (self) Subdomain{rank, box}; }, "rank"_a,
            "box"_a, "The box and who owns it; checked when a partition is made. Local.")
        .def_ro("rank", &Subdomain::rank, "The rank that owns the box.")
        .def_ro("box", &Subdomain::box, "The cells, in global indices.")
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__repr__", [](const Subdomain& s) {
            return "Subdomain(rank " + std::to_string(s.rank) + ", " + to_string(s.box) + ")";
        });
    nb::class_<Partition>(m, "Partition", "Who owns which box of a grid.")
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
    m.def("trimmed", &trimmed, "partition"_a, "mask"_a,
          "Shrink every box to the bounds of its wet cells. Local. Raises UserError when a box has none, or the mask "
          "another size than the grid.");
}
