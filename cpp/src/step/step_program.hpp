#pragma once
// A step under one strategy: its schedule, and for every node of it the exchanges and tasks, ready to run.

#include <memory>
#include <string>
#include <vector>

#include "lapwing/schedule/strategy.hpp"
#include "step/exchange_pool.hpp"
#include "step/task_runner.hpp"

namespace lapwing {

class StepProgram {
  public:
    // Collective; throws UserError on all ranks for bad stages, stages that differ between ranks, or fields whose
    // memory lacks the halo that the strategy needs.
    StepProgram(Domain& domain, const StepStages& stages, ExchangePool& pool, const Strategy& strategy,
                const Tiling& tiling);

    // Runs the tasks of a node. Local calls, but all neighbours must run it too.
    void run(int node, TaskRunner::Ahead ahead, TaskClock& clock) { runners_[node].run(ahead, clock); }
    // Steps of the pass that begins at a node; 1: none does.
    [[nodiscard]] int steps_of_pass(int node) const {
        return passes_.empty() || !passes_[node] ? 1 : strategy_.repetitions;
    }
    // Runs the pass that begins at a node.
    void run_pass(int node, TaskRunner::Ahead ahead, TaskClock& clock) { passes_[node]->run(ahead, clock); }
    // The node after the pass that begins at a node.
    [[nodiscard]] int after_pass(int node) const { return in_passes_.nodes[node].next; }
    // The same, undivided and in the order of the schedule, before the eyes of an observer. Collective.
    void run_observed(int node, TaskObserver& observer, TaskClock& clock);
    // Finishes what left ahead of `node`, if anything did.
    void finish_ahead(int node);

    [[nodiscard]] const Strategy& strategy() const { return strategy_; }
    [[nodiscard]] const Schedule& schedule() const { return *schedule_; }
    // Number in the pool of the exchange of an entry, or -1.
    [[nodiscard]] int exchange_of(int node, int entry) const { return exchange_of_[node][entry]; }
    // Describes the task list of a node.
    [[nodiscard]] std::string describe(int node) const;
    // The task list of a node, with what it was made for: pointers into this program.
    [[nodiscard]] TaskList tasks_of(int node) const {
        return task_list(rank_step(*schedule_, node), strategy_, tiling_);
    }
    [[nodiscard]] std::size_t tasks(int node) const { return runners_[node].tasks(); }

  private:
    void require_memory() const;
    void make_exchanges();
    void make_passes();
    [[nodiscard]] RankStep rank_step(const Schedule& schedule, int node) const;
    [[nodiscard]] TaskMeaning meaning(const Schedule& schedule, int node) const;
    [[nodiscard]] std::vector<StepExchange*> exchanges_of(const ScheduleNode& node) const;

    Domain& domain_;
    const StepStages& stages_;
    ExchangePool& pool_;
    Strategy strategy_;
    bool ordered_ = false;  // true if exchanges have two phases
    Tiling tiling_;
    const Schedule* schedule_ = nullptr;
    std::vector<std::vector<int>> exchange_of_;        // [node][entry]
    std::vector<TaskRunner> runners_;                  // one for each node
    Schedule in_passes_;                               // of strategies that join steps
    std::vector<std::unique_ptr<TaskRunner>> passes_;  // for each node; null: no pass begins there
    // The task list of each node, undivided; made when one is observed.
    std::vector<std::unique_ptr<TaskRunner>> undivided_;
};

}  // namespace lapwing
