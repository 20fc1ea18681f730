#pragma once
// Times of one method in simulated seconds.

#include <cstdint>
#include <string>
#include <vector>

#include "lapwing/partition/partition.hpp"

#include "request.hpp"

namespace lapwing_simulate {

struct Measured {
    std::string method;
    std::vector<double> step;   // s per step, slowest rank, one per sample
    std::vector<double> chain;  // the same with computing that takes no time: dependent communication alone; or none
    double compute = 0;         // charged per step to the rank with most, s
    double messages = 0, bytes = 0;  // sent per step by the rank with most; of strategies
    std::uint64_t checksum = 0;      // after as many steps by every method
    std::string tasks;               // the task lists on rank 0, for people; of strategies
    std::string choice;              // what `auto` took and why
    std::string problem;             // why there is nothing else; empty: there is
};

// Runs the work by one method from the start, first with computing charged, then without. Collective over the world.
Measured measure(const lapwing::Partition& partition, const Request& request, const std::string& method);

}  // namespace lapwing_simulate
