#pragma once
// Checks of the set-up of this folder's models; all throw UserError with the four parts. Local.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lapwing/mpi/domain.hpp"

namespace lapwing_coast {

struct Boundary;
struct CoastSettings;
struct LayerSettings;

// A number in readable form.
std::string text(double value);

// One level, and a depth of 0 or more for each cell, somewhere more.
void check_depth(const lapwing::Domain& domain, std::span<const double> depth);

// No axis that closes on itself.
void require_closed(const lapwing::Domain& domain);

// Settings that make sense, and a time step that water of the `deepest` depth (m) allows.
void check_settings(const CoastSettings& settings, double deepest);
void check_settings(const LayerSettings& settings);

// Cells of the grid, with a value of each tide for every one.
void check_boundaries(const lapwing::Domain& domain, std::span<const Boundary> boundaries);

void require_positive(std::string_view name, double value, std::string_view unit);

}  // namespace lapwing_coast
