#pragma once
// What every model of this folder asks of its set-up; all throw UserError with the four parts. Local.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lapwing/mpi/domain.hpp"

namespace lapwing_coast {

// A number as it is shown to people.
std::string text(double value);

// One level, and a depth of 0 or more for each cell, somewhere more.
void check_depth(const lapwing::Domain& domain, std::span<const double> depth);

// No axis that closes on itself.
void require_closed(const lapwing::Domain& domain);

void require_positive(std::string_view name, double value, std::string_view unit);

}  // namespace lapwing_coast
