#pragma once
// Takes the times of a step's exchanges apart: packing, neighbours that are late, messages on their way.

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "lapwing/step/step_report.hpp"
#include "mpi/handshake.hpp"
#include "step/exchange_pool.hpp"
#include "step/tasks/task_runner.hpp"

namespace lapwing {

// Lets a handshake go with every exchange. The empty messages leave before the packing and are waited for after it: a
// rank that held its bytes back until its own neighbours are there would make its punctual neighbours wait for their
// late ones.
class CensusObserver final : public TaskObserver {
  public:
    // Its arguments outlive it; `entries`: one for each node. Calibrates a handshake for each exchange. Collective.
    CensusObserver(Domain& domain, const ExchangePool& pool, const std::vector<std::size_t>& entries);

    void begin(int number, const ScheduleNode&) override { costs_of_node_ = &costs_[number]; }
    void watch(const SeenTask& task, const std::function<void()>& work) override;

    // Returns the cost of an entry since the census began. Local.
    [[nodiscard]] const ExchangeCost& cost(int node, int entry) const { return costs_[node][entry]; }
    [[nodiscard]] double handshake_seconds(int number) const { return handshakes_[number]->least_seconds(); }
    // Seconds spent in the waits of handshakes. Local.
    [[nodiscard]] double waited() const { return waited_; }
    void reset();

  private:
    using Clock = std::chrono::steady_clock;
    void start(StepExchange& exchange, const std::function<void()>& work);
    void finish(ExchangeCost& cost);

    std::vector<std::unique_ptr<Handshake>> handshakes_;  // one for each exchange of the pool
    std::vector<std::vector<ExchangeCost>> costs_;        // [node][entry]
    std::vector<ExchangeCost>* costs_of_node_ = nullptr;
    // the exchange on its way: one at a time, as nothing overlaps
    Handshake* handshake_ = nullptr;
    std::size_t phases_ = 0;
    Clock::time_point here_, told_, packed_, complete_;
    double waited_ = 0;
};

}  // namespace lapwing
