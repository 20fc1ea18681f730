#include "charge.hpp"

#include <mpi.h>  // SMPI's, with smpi_execute

namespace lapwing_simulate {

std::vector<std::vector<lapwing::Stage>> Meter::charged(std::vector<std::vector<lapwing::Stage>> cycle) {
    for (auto& stages : cycle) {
        for (lapwing::Stage& stage : stages) {
            const auto found = seconds_per_cell_.find(stage.name);
            const double seconds = found == seconds_per_cell_.end() ? 0.0 : found->second;
            for (void*& context : stage.contexts) {
                contexts_.push_back({stage.kernel, context, seconds * layers_, this});
                context = &contexts_.back();
            }
            stage.kernel = run;
        }
    }
    return cycle;
}

void Meter::run(void* context, lapwing::Box box) {
    const Context& at = *static_cast<const Context*>(context);
    at.kernel(at.context, box);
    const double seconds = static_cast<double>(box.volume()) * at.seconds_per_column;
    at.meter->seconds += seconds;
    at.meter->cells += box.volume();
    if (at.meter->on && seconds > 0) smpi_execute(seconds);
}

}  // namespace lapwing_simulate
