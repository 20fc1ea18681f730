#pragma once
// The first cell of a model's state that cannot be gone on with: the same on any number of ranks.

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// The state of a model cannot be gone on with. The same text on all ranks.
struct StateError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A value of a cell, and whether it is a bad one.
struct CellAnswer {
    double value = 0.0;
    bool bad = false;
};

// The question asked of every owned cell of a field's boxes; a field with levels has a cell in each.
struct CellQuestion {
    std::string name;                 // of the value, as people know it
    const AnyField* where = nullptr;  // whose owned cells are asked
    std::function<std::function<CellAnswer(const Index3&)>(int block)> of_block;
};

// The first bad cell that was found: which question, its value and its place.
struct BadCell {
    std::size_t question = 0;
    double value = 0.0;
    std::string text;  // "NAME = VALUE at step N, cell (I, J, K), rank R"
};

// The first badly answered cell, by question, then by levels and rows; none: all is well. Collective; one reduction
// when all is well.
std::optional<BadCell> first_bad_cell(const Domain& domain, std::span<const CellQuestion> questions, Index step_number);

}  // namespace lapwing
