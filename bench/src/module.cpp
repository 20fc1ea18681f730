// lapwing_bench._core: glue without logic.
#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "exchange_bench.hpp"
#include "lapwing/domain.hpp"
#include "pack_bench.hpp"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_core, module) {
    nb::set_leak_warnings(false);           // why: python/src/module.cpp
    nb::module_::import_("lapwing._core");  // the type of Domain
    module.def("pack_works", lapwing::bench::pack_works, "Names of the works of `time_pack`. Local.");
    module.def("time_pack", lapwing::bench::time_pack, "work"_a, "samples"_a,
               "Seconds per call of pack, unpack and memcpy, raw samples, and the bytes of a call. Local.");
    module.def(
        "time_exchange",
        [](const lapwing::Domain& domain, int nx, int ny, int levels, int fields, int width, int samples, int repeats) {
            const lapwing::bench::ExchangeWork work{nx, ny, levels, fields, width};
            return lapwing::bench::time_exchange(domain.comm(), work, samples, repeats);
        },
        "domain"_a, "nx"_a, "ny"_a, "levels"_a, "fields"_a, "width"_a, "samples"_a, "repeats"_a,
        "Seconds per exchange by method, raw samples. Collective.");
}
