// lapwing_bench._core: glue without logic.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "coast/division_rate.hpp"
#include "exchange/hand_method.hpp"
#include "exchange/lapwing_method.hpp"
#include "lapwing/mpi/domain.hpp"
#include "overlap/overlap_module.hpp"
#include "pack/pack_bench.hpp"
#include "transpose/transpose_module.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing::bench;
using lapwing::Domain;

namespace {

using Array3 = nb::ndarray<double, nb::ndim<3>, nb::device::cpu>;

// Arrays [x, y, z] with halo that Python holds.
void wrap_arrays(WorkArrays* self, const ExchangeWork& work, const std::vector<Array3>& arrays) {
    std::vector<double*> origins;
    lapwing::Index3 strides{};
    for (const Array3& array : arrays) {
        for (std::size_t a = 0; a < 3; ++a) strides[a] = array.stride(a);
        origins.push_back(array.data() + work.width * (strides[0] + strides[1]));
    }
    new (self) WorkArrays(work, std::move(origins), strides);
}

void bind_work(nb::module_& module) {
    nb::class_<ExchangeWork>(module, "ExchangeWork",
                             "Fields of nx x ny cells per rank, both axes periodic, corners, float64.")
        .def(nb::init<int, int, int, int, int, std::array<int, 2>, bool>(), "nx"_a, "ny"_a, "levels"_a, "fields"_a,
             "width"_a, "blocks"_a, "levels_fastest"_a,
             "`levels` 0: 2D fields; `width` of the halo in cells; `blocks`: ranks along x and y. Local.")
        .def_ro("nx", &ExchangeWork::nx, "Cells of a rank along x.")
        .def_ro("ny", &ExchangeWork::ny, "Cells of a rank along y.")
        .def_ro("levels", &ExchangeWork::levels, "Levels; 0: a 2D field.")
        .def_ro("fields", &ExchangeWork::fields, "Number of fields.")
        .def_ro("width", &ExchangeWork::width, "Width of the halo in cells.")
        .def_ro("blocks", &ExchangeWork::blocks, "Ranks along x and y.")
        .def_ro("levels_fastest", &ExchangeWork::levels_fastest, "Whether levels are contiguous in memory, else x.")
        .def_prop_ro("halo_bytes", &ExchangeWork::halo_bytes, "Bytes of all halos of a rank. Local.");
    nb::class_<WorkArrays>(module, "WorkArrays", "The arrays of a method that is written in Python.")
        .def("__init__", &wrap_arrays, "work"_a, "arrays"_a, nb::keep_alive<1, 3>(),
             nb::sig("def __init__(self, work: ExchangeWork, "
                     "arrays: collections.abc.Sequence[numpy.typing.NDArray[numpy.float64]]) -> None"),
             "Use arrays [x, y, z] with halo in place, one per field, all with the same strides. Local.")
        .def("touch", &WorkArrays::touch, "Rewrite the cells that a neighbour reads. Local.")
        .def("fill", &WorkArrays::fill, "rank"_a, "Numbers that name their place; NaN in the halos. Local.")
        .def("wrong_cells", &WorkArrays::wrong_cells, "rank"_a,
             "Cells that do not hold what they should after `fill` and an exchange. Local.");
}

void bind_methods(nb::module_& module) {
    nb::class_<Method>(module, "Method", "One way to do the exchange of a work item.")
        .def(
            "sample",
            [](Method& method, const Domain& domain, int rounds) {
                const Sample taken = sample(domain.comm(), method, rounds);
                return std::pair{taken.with, taken.without};
            },
            "domain"_a, "rounds"_a,
            "Seconds per round of rewriting edges and exchanging, and of rewriting alone: means over `rounds`, of the "
            "slowest rank. Collective.")
        .def(
            "wrong_cells", [](Method& method, const Domain& domain) { return wrong_cells(domain.comm(), method); },
            "domain"_a, "Cells of all ranks that are wrong after one exchange. Collective.");
    module.def(
        "hand_method",
        [](const Domain& domain, const ExchangeWork& work, bool combined) -> std::unique_ptr<Method> {
            return std::make_unique<HandMethod>(domain.comm(), work, combined);
        },
        "domain"_a, "work"_a, "combined"_a, nb::keep_alive<0, 1>(),
        "The exchange written by hand: one message per neighbour rank, or per field and direction. Local.");
    module.def(
        "copy_limit",
        [](const ExchangeWork& work) -> std::unique_ptr<Method> { return std::make_unique<CopyLimit>(work); }, "work"_a,
        "Every halo cell of a rank copied once between two arrays, without messages. Local.");
    module.def(
        "lapwing_method",
        [](Domain& domain, const ExchangeWork& work, const std::string& transport, bool wrapped,
           bool separate) -> std::unique_ptr<Method> {
            return std::make_unique<LapwingMethod>(domain, work, LapwingMethod::Options{transport, wrapped, separate});
        },
        "domain"_a, "work"_a, "transport"_a, "wrapped"_a = false, "separate"_a = false, nb::keep_alive<0, 1>(),
        "The exchange through lapwing, on its own or (`wrapped`) the caller's memory; `separate`: an exchange per "
        "field. Collective. Raises UserError where the transport is not to be had.");
}

}  // namespace

NB_MODULE(_core, module) {
    nb::set_leak_warnings(false);                // why: python/src/module.cpp
    nb::module_::import_("lapwing.core._core");  // the type of Domain
    bind_work(module);
    bind_methods(module);
    bind_overlap(module);
    bind_transpose(module);
    module.def(
        "time_divisions", lapwing::bench::time_divisions, "repeats"_a,
        "Seconds per division, and per square root, of doubles that wait for nothing else: vectors of them from the "
        "nearest cache. Local.");
    module.def("pack_works", lapwing::bench::pack_works, "Names of the works of `time_pack`. Local.");
    module.def("time_pack", lapwing::bench::time_pack, "work"_a, "samples"_a,
               "Seconds per call of pack, unpack and memcpy, raw samples, and the bytes of a call. Local.");
}
