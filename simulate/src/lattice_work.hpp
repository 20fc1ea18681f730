#pragma once
// The lattice model, on two lattices or in place, as work to simulate.

#include "work.hpp"

namespace lapwing_simulate {

// The fluid of the request, in motion from the start. Collective.
std::unique_ptr<Work> make_lattice_work(lapwing::Domain& domain, const Request& request, const std::string& method);

}  // namespace lapwing_simulate
