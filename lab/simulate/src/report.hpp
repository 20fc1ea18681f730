#pragma once
// The results of the driver as JSON, which `lapwing simulate` completes.

#include <string>
#include <vector>

#include "measure.hpp"

namespace lapwing_simulate {

// Throws OutsideError when the file cannot be written. Local.
void write_report(const std::string& path, const std::vector<Measured>& results);

}  // namespace lapwing_simulate
