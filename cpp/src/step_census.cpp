#include "lapwing/step_census.hpp"

#include <algorithm>
#include <chrono>

#include "lapwing/step.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr int calibration_rounds = 200;

}  // namespace

StepCensus::StepCensus(Domain& domain, const std::vector<std::unique_ptr<Exchange>>& exchanges)
    : exchanges_(exchanges) {
    for (const auto& exchange : exchanges) {
        handshakes_.push_back(std::make_unique<Handshake>(domain, exchange->plan()));
        handshakes_.back()->calibrate(calibration_rounds);
    }
}

double StepCensus::run(int number, ExchangeCost& cost) {
    Exchange& exchange = *exchanges_[static_cast<std::size_t>(number)];
    Handshake& handshake = *handshakes_[static_cast<std::size_t>(number)];
    const auto here = Clock::now();
    handshake.start();
    const auto told = Clock::now();
    Pending pending = exchange.start();
    const auto packed = Clock::now();
    auto complete = packed;
    if (!handshake.test()) {
        handshake.wait();
        complete = Clock::now();
    }
    pending.wait();
    const auto end = Clock::now();
    // No neighbour can be heard sooner than a handshake takes: only what goes beyond is somebody's lateness.
    const auto heard = here + std::chrono::duration_cast<Clock::duration>(Seconds(handshake.least_seconds()));
    const double late = std::max(0.0, Seconds(complete - std::max(packed, heard)).count());
    ++cost.count;
    cost.packing += Seconds(packed - told).count();
    cost.late += late;
    cost.transfer += Seconds(end - packed).count() - late;
    return Seconds(complete - packed).count();
}

void Step::observe(bool on) {
    census_ = on ? std::make_unique<StepCensus>(domain_, exchanges_) : nullptr;
    costs_.clear();
    for (const ScheduleNode& node : schedule_.nodes) costs_.emplace_back(on ? node.tasks.size() : 0);
}

CensusEntry Step::census_entry(std::size_t node, std::size_t task) const {
    const ScheduleNode& list = schedule_.nodes[node];
    const int number = exchange_of_[node][task];
    const MessagePlan& plan = exchanges_[static_cast<std::size_t>(number)]->plan();
    CensusEntry entry;
    entry.position = list.step;
    entry.messages = messages_sent(plan);
    entry.bytes = bytes_sent(plan);
    entry.handshake = census_->handshake_seconds(number);
    entry.cost = costs_[node][task];
    for (std::size_t t = task + 1; t < list.tasks.size() && entry.stage.empty(); ++t) {
        if (list.tasks[t].kind != Task::Kind::compute) continue;
        entry.stage = cycle_[static_cast<std::size_t>(list.step)][static_cast<std::size_t>(list.tasks[t].stage)].name;
    }
    const Cycle cycle = specs();
    for (std::size_t f = 0; f < plan.fields.size(); ++f) {
        const auto field = static_cast<int>(f);
        const Read& halo = list.tasks[task].halos[f];
        entry.fields.push_back({plan.fields[f].name, halo.extent, messages_with(plan, field),
                                bytes_sent_of(plan, field),
                                is_needless(cycle, schedule_, {static_cast<int>(node), static_cast<int>(task)}, halo)});
    }
    return entry;
}

std::vector<CensusEntry> Step::census() const {
    std::vector<CensusEntry> entries;
    if (census_ == nullptr) return entries;
    const std::vector<int> steady = steady_nodes();
    for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
        for (std::size_t task = 0; task < schedule_.nodes[node].tasks.size(); ++task) {
            if (exchange_of_[node][task] < 0) continue;
            entries.push_back(census_entry(node, task));
            entries.back().steady = std::ranges::count(steady, static_cast<int>(node)) > 0;
        }
    }
    std::ranges::stable_sort(entries, {}, &CensusEntry::position);
    return entries;
}

}  // namespace lapwing
