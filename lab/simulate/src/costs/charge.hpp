#pragma once
// Computing that takes simulated time: calibrated seconds per cell, row and call, whatever this machine needs.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "lapwing/step/step.hpp"

#include "lapwing_simulate/costs.hpp"

namespace lapwing_simulate {

// Charges what kernels would take on the simulated machine. Outlives the steps that use it.
class Meter {
  public:
    // `costs` by name of the stage; stages without a name in it take no time. A stage has as many
    // cells in a column as what it writes has levels. `crowd`: the share of the other cores of the node that compute
    // too; `speed`: of this rank, 1 as the costs say.
    Meter(std::map<std::string, StageCost> costs, double crowd, double speed);
    Meter(const Meter&) = delete;  // the kernels' contexts point into it
    Meter& operator=(const Meter&) = delete;
    ~Meter();

    // The meter of this rank, if there is one. Local.
    static Meter* of_this_rank();
    // Lets the time of work outside kernels pass: what a stage of that name costs. Local.
    void charge(const std::string& stage, double cells, double rows);
    // The stages with kernels that compute and then let the time of that pass.
    std::vector<lapwing::Stages> charged(std::vector<lapwing::Stages> cycle);

    bool on = true;            // false: computing takes no time
    double seconds = 0;        // charged so far, or what would have been, s
    lapwing::Index cells = 0;  // computed so far

  private:
    struct Context {
        lapwing::Kernel kernel;
        void* context;
        StageCost cost;
        lapwing::Index levels;
        Meter* meter;
    };
    static void run(void* context, lapwing::Box box);
    // Lets the time of a stage on `cells` cells pass.
    void charge(const StageCost& cost, double cells, double rows);

    std::map<std::string, StageCost> costs_;
    double crowd_, speed_;
    std::deque<Context> contexts_;  // does not move them
};

}  // namespace lapwing_simulate
