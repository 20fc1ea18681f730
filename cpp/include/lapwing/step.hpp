#pragma once
// Steps: the stages of a model with their kernels, run in the order that a strategy chose.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lapwing/domain.hpp"
#include "lapwing/exchange.hpp"
#include "lapwing/field.hpp"
#include "lapwing/schedule.hpp"
#include "lapwing/step_census.hpp"

namespace lapwing {

// A kernel computes the cells of a box, in global indices; the first argument is its context.
// One instance per kernel: a loop inlined at several places may round differently at each.
using Kernel = void (*)(void*, Box);

struct FieldRead {
    Field* field = nullptr;
    Extent extent;
};

// One loop of a model: a kernel and what it reads and writes.
struct Stage {
    std::string name;
    std::vector<FieldRead> reads;
    std::vector<Field*> writes;
    Kernel kernel = nullptr;
    std::vector<void*> contexts;  // first argument of the kernel, one per owned box of this rank
    std::optional<Box> region;    // computed cells are those owned in here; all by default
};

// Where the time of a step went, seconds since construction or `reset_times`.
struct StepTimes {
    Index steps = 0;
    double halo_start = 0;        // packing and posting
    double halo_wait = 0;         // waiting and unpacking
    std::vector<double> compute;  // by distinct stage name, see Step::stage_names
};

// Exchanges, messages and bytes of one run of the cycle in its steady state, on this rank.
struct StepVolume {
    double exchanges = 0;  // rounds per step
    double messages = 0;   // messages sent per step
    double bytes = 0;      // bytes sent per step
};

// The strategies that there are. Local.
std::vector<std::string> strategy_names();

class Step {
  public:
    // A step that repeats a cycle of lists of stages. Makes the schedule and every exchange in it.
    // Collective; throws UserError on all ranks for a bad stage or stages that differ.
    Step(Domain& domain, std::vector<std::vector<Stage>> cycle, const std::string& strategy = "blocking",
         const std::string& transport = "auto");

    // Its exchanges hold on to its fields.
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

    // Runs one step: the next list of the cycle. Local calls, but all neighbours must run it too.
    void run();

    // Makes a write that any rank announced with Field::modified since the last step known to all, so
    // that all fetch the same halos. Call it before `run` where ranks may have announced different
    // writes (a source in one rank's cells); without it they must announce alike. Collective, one reduction.
    void agree_on_modified();

    // Position in the cycle of the next step; a restart sets it, and all halos count as stale. Throws
    // UserError for a position outside the cycle.
    [[nodiscard]] int position() const;
    void restart_at(int position);

    [[nodiscard]] const Schedule& schedule() const { return schedule_; }
    [[nodiscard]] const StepTimes& times() const { return times_; }
    [[nodiscard]] const std::vector<std::string>& stage_names() const { return stage_names_; }
    [[nodiscard]] StepVolume volume() const;
    void reset_times();
    // Whether every exchange is preceded by a handshake with its neighbours and its time is split, from now on, from
    // zero. Collective; costs a few hundred handshakes per exchange, and afterwards one each.
    void observe(bool on = true);
    // The exchanges of all task lists by position in the cycle, with what they cost on this rank since `observe` or
    // `reset_times`; empty unless it observes. Local.
    [[nodiscard]] std::vector<CensusEntry> census() const;
    // The task lists of the steady state, for people.
    [[nodiscard]] std::string describe() const;

  private:
    void number_fields();
    void make_exchanges(const std::string& transport);
    [[nodiscard]] Cycle specs() const;
    [[nodiscard]] bool modified_outside();
    void compute(const Stage& stage, int name);
    void exchange(std::size_t task);
    [[nodiscard]] std::vector<int> steady_nodes() const;
    [[nodiscard]] CensusEntry census_entry(std::size_t node, std::size_t task) const;

    Domain& domain_;
    std::vector<std::vector<Stage>> cycle_;
    std::vector<Field*> fields_;
    std::vector<std::uint64_t> versions_;
    std::vector<std::string> stage_names_;
    std::vector<std::vector<int>> name_of_;  // [position][stage] -> stage_names_
    Schedule schedule_;
    std::vector<std::unique_ptr<Exchange>> exchanges_;
    std::vector<std::vector<int>> exchange_of_;  // [node][task] -> exchanges_, or -1
    int node_ = 0;
    StepTimes times_;
    std::unique_ptr<StepCensus> census_;            // null: nobody observes
    std::vector<std::vector<ExchangeCost>> costs_;  // [node][task], of the census
};

}  // namespace lapwing
