#pragma once
// Finding the first value of a model state that cannot be: not finite, or no water left.

#include <optional>
#include <span>

#include "lapwing/exchange/field.hpp"
#include "lapwing/mpi/bad_cell.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing_coast {

// A field and the lowest value allowed in a cell: the negative of `floor`, where that is given and positive there.
struct Checked {
    lapwing::Field<double> field;
    std::optional<lapwing::Field<double>> floor{};
};

// Throws StateError on all ranks when a value is not finite or not above its floor, naming step,
// field, global index, rank and value of the first such value (in the order of `checked`, then by
// rows): the same cell for any number of ranks. `drying`: whether the model has it on, which is the remedy where water
// is missing otherwise. Collective; one reduction when all is well.
void check_state(const lapwing::Domain& domain, std::span<const Checked> checked, lapwing::Index step_number,
                 bool drying);

}  // namespace lapwing_coast
