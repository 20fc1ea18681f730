#pragma once
// Checks of the set-up of this folder's models; all throw UserError with the four parts. Local.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lapwing/mpi/domain.hpp"

namespace lapwing_coast {

struct Boundary;
struct CellMetrics;
struct Inflow;
struct CoastSettings;
struct LayerSettings;

// A number in readable form.
std::string text(double value);

// One level, and a depth of 0 or more for each cell, somewhere more.
void check_depth(const lapwing::Domain& domain, std::span<const double> depth);

// No axis that closes on itself.
void require_closed(const lapwing::Domain& domain);

// Nothing, or a spacing above 0 and a Coriolis parameter for each cell of the grid.
void check_metrics(const lapwing::Domain& domain, const CellMetrics& metrics);

// Rivers into wet cells of the grid, and finite rates, one per time where there are several.
void check_inflow(const lapwing::Domain& domain, const Inflow& inflow, std::span<const double> depth);

// Settings that make sense, and a time step that water of these depths (m) allows.
void check_settings(const CoastSettings& settings, std::span<const double> depth, const CellMetrics& metrics);
void check_settings(const LayerSettings& settings);

// Cells of the grid, with a value of each tide for every one.
void check_boundaries(const lapwing::Domain& domain, std::span<const Boundary> boundaries);

void require_positive(std::string_view name, double value, std::string_view unit);

}  // namespace lapwing_coast
