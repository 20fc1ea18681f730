#pragma once
// Steps: the stages of a model with their kernels, run in the order that a strategy chose.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/schedule/schedule.hpp"
#include "lapwing/schedule/strategy.hpp"
#include "lapwing/schedule/task_list.hpp"
#include "lapwing/step/step_census.hpp"
#include "lapwing/step/step_stages.hpp"
#include "lapwing/step/typed_stage.hpp"

namespace lapwing {

// Where the time of a step went, seconds since construction or `reset_times`.
struct StepTimes {
    Index steps = 0;
    double halo_start = 0;        // packing and posting
    double halo_wait = 0;         // waiting and unpacking
    std::vector<double> compute;  // by distinct stage name, see Step::stage_names
};

// Exchanges, messages and bytes of one run of the cycle in its steady state, on this rank; with those that collectives
// of stages have a plan of.
struct StepVolume {
    double exchanges = 0;  // rounds per step
    double messages = 0;   // messages sent per step
    double bytes = 0;      // bytes sent per step
};

// A task list, and for each task the name of its stage or of the fields that it moves.
struct NamedTasks {
    TaskList list;
    std::vector<std::string> subjects;
};

class ExchangePool;
class StepCheck;
class StepProgram;
class StrategyChoice;
struct TaskClock;

class Step {
  public:
    // A step that repeats a cycle of lists of stages. Makes the schedule and every exchange in it.
    // Collective; throws UserError on all ranks for a bad stage or stages that differ.
    Step(Domain& domain, std::vector<std::vector<Stage>> cycle, const std::string& strategy = "blocking",
         const std::string& transport = "auto");

    // A step of declared stages, and one that repeats a cycle of lists of them. Fields without memory get it here, with
    // the halo that the stages need under the strategy. Collective; throws as above, and as `bind` does.
    Step(Domain& domain, const std::vector<DeclaredStage>& stages, const StepOptions& options = {});
    Step(Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle, const StepOptions& options = {});

    // Its exchanges hold on to its fields.
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step();

    // Runs one step: the next list of the cycle. Local calls, but all neighbours must run it too. `another_follows`:
    // the next call is `run` again, with no change of a field between, so that its first messages may leave within this
    // step. With strategy `auto` the first thousand steps or so are run by each strategy in turn, with a reduction
    // after each round of turns.
    void run(bool another_follows = false);
    // Runs so many steps, after each call of `before_each`, which may set numbers that kernels point to and no field.
    // Writes that some ranks alone announced before are known to all. Collective, one reduction.
    void run(int steps, const std::function<void()>& before_each = {});

    // Makes a write that any rank announced with Field::modified since the last step known to all, so
    // that all fetch the same halos. Call it before `run` where ranks may have announced different
    // writes (a source in one rank's cells); without it they must announce alike. Collective, one reduction.
    void agree_on_modified();

    // Position in the cycle of the next step; a restart sets it, and all halos count as stale. Throws
    // UserError for a position outside the cycle.
    [[nodiscard]] int position() const;
    void restart_at(int position);

