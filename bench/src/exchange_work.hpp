#pragma once
// What `lapwing bench exchange` exchanges, and how one method of doing it is timed.

#include <mpi.h>

#include <functional>
#include <string>
#include <vector>

namespace lapwing::bench {

// `fields` float64 fields of nx x ny cells per rank and `levels` levels, halo `width`, corners, both
// axes periodic, the ranks in one column (1 x N): rows, x fastest, stay whole.
struct ExchangeWork {
    int nx = 60, ny = 60;
    int levels = 0;
    int fields = 1;
    int width = 2;
};

// One way to do it: `touch` rewrites the cells that will be sent, `exchange` moves them.
struct Method {
    std::string name;
    std::function<void()> touch;
    std::function<void()> exchange;
};

// Seconds per exchange of every method, `samples` of each, taken in turn (A B A B ...). A sample is
// the slowest rank's mean over `repeats` rounds of touch and exchange, less the median of touch alone:
// without fresh edges the data would never leave the cache of the core that wrote them. Collective.
std::vector<std::vector<double>> time_in_turn(MPI_Comm comm, std::vector<Method>& methods, int samples, int repeats);

}  // namespace lapwing::bench
