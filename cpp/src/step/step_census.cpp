#include "lapwing/step/step_census.hpp"

#include <algorithm>
#include <chrono>

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
    Exchange& exchange = *exchanges_[number];
    Handshake& handshake = *handshakes_[number];
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

}  // namespace lapwing
