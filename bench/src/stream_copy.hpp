#pragma once
// Copies of many arrays at once: what memory gives to a loop that reads and writes as many streams as a model does.

#include <memory>

#include "lapwing/box.hpp"

namespace lapwing::bench {

// Zeroed doubles whose pages are huge where the system has such, as those of large fields are.
std::shared_ptr<double> large_doubles(Index count);

// Two sets of `streams` arrays of `values` doubles each, every array on lines of its own.
class StreamCopy {
  public:
    // Throws std::bad_alloc where there is not the memory. Local.
    StreamCopy(int streams, Index values);

    // Copies one set to the other: a piece of each array that stays in the nearest cache, then the next piece. Local.
    void run();

    // Bytes that a copy moves between memory and core: those read, those written, and those fetched before they are
    // written (write-allocate). Local.
    [[nodiscard]] double bytes() const;

  private:
    int streams_;
    Index values_, stride_;
    std::shared_ptr<double> from_, to_;
};

// Streams of a lattice with 19 populations per cell.
inline constexpr int lattice_streams = 19;

}  // namespace lapwing::bench
