#pragma once
// The advection of a tracer in three dimensions, as work to simulate.

#include "work.hpp"

namespace lapwing_simulate {

// Gyres that differ from layer to layer, and a tracer that is different in every cell. Collective.
std::unique_ptr<Work> make_tracer_work(lapwing::Domain& domain, const Request& request, const std::string& method);

}  // namespace lapwing_simulate
