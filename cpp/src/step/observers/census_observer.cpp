#include "step/observers/census_observer.hpp"

#include <algorithm>

namespace lapwing {

namespace {

using Seconds = std::chrono::duration<double>;

constexpr int calibration_rounds = 200;

}  // namespace

CensusObserver::CensusObserver(Domain& domain, const ExchangePool& pool, const std::vector<std::size_t>& entries) {
    for (const auto& exchange : pool.exchanges()) {
        handshakes_.push_back(std::make_unique<Handshake>(domain, exchange->plan()));
        handshakes_.back()->calibrate(calibration_rounds);
    }
    for (const std::size_t count : entries) costs_.emplace_back(count);
}

void CensusObserver::watch(const SeenTask& task, const std::function<void()>& work) {
    ExchangeCost& cost = (*costs_of_node_)[task.entry];
    switch (task.kind) {
        case Task::Kind::start:
            return start(*task.exchange, work);
        case Task::Kind::arrive:
            if (task.phase == 0) {
                complete_ = packed_;
                if (!handshake_->test()) {
                    handshake_->wait();
                    complete_ = Clock::now();
                }
            }
            work();
            if (task.phase + 1 == static_cast<int>(phases_)) finish(cost);
            return;
        case Task::Kind::reduce: {  // all of its time counts as time of messages: late ranks cannot be told apart
            const auto begin = Clock::now();
            work();
            ++cost.count;
            cost.transfer += Seconds(Clock::now() - begin).count();
            return;
        }
        case Task::Kind::compute:
            work();
    }
}

void CensusObserver::start(StepExchange& exchange, const std::function<void()>& work) {
    handshake_ = handshakes_[exchange.choose()].get();
    phases_ = std::max<std::size_t>(1, exchange.current().plan().phases.size());
    here_ = Clock::now();
    handshake_->start();
    told_ = Clock::now();
    work();
    packed_ = Clock::now();
}

void CensusObserver::finish(ExchangeCost& cost) {
    const auto end = Clock::now();
    // No neighbour can answer faster than a handshake takes: only longer waits count as lateness.
    const auto heard = here_ + std::chrono::duration_cast<Clock::duration>(Seconds(handshake_->least_seconds()));
    const double late = std::max(0.0, Seconds(complete_ - std::max(packed_, heard)).count());
    ++cost.count;
    cost.packing += Seconds(packed_ - told_).count();
    cost.late += late;
    cost.transfer += Seconds(end - packed_).count() - late;
    waited_ += Seconds(complete_ - packed_).count();
}

void CensusObserver::reset() {
    waited_ = 0;
    for (auto& costs : costs_) std::ranges::fill(costs, ExchangeCost{});
}

}  // namespace lapwing
