#include "charge.hpp"

#include <mpi.h>  // SMPI's, with smpi_execute

namespace lapwing_simulate {

std::vector<std::vector<lapwing::Stage>> Meter::charged(std::vector<std::vector<lapwing::Stage>> cycle) {
    for (auto& stages : cycle) {
        for (lapwing::Stage& stage : stages) {
            const auto found = costs_.find(stage.name);
            for (void*& context : stage.contexts) {
                contexts_.push_back(
                    {stage.kernel, context, found == costs_.end() ? StageCost{} : found->second, this});
                context = &contexts_.back();
            }
            stage.kernel = run;
        }
    }
    return cycle;
}

double Meter::seconds_of(const StageCost& cost, const lapwing::Box& box) const {
    if (box.empty()) return 0;
    const auto cells = static_cast<double>(box.volume() * layers_);
    const double rows = cells / static_cast<double>(box.hi[0] - box.lo[0]);
    return (cells * cost.cell + rows * cost.row + cost.call) * (1 + crowd_ * (cost.crowded - 1));
}

void Meter::run(void* context, lapwing::Box box) {
    const Context& at = *static_cast<const Context*>(context);
    at.kernel(at.context, box);
    const double seconds = at.meter->seconds_of(at.cost, box);
    at.meter->seconds += seconds;
    at.meter->cells += box.volume();
    if (at.meter->on && seconds > 0) smpi_execute(seconds);
}

}  // namespace lapwing_simulate
