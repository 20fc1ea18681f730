#pragma once
// The first cell of a model's state from which a run cannot continue: the same on any number of ranks.

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

#include "lapwing/grid/box.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// A run cannot continue from the state of a model. The same text on all ranks.
struct StateError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A value of a cell; true if it is a bad one.
struct CellAnswer {
    double value = 0.0;
    bool bad = false;
};

// The check of every owned cell of a field's boxes; a field with levels has a cell in each level.
struct CellQuestion {
    std::string name;                 // name of the value for users
    const AnyField* where = nullptr;  // field whose owned cells are checked
    std::function<std::function<CellAnswer(const Index3&)>(int block)> of_block;
};

// The first bad cell that was found: the check that it failed, its value and its place.
struct BadCell {
    std::size_t question = 0;
    double value = 0.0;
    std::string text;  // "NAME = VALUE at step N, cell (I, J, K), rank R"
};

// Returns the first cell that fails a check, by check, then by levels and rows; none: all is well. Collective; one
// reduction when all is well.
std::optional<BadCell> first_bad_cell(const Domain& domain, std::span<const CellQuestion> questions, Index step_number);

}  // namespace lapwing
