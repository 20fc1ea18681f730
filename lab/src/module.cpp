// lapwing_lab._core: glue without logic.
#include "bindings.hpp"

NB_MODULE(_core, module) {
    using namespace lapwing::bench;
    nb::set_leak_warnings(false);                // why: python/src/module.cpp
    nb::module_::import_("lapwing.core._core");  // the types of Domain and Step
    bind_acoustic(module);
    bind_diffusion(module);
    bind_exchange(module);
    bind_miniweather(module);
    bind_overlap(module);
    bind_shallow(module);
    bind_transpose(module);
    bind_by_hand(module);
    bind_stages(module);
    lapwing::lab::bind_forecast(module);
    lapwing::lab::bind_probe(module);
}
