#include "charge.hpp"

#include <algorithm>

#include <mpi.h>  // SMPI's, with smpi_execute

namespace lapwing_simulate {

namespace {

// The account of this rank for what belongs to no stage of a step: SMPI gives each rank its own.
Meter*& here() {
    static Meter* meter = nullptr;
    return meter;
}

lapwing::Index levels_of(const lapwing::Stage& stage) {
    int levels = 1;
    for (const lapwing::AnyField* field : stage.writes) levels = std::max(levels, field->spec().levels);
    return levels;
}

}  // namespace

Meter::Meter(std::map<std::string, StageCost> costs, double crowd, double speed)
    : costs_(std::move(costs)), crowd_(crowd), speed_(speed) {
    here() = this;
}

Meter::~Meter() { here() = nullptr; }

std::vector<lapwing::Stages> Meter::charged(std::vector<lapwing::Stages> cycle) {
    for (auto& stages : cycle) {
        for (lapwing::Stage& stage : stages) {
            const auto found = costs_.find(stage.name);
            for (void*& context : stage.contexts) {
                contexts_.push_back({stage.kernel, context, found == costs_.end() ? StageCost{} : found->second,
                                     levels_of(stage), this});
                context = &contexts_.back();
            }
            stage.kernel = run;
        }
    }
    return cycle;
}

void Meter::charge(const StageCost& cost, double cell_count, double rows) {
    const double charged = cost.seconds(cell_count, rows, crowd_, speed_);
    seconds += charged;
    if (on && charged > 0) smpi_execute(charged);
}

void Meter::run(void* context, lapwing::Box box) {
    const Context& at = *static_cast<const Context*>(context);
    at.kernel(at.context, box);
    if (box.empty()) return;
    at.meter->cells += box.volume();
    const auto cells = static_cast<double>(box.volume() * at.levels);
    at.meter->charge(at.cost, cells, cells / static_cast<double>(box.hi[0] - box.lo[0]));
}

Meter* Meter::of_this_rank() { return here(); }

void Meter::charge(const std::string& stage, double cell_count, double rows) {
    const auto found = costs_.find(stage);
    if (found != costs_.end()) charge(found->second, cell_count, rows);
}

}  // namespace lapwing_simulate
