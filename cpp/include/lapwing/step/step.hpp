#pragma once
// Steps: the stages of a model with their kernels, run in the order that a strategy chose.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/schedule/schedule.hpp"
#include "lapwing/step/named_ranges.hpp"
#include "lapwing/step/stage.hpp"
#include "lapwing/step/step_report.hpp"
#include "lapwing/step/typed_stage.hpp"

namespace lapwing {

class CensusObserver;
class ExchangePool;
class StepCheck;
class StepDigest;
class StepProgram;
class StepStages;
class StrategyChoice;
class TaskObserver;
class ThreadTeam;
struct TaskClock;

// The stages of a model in the order of a strategy, with the exchanges that they need.
class Step {
  public:
    // A step of stages, or a step that repeats a cycle of lists of stages. Makes the schedule and every exchange in it.
    // Fields without memory get it here, with the halo that the stages need under the strategy. Collective; throws
    // UserError on all ranks for a bad stage or stages that differ, and as `give_memory` does.
    Step(Domain& domain, Stages stages, const StepOptions& options = {});
    Step(Domain& domain, std::vector<Stages> cycle, const StepOptions& options = {});

    // Its exchanges hold on to its fields.
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step();

    // Runs one step: the next list of the cycle. Local calls, but all neighbours must run it too, and ranks must have
    // announced the same writes with AnyField::modified. With strategy `auto` the first steps try strategies, at a cost
    // of at most a twentieth of them, with a reduction after each turn of a strategy.
    void run();
    // Runs `steps` steps and calls `before_each` before each of them, which may set numbers that kernels point to but
    // no field: the first messages of a step leave within the previous step. Writes that only some ranks announced
    // before are made known to all. Collective, one reduction.
    void run(int steps, const std::function<void()>& before_each = {});
    // The same with numbers that follow from the number of the step alone: `set_numbers(n)` is called before the
    // kernels of step n, from 0. Strategies that run tiles through several steps call it for a later step and again for
    // an earlier one, as often as they change between them. Collective, one reduction.
    void run(int steps, const std::function<void(Index)>& set_numbers);

    // Position in the cycle of the next step; a restart sets it, and all halos count as stale. Throws
    // UserError for a position outside the cycle.
    [[nodiscard]] int position() const;
    void restart_at(int position);

    // Ends the measuring of `auto`: this strategy is run from now on. Collective; throws UserError on all ranks for
    // `auto`, one that does not exist, or halos that are too narrow for it, and leaves the step as it was.
    void settle(const std::string& strategy);

    // Switches the census on, from zero, or off: every exchange is preceded by a handshake with its neighbours, and its
    // time is split; steps then run undivided. Collective; costs a few hundred handshakes per exchange, and afterwards
    // one each.
    void observe(bool on = true);

    // Switches the check of steps on or off. Checked steps run undivided, each kernel several times with wrong values
    // where its stage does not say that it reads, then in parts. `run` then throws UserError on all ranks together,
    // naming stage, field and the extent needed, where results depend on what is not declared, a kernel writes a field
    // that its stage does not declare, or beyond its box, or a field was changed outside the stages without
    // AnyField::modified. Many times slower. With LAPWING_CHECK=1 in the environment all steps are checked from the
    // start, and fields get two cells of halo more, in which reads beyond the halo are found. Collective.
    void check(bool on = true);

    // Notes from now on when this rank does what, up to `events` events; 0: no more. Local.
    void draw_timeline(std::size_t events);

    // Calls these functions around the parts of steps from now on, for a tool that draws named ranges; {}: none. Local;
    // without any it costs nothing.
    void name_ranges(const NamedRanges& ranges);

    // The parts of the step and their cost so far; times begin when the step was made, or at `reset_times`. Local.
    [[nodiscard]] StepReport report() const { return StepReport(*this); }
    void reset_times();

  private:
    friend class StepReport;
    // The values written since the last step, except by this one: nothing, values by a step, or everything.
    enum class Outside { nothing, values, land };
    void agree_on_modified();
    void run_due(int steps, const std::function<void()>& before_each);
    [[nodiscard]] bool announced(std::size_t field) const;
    [[nodiscard]] Outside modified_outside();
    void note_versions(std::size_t field);
    void begin_stale(Outside modified);
    void require_land();
    void announce_writes();
    void run_observed(TaskObserver& observer);
    // Run one step, or a pass of at most `most`, and return how many that were. `left`: steps to run at once, so that
    // the first messages of those that follow may leave ahead.
    int run_some(int left, int most);
    int run_tried(int left, int most);
    int run_program(int left, int most);
    void enter(int position);
    void finish_ahead();
    void draw_exchanges();
    [[nodiscard]] TaskObserver* observer() const;
    [[nodiscard]] const Schedule& schedule() const;
    [[nodiscard]] StepProgram& program() const;

    Domain& domain_;
    std::shared_ptr<ThreadTeam> team_;                     // null: one thread runs the kernels
    std::unique_ptr<StepStages> stages_;                   // destroyed last, with all that they point to
    std::vector<std::uint64_t> versions_, land_versions_;  // one for each field
    std::vector<std::size_t> written_;                     // fields that a stage writes
    std::unique_ptr<ExchangePool> pool_;
    std::unique_ptr<StrategyChoice> choice_;
    int node_ = 0;
    bool ahead_ = false;  // true if messages of the next step are on their way
    Index steps_ = 0;
    std::unique_ptr<TaskClock> clock_;
    double times_started_ = 0, times_waited_ = 0;  // s of all exchanges at the last reset
    double handshakes_ = 0;                        // s, of censuses that are over
    std::unique_ptr<Timeline> timeline_;
    std::unique_ptr<StepCheck> check_;        // null: steps are not checked
    std::unique_ptr<CensusObserver> census_;  // null: steps are not observed
    std::unique_ptr<StepDigest> digest_;      // null: steps are not verified
};

// Gives the fields of the stages the halos that they need under the options, and makes no step: for fields that several
// steps share. A field that has memory keeps it. Throws UserError on all ranks for a stage without fields, a field
// named twice or of another domain, and where a node lacks the memory. Collective.
void give_memory(Domain& domain, std::vector<Stages> cycle, const StepOptions& options);

}  // namespace lapwing
