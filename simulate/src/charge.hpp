#pragma once
// Computing that takes simulated time: calibrated seconds per cell, whatever this machine needs.

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "lapwing/step/step.hpp"

namespace lapwing_simulate {

// Charges what kernels would take on the simulated machine. Outlives the steps that use it.
class Meter {
  public:
    // `seconds_per_cell` by name of the stage; stages without a name in it take no time. `layers`: cells per column.
    Meter(std::map<std::string, double> seconds_per_cell, int layers)
        : seconds_per_cell_(std::move(seconds_per_cell)), layers_(layers) {}
    Meter(const Meter&) = delete;  // the kernels' contexts point into it
    Meter& operator=(const Meter&) = delete;

    // The stages with kernels that compute and then let the time of that pass.
    std::vector<std::vector<lapwing::Stage>> charged(std::vector<std::vector<lapwing::Stage>> cycle);

    bool on = true;            // false: computing takes no time
    double seconds = 0;        // charged so far, or what would have been, s
    lapwing::Index cells = 0;  // computed so far

  private:
    struct Context {
        lapwing::Kernel kernel;
        void* context;
        double seconds_per_column;
        Meter* meter;
    };
    static void run(void* context, lapwing::Box box);

    std::map<std::string, double> seconds_per_cell_;
    int layers_;
    std::deque<Context> contexts_;  // does not move them
};

}  // namespace lapwing_simulate
