#pragma once
// The coast model in two dimensions, as work to simulate.

#include "work.hpp"

namespace lapwing_simulate {

// The sea of the request, in motion from the start. Collective.
std::unique_ptr<Work> make_coast_work(lapwing::Domain& domain, const Request& request, const std::string& method);

}  // namespace lapwing_simulate
