#include "lapwing/mpi/bad_cell.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "lapwing/mpi/reduction.hpp"

namespace lapwing {

namespace {

constexpr Index none = std::numeric_limits<Index>::max();

// Cells are numbered by rows, then by levels.
struct Numbering {
    Index3 size;
    bool flat;  // true if the grid has no z axis

    Numbering(const Grid& grid, std::span<const CellQuestion> questions) : size(grid.size), flat(grid.size[2] == 1) {
        for (const CellQuestion& question : questions)
            size[2] = std::max<Index>(size[2], question.where->spec().levels);
    }
    [[nodiscard]] Index cells() const { return size[0] * size[1] * size[2]; }
    [[nodiscard]] Index number(const Index3& c) const { return (c[2] * size[1] + c[1]) * size[0] + c[0]; }
    [[nodiscard]] Index3 cell(Index n) const { return {n % size[0], n / size[0] % size[1], n / (size[0] * size[1])}; }
    [[nodiscard]] int owner(const Partition& partition, const Index3& c) const {
        const Index layer = flat ? 0 : c[2];
        const Box one{{c[0], c[1], layer}, {c[0] + 1, c[1] + 1, layer + 1}};
        return partition.subdomain(partition.overlapping(one).front()).rank;
    }
};

Index first_in_block(const CellQuestion& question, int block, const Numbering& numbering) {
    const auto answer = question.of_block(block);
    const Box& owned = question.where->blocks()[block].owned;
    for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i)
                if (answer({i, j, k}).bad) return numbering.number({i, j, k});
    return none;
}

// The first bad cell on this rank: the number of the cell and the number of its question in one.
Index first_here(std::span<const CellQuestion> questions, const Numbering& numbering) {
    for (std::size_t q = 0; q < questions.size(); ++q) {
        Index first = none;
        for (int b = 0; b < std::ssize(questions[q].where->blocks()); ++b)
            first = std::min(first, first_in_block(questions[q], b, numbering));
        if (first != none) return static_cast<Index>(q) * numbering.cells() + first;
    }
    return none;
}

// The value of an owned cell; 0 for others.
double value_here(const CellQuestion& question, const Index3& cell) {
    for (std::size_t b = 0; b < question.where->blocks().size(); ++b)
        if (question.where->blocks()[b].owned.contains(cell)) return question.of_block(static_cast<int>(b))(cell).value;
    return 0.0;
}

std::string shown(double value) {
    if (std::isnan(value)) return "nan";  // its sign, which streams print, says nothing
    std::ostringstream out;
    out << value;
    return out.str();
}

}  // namespace

std::optional<BadCell> first_bad_cell(const Domain& domain, std::span<const CellQuestion> questions,
                                      Index step_number) {
    const Numbering numbering(domain.partition().grid(), questions);
    const Index first = minimum(domain, first_here(questions, numbering));
    if (first == none) return std::nullopt;
    BadCell found{static_cast<std::size_t>(first / numbering.cells()), 0.0, {}};
    const CellQuestion& question = questions[found.question];
    const Index3 cell = numbering.cell(first % numbering.cells());
    const int owner = numbering.owner(domain.partition(), cell);
    found.value = value_of(domain, owner, value_here(question, cell));
    std::ostringstream text;
    text << question.name << " = " << shown(found.value) << " at step " << step_number << ", cell (" << cell[0] << ", "
         << cell[1];
    if (!numbering.flat || question.where->spec().levels > 0) text << ", " << cell[2];
    text << "), rank " << owner;
    found.text = text.str();
    return found;
}

}  // namespace lapwing
