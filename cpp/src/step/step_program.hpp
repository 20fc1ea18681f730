#pragma once
// A step under one strategy: its schedule, and for every node of it the exchanges and tasks, ready to run.

#include <memory>
#include <string>
#include <vector>

#include "lapwing/schedule/strategy.hpp"
#include "step/exchange_pool.hpp"
#include "step/tasks/task_runner.hpp"

namespace lapwing {

class StepProgram {
  public:
    // Collective; throws UserError on all ranks for bad stages, stages that differ between ranks, or fields whose
    // memory lacks the halo that the strategy needs.
    StepProgram(Domain& domain, const StepStages& stages, ExchangePool& pool, const Strategy& strategy,
                const Tiling& tiling, ThreadTeam* team);

    // Runs the tasks of a node: with all land, undivided, where that is needed. Local calls, but all neighbours must
    // run it too.
    void run(int node, TaskRunner::Ahead ahead, TaskClock& clock);
    // The next run of each node computes all land: a field was written from outside. Local.
    void require_land() { lacks_land_.assign(lacks_land_.size(), stages_.water() != nullptr); }
    // Steps of the pass that begins at a node; 1: none does.
    [[nodiscard]] int steps_of_pass(int node) const;
    // Runs the pass that begins at a node.
    void run_pass(int node, TaskRunner::Ahead ahead, TaskClock& clock) { passes_[node]->run(ahead, clock); }
    // The node after the pass that begins at a node.
    [[nodiscard]] int after_pass(int node) const { return in_passes_.nodes[node].next; }
    // The same, undivided and in the order of the schedule, before the eyes of an observer; with all land if it is to
    // see that. Collective.
    void run_observed(int node, TaskObserver& observer, TaskClock& clock);
    // Finishes what left ahead of `node`, if anything did.
    void finish_ahead(int node);

    [[nodiscard]] const Strategy& strategy() const { return strategy_; }
    [[nodiscard]] const Schedule& schedule() const { return *schedule_; }
    // The schedule of long runs: the steps that tiles go through together are one node.
    [[nodiscard]] const Schedule& passes() const { return passes_.empty() ? *schedule_ : in_passes_; }
    // Number in the pool of the exchange of an entry, or -1.
    [[nodiscard]] int exchange_of(int node, int entry) const { return exchange_of_[node][entry]; }
    // The plan of an entry's exchange in most steps: without land, if messages leave land out.
    [[nodiscard]] const MessagePlan& plan_of(const ScheduleEntry& entry) const {
        return pool_.exchanges()[pool_.number_of(entry.halos, ordered_)]->plan();
    }
    // Describes the task list of a node of `passes()`.
    [[nodiscard]] std::string describe(int node) const;
    // The task list of a node of `passes()`, and how many tasks it has.
    [[nodiscard]] TaskList tasks_of(int node) const { return task_list(rank_step(passes(), node), strategy_, tiling_); }
    [[nodiscard]] std::size_t tasks(int node) const {
        return passes_.empty() || !passes_[node] ? runners_[node].tasks() : passes_[node]->tasks();
    }

  private:
    void require_memory() const;
    void make_exchanges();
    void make_passes();
    [[nodiscard]] RankStep rank_step(const Schedule& schedule, int node) const;
    [[nodiscard]] std::unique_ptr<TaskRunner> undivided(int node, const Water* water) const;
    [[nodiscard]] TaskMeaning meaning(const Schedule& schedule, int node) const;
    [[nodiscard]] std::vector<StepExchange*> exchanges_of(const ScheduleNode& node) const;

    Domain& domain_;
    const StepStages& stages_;
    ExchangePool& pool_;
    Strategy strategy_;
    bool ordered_ = false;  // true if exchanges have two phases
    Tiling tiling_;
    ThreadTeam* team_;  // null: one thread
    const Schedule* schedule_ = nullptr;
    std::vector<std::vector<int>> exchange_of_;        // [node][entry]
    std::vector<TaskRunner> runners_;                  // one for each node
    Schedule in_passes_;                               // for strategies that join steps
    std::vector<std::unique_ptr<TaskRunner>> passes_;  // for each node; null: no pass begins there
    // The task list of each node, undivided; made when one is observed.
    std::vector<std::unique_ptr<TaskRunner>> undivided_;
    std::vector<std::unique_ptr<TaskRunner>>
        with_land_;                 // the same with all land; where land is left out, made at once
    std::vector<bool> lacks_land_;  // for each node: true if it has still to compute its land
};

}  // namespace lapwing