    [[nodiscard]] const Schedule& schedule() const;
    // Ends the measuring of `auto`: this strategy is run from now on. Collective; throws UserError on all ranks for
    // `auto`, one that does not exist, or halos that are too narrow for it.
    void settle(const std::string& strategy);
    // The name of the strategy in use; how far `auto` is, or what it has found and why, empty without it. Local.
    [[nodiscard]] std::string strategy() const;
    [[nodiscard]] std::string choice() const;
    // How wide the halo of each field must be in memory for a strategy, ascending as in `fields`. Local.
    [[nodiscard]] std::vector<Extent> halo_widths(const std::string& strategy) const;
    // Cells that the halos of this rank's fields lack along any axis for that, by name; those that lack none are left
    // out. Local.
    [[nodiscard]] std::map<std::string, int> lacking_halos(const std::string& strategy) const;
    [[nodiscard]] const std::vector<Field*>& fields() const { return stages_.fields(); }
    [[nodiscard]] StepTimes times() const;
    [[nodiscard]] const std::vector<std::string>& stage_names() const { return stages_.stage_names(); }
    // The lists of stages that it repeats. Local.
    [[nodiscard]] const std::vector<std::vector<Stage>>& cycle() const { return stages_.cycle(); }
    [[nodiscard]] StepVolume volume() const;
    void reset_times();
    // Whether every exchange is preceded by a handshake with its neighbours and its time is split, from now on, from
    // zero. Collective; costs a few hundred handshakes per exchange, and afterwards one each.
    void observe(bool on = true);
    // The exchanges of all task lists by position in the cycle, with what they cost on this rank since `observe` or
    // `reset_times`, and likewise the collectives that have a plan; empty unless it observes. Local.
    [[nodiscard]] std::vector<CensusEntry> census() const;
    // The exchanges and stages of the steady state, for people. Local.
    [[nodiscard]] std::string describe() const;
    // The task lists of this rank in the steady state, for people; and as data, one per node. Local.
    [[nodiscard]] std::string describe_tasks() const;
    [[nodiscard]] std::vector<NamedTasks> task_lists() const;
    // Number of tasks of one step of the steady state, at least one cycle. Local.
    [[nodiscard]] double tasks_per_step() const;

    // Whether steps are checked from now on: run undivided, each kernel several times with wrong values where its stage
    // does not say that it reads. `run` then throws UserError on all ranks together, naming stage, field and the extent
    // needed, where results depend on them, a field is written that no stage declares, or one was changed outside the
    // stages without Field::modified. Many times slower. With LAPWING_CHECK=1 in the environment all steps are checked
    // from the start, and fields get two cells of halo more, in which reads beyond the halo are found. Collective.
    void check(bool on = true);

    // Notes what this rank does when, up to `events` events from now on; 0: no more. Local.
    void draw_timeline(std::size_t events);
    // What was noted; null unless `draw_timeline` was called. Local.
    [[nodiscard]] const Timeline* timeline() const { return timeline_.get(); }
    // The stage that an event computes, or the fields that it packs or unpacks; empty for a wait. Local.
    [[nodiscard]] std::string subject_of(const TimelineEvent& event) const;

  private:
    Step(Domain& domain, BoundStages&& stages, const StepOptions& options);
    [[nodiscard]] bool announced(std::size_t field) const;
    [[nodiscard]] bool modified_outside();
    // What is done with an exchange, by its number and entry, and with a stage, by its position, number and rim.
    using OnExchange = std::function<void(int number, std::size_t entry)>;
    using OnStage = std::function<void(std::size_t position, std::size_t stage, const Extent& rim)>;
    void run_in_order(const OnExchange& exchange, const OnStage& compute);
    void run_collective(std::size_t position, std::size_t stage, std::size_t entry);
    void run_observed();
    void run_checked();
    void run_tried(bool another_follows);
    void finish_ahead();
    [[nodiscard]] StepProgram& program() const;
    // Of what an entry of a schedule sends; null: nothing that is known.
    [[nodiscard]] const MessagePlan* plan_of(int node, int entry) const;
    [[nodiscard]] CensusEntry census_entry(int node, int entry) const;

    std::vector<std::shared_ptr<void>> kept_;  // what declared stages point to: goes last
    Domain& domain_;
    StepStages stages_;
    std::vector<std::uint64_t> versions_;
    std::unique_ptr<ExchangePool> pool_;
    std::unique_ptr<StrategyChoice> choice_;
    int node_ = 0;
    bool ahead_ = false;  // whether messages of the next step are on their way
    Index steps_ = 0;
    std::unique_ptr<TaskClock> clock_;
    double times_started_ = 0, times_waited_ = 0;  // s of all exchanges at the last reset
    double handshakes_ = 0;                        // s
    std::unique_ptr<Timeline> timeline_;
    std::unique_ptr<StepCheck> check_;              // null: nobody checks
    std::unique_ptr<StepCensus> census_;            // null: nobody observes
    std::vector<std::vector<ExchangeCost>> costs_;  // [node][entry], of the census
};

}  // namespace lapwing
