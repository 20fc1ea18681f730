#pragma once
// Times of one method in simulated seconds.

#include <string>
#include <vector>

#include "lapwing/partition/partition.hpp"

#include "lapwing_simulate/request.hpp"

namespace lapwing_simulate {

struct Measured {
    std::string method;
    std::vector<double> step;
    std::vector<double> chain;
    double compute = 0;
    double messages = 0;
    double bytes = 0;
    std::string checksum;
    std::string tasks;
    std::string choice;
    std::string problem;

    static constexpr std::tuple declared{
        lapwing::Setting{"method", &Measured::method, ""},
        lapwing::Setting{"step", &Measured::step, "s per step, slowest rank, one per sample"},
        lapwing::Setting{"chain", &Measured::chain,
                         "the same with computing that takes no time: dependent communication alone; or none"},
        lapwing::Setting{"compute", &Measured::compute, "charged per step to the rank with most, s"},
        lapwing::Setting{"messages", &Measured::messages, "sent per step by the rank with most; of strategies"},
        lapwing::Setting{"bytes", &Measured::bytes, "likewise"},
        lapwing::Setting{"checksum", &Measured::checksum, "after as many steps by every method"},
        lapwing::Setting{"tasks", &Measured::tasks, "the task lists on rank 0, for people; of strategies"},
        lapwing::Setting{"choice", &Measured::choice, "what `auto` took and why"},
        lapwing::Setting{"problem", &Measured::problem, "why there is nothing else; empty: there is"}};
};

// Runs the work by one method from the start, first with computing charged, then without. Collective over the world.
Measured measure(const lapwing::Partition& partition, const Request& request, const std::string& method);

}  // namespace lapwing_simulate
