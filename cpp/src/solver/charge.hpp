#pragma once
// Work on lines takes simulated time.

#include "lapwing/base/simulated.hpp"
#include "lapwing/solver/line_solver.hpp"

namespace lapwing {

// Charges the cost that machine files give for `stage`. Local; nothing where nothing is simulated.
inline void charge(const char* stage, const Lines& lines) {
    if constexpr (simulated) charge_cells(stage, lines.points * lines.count, lines.count);
}

}  // namespace lapwing
