#pragma once
// The order of exchanges and stages in a step, the same on all ranks. No memory, no MPI.

#include <span>
#include <string>
#include <vector>

#include "lapwing/schedule/stage.hpp"
#include "lapwing/schedule/strategy.hpp"

namespace lapwing {

// Either an exchange of `halos` or the computing of stage number `stage`.
struct ScheduleEntry {
    enum class Kind { exchange, compute };
    Kind kind = Kind::compute;
    int stage = -1;           // compute: number of the stage in its list
    std::vector<Read> halos;  // exchange: fields and extents, ascending fields
    Extent rim{};             // compute: cells around the owned box that are computed too
    int repeat_from = -1;     // compute: entry to go back to while the stage's number is above 0
    int sent_by = -1;         // exchange: stage that sends it, needed or not; -1: a later stage needs it
    int step = 0;             // compute: position in the cycle of the stage's list
    int later = 0;            // steps of its pass before it
    [[nodiscard]] bool computes() const { return kind == Kind::compute; }
    friend bool operator==(const ScheduleEntry&, const ScheduleEntry&) = default;
};

// One step of the cycle in one state of the halos: its entries, and the node that comes next.
struct ScheduleNode {
    int step = 0;  // position in the cycle
    std::vector<ScheduleEntry> entries;
    int next = 0;
    int phase = 0;  // `deep`: steps since its exchange
};

// All lists that a run can meet. stale_entry[p] is the node for step p of the cycle when every
// halo is stale: at the start, after a restart, or after a write outside the stages.
struct Schedule {
    std::vector<ScheduleNode> nodes;
    std::vector<int> stale_entry;
};

// A step that alternates is a cycle of several lists of stages (period 2 for an x/y order that
// swaps); one that does not is a cycle of one.
using Cycle = std::vector<std::vector<StageSpec>>;

// Exchanges stale halos that a stage reads, as late as possible. An exchange takes along every stale halo that a later
// stage reads before its field is written again, so rounds are few. `fields` is the number of fields, which the
// stages know by their numbers from 0; `pairs` the other field of each whose values its halo takes too, between faces,
// or -1; empty: there is none. Such a field is part of the exchange, without a halo of its own if that is fresh. Throws
// UserError for a cycle without stages. Local.
Schedule late_schedule(const Cycle& cycle, int fields, const std::vector<int>& pairs = {});

// Exchanges once every `repetitions` steps, so wide that the steps between find what they read: each stage computes
// rims around its owned box, found by following what is read backwards through the unrolled steps, by field, side and
// actual order. Where steps contain loops of known length (StageSpec::iteration), it is `repetitions` of these that run
// without an exchange, and stages outside the loops exchange as late as possible. Throws as `late_schedule` does,
// and for repetitions below 1. Local.
Schedule deep_schedule(const Cycle& cycle, int fields, int repetitions);

// Returns the steps that a node holds: of a pass several, else 1. Local.
int steps_of(const ScheduleNode& node);

// Joins the steps between two exchanges of `deep` to one pass, so that tiles run through several steps. Nodes keep
// their numbers; those that begin no pass stay as they are. Local.
Schedule in_passes(const Schedule& schedule);

// The schedule that a strategy needs: deep where it repeats, else late. Throws as these do. Local.
Schedule schedule_for(const Cycle& cycle, int fields, const Strategy& strategy, const std::vector<int>& pairs = {});

// The width that the halo of each field needs in memory to run the schedule: exchanged, read or computed. Local.
std::vector<Extent> halo_widths(const Cycle& cycle, int fields, const Schedule& schedule);

// True if any step iterates while a number of all ranks is above 0. Local.
bool iterates(const Cycle& cycle);

// The place of an entry in a schedule.
struct EntryPlace {
    int node = 0;
    int entry = 0;
    friend bool operator==(const EntryPlace&, const EntryPlace&) = default;
};

// True if the exchange at `place` brings `halo` for nothing: no later stage reads the field around its cells before
// another stage writes it, in any loop. Local.
bool is_needless(const Cycle& cycle, const Schedule& schedule, EntryPlace place, const Read& halo);

// The nodes of the steady state, from the first of them that the run meets. Local.
std::vector<int> steady_nodes(const Schedule& schedule);

// Describes the halos that an exchange of the schedule moves.
std::string halos_of(const ScheduleEntry& entry, std::span<const std::string> names);

// Describes the entries of one node; `names` are the fields' names.
std::string to_string(const ScheduleNode& node, const std::vector<StageSpec>& stages,
                      std::span<const std::string> names);

}  // namespace lapwing
