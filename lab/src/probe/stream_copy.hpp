#pragma once
// Memory bandwidth as a lattice Boltzmann step sees it: one array copied to another, or nineteen to nineteen, cell by
// cell.

#include <cstddef>
#include <memory>
#include <string>

#include "lapwing/grid/box.hpp"

namespace lapwing::probe {

// The form in which the copy is written. `literal`: two nested loops, cells outside and arrays inside, a value at a
// time. `blocked`: a cache line of each array at a time, in vectors. `pieces`: 128 values of each array at a time, line
// by line. `nontemporal`: as `blocked` with stores that pass the caches, so that memory is not read before it is
// written.
enum class CopyLoop { literal, blocked, pieces, nontemporal };

// Throws UserError for another name. Local.
CopyLoop copy_loop_of(const std::string& name);

// True if this build has stores that pass the caches. Local.
bool has_nontemporal_stores();

// Two sets of arrays of doubles in memory that this process has touched first.
class StreamCopy {
  public:
    // `arrays` of a set: 1 (two streams) or 19 (2 x 19); `values` of an array, which are made some more: the arrays of
    // a set are apart by a number of cache lines that puts them into different sets of a cache. `huge_pages`: asks the
    // kernel for them, else forbids them. Throws UserError for other numbers, OutsideError without memory. Local.
    StreamCopy(int arrays, Index values, bool huge_pages);
    ~StreamCopy();
    StreamCopy(const StreamCopy&) = delete;
    StreamCopy& operator=(const StreamCopy&) = delete;

    // Copies every value once; seconds. Throws UserError for stores that this build has not. Local.
    double run(CopyLoop loop);

    // Values of the target that are not those of the source; then forgets them, so that the next copy is seen. Local.
    [[nodiscard]] Index wrong_values();

    [[nodiscard]] Index values() const { return values_; }                 // of one array
    [[nodiscard]] Index bytes() const { return values_ * 8; }              // of one array: N of the formulas
    [[nodiscard]] bool huge_pages() const { return huge_pages_; }          // true if the kernel took the advice
    [[nodiscard]] static double moved_arrays(CopyLoop loop, int arrays) {  // N that go to and from memory in a copy
        return (loop == CopyLoop::nontemporal ? 2.0 : 3.0) * arrays;
    }

  private:
    int arrays_;
    Index values_;
    std::size_t mapped_ = 0;  // bytes of both sets
    void* memory_ = nullptr;
    double* from_ = nullptr;
    double* to_ = nullptr;
    bool huge_pages_ = false;
};

}  // namespace lapwing::probe
