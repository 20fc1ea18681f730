#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <tuple>

#include "bindings.hpp"
#include "lapwing/step/step.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing;

namespace {

void bind_census(nb::module_& m) {
    nb::class_<FieldShare>(m, "FieldShare", "A field's part in one run of an exchange, on this rank.")
        .def_ro("name", &FieldShare::name, "Name of the field.")
        .def_ro("extent", &FieldShare::extent, "Cells that travel, beyond those that a rank owns.")
        .def_ro("messages", &FieldShare::messages, "Messages sent that carry some of it.")
        .def_ro("bytes", &FieldShare::bytes, "Bytes of it that are sent.")
        .def_ro("needless", &FieldShare::needless, "Whether nobody reads its halo before it is stale again.");
    nb::class_<ExchangeCost>(m, "ExchangeCost", "Time of an exchange on this rank, in seconds over all its runs.")
        .def_ro("count", &ExchangeCost::count, "How often it ran.")
        .def_ro("packing", &ExchangeCost::packing, "Seconds of packing, posting and copies within the rank.")
        .def_ro("late", &ExchangeCost::late, "Seconds until the last neighbour was there.")
        .def_ro("transfer", &ExchangeCost::transfer, "Seconds of messages on their way, unpacking included.");
    nb::class_<CensusEntry>(m, "CensusEntry", "One exchange of a step: what it moves, and what it cost this rank.")
        .def_ro("position", &CensusEntry::position, "Position in the cycle, from 0.")
        .def_ro("steady", &CensusEntry::steady, "Whether it is part of the steady state.")
        .def_ro("stage", &CensusEntry::stage, "The stage that could not go on without it, or that sends it unasked.")
        .def_ro("unasked", &CensusEntry::unasked, "Whether a stage sends it because a list says so.")
        .def_ro("fields", &CensusEntry::fields, "What every field has of one run.")
        .def_ro("messages", &CensusEntry::messages, "Messages sent in one run.")
        .def_ro("bytes", &CensusEntry::bytes, "Bytes sent in one run.")
        .def_ro("handshake", &CensusEntry::handshake,
                "Seconds that the handshake before it takes among ranks that are all there.")
        .def_ro("cost", &CensusEntry::cost, "How often it ran, and where the time went.");
}

using TimelineTuple = std::tuple<std::string, std::string, double, double, Index>;

std::vector<TimelineTuple> timeline_of(const StepReport& report) {
    static constexpr std::array names{"compute", "start", "wait", "unpack"};
    std::vector<TimelineTuple> events;
    const Timeline* timeline = report.timeline();
    if (timeline == nullptr) return events;
    for (const TimelineEvent& event : timeline->events()) {
        events.emplace_back(names[static_cast<std::size_t>(event.kind)], report.subject_of(event),
                            timeline->seconds(event.begin), timeline->seconds(event.end), event.box.volume());
    }
    return events;
}

// The name of a stage, the fields that it reads, and those that it writes.
using StageTuple = std::tuple<std::string, std::vector<FieldSpec>, std::vector<FieldSpec>>;

std::vector<std::vector<StageTuple>> stages_of(const StepReport& report) {
    std::vector<std::vector<StageTuple>> lists;
    for (const auto& stages : report.cycle()) {
        lists.emplace_back();
        for (const Stage& stage : stages) {
            StageTuple tuple{stage.name, {}, {}};
            for (const FieldRead& read : stage.reads) std::get<1>(tuple).push_back(read.field->spec());
            for (const AnyField* field : stage.writes) std::get<2>(tuple).push_back(field->spec());
            lists.back().push_back(std::move(tuple));
        }
    }
    return lists;
}

// A task with the name of its stage, or of the fields that it moves.
struct NamedTask {
    Task task;
    std::string subject;
    int later = 0;
};

std::vector<std::vector<NamedTask>> task_lists_of(const StepReport& report) {
    std::vector<std::vector<NamedTask>> lists;
    for (const NamedTasks& named : report.task_lists()) {
        lists.emplace_back();
        for (std::size_t n = 0; n < named.list.tasks.size(); ++n)
            lists.back().push_back({named.list.tasks[n], named.subjects[n], named.later[n]});
    }
    return lists;
}

void bind_tasks(nb::module_& m) {
    static constexpr std::array names{"start", "arrive", "compute", "reduce"};
    nb::class_<NamedTask>(m, "NamedTask", "One thing that a rank does in a step.")
        .def_prop_ro(
            "kind", [](const NamedTask& t) { return names[static_cast<std::size_t>(t.task.kind)]; },
            "start (packing and posting), arrive (a phase of an exchange is over), compute, or reduce.")
        .def_ro("subject", &NamedTask::subject, "Name of the stage, or of the fields that travel.")
        .def_ro("later", &NamedTask::later, "Steps of its list before it: of those that tiles go through together.")
        .def_prop_ro(
            "entry", [](const NamedTask& t) { return t.task.entry; },
            "Number of its stage or exchange in the schedule.")
        .def_prop_ro(
            "ahead", [](const NamedTask& t) { return t.task.ahead; },
            "Whether it starts an exchange that the next step waits for.")
        .def_prop_ro(
            "phase", [](const NamedTask& t) { return t.task.phase; }, "Arrive: number of the phase of its exchange.")
        .def_prop_ro(
            "block", [](const NamedTask& t) { return t.task.block; }, "Compute: number among the rank's boxes.")
        .def_prop_ro(
            "box", [](const NamedTask& t) { return t.task.box; }, "Compute: the cells.")
        .def_prop_ro(
            "priority", [](const NamedTask& t) { return t.task.priority; }, "Of what is ready the least is done first.")
        .def_prop_ro(
            "after", [](const NamedTask& t) { return t.task.after; },
            "Numbers of tasks in its list that must be done before, ascending.");
}

void bind_numbers(nb::module_& m) {
    nb::class_<StepTimes>(m, "StepTimes", "Where the time of a step went, in seconds.")
        .def_ro("steps", &StepTimes::steps, "Steps that were run.")
        .def_ro("halo_start", &StepTimes::halo_start, "Seconds of packing and posting.")
        .def_ro("halo_wait", &StepTimes::halo_wait, "Seconds of waiting and unpacking.")
        .def_ro("compute", &StepTimes::compute, "Seconds in each stage, in the order of StepReport.stage_names.")
        .def_ro("calls", &StepTimes::calls, "Tasks of each stage, in the same order: one box of it at a time.");
    nb::class_<StepVolume>(m, "StepVolume", "Rounds, messages and bytes per step on this rank.")
        .def_ro("exchanges", &StepVolume::exchanges, "Rounds of messages per step.")
        .def_ro("messages", &StepVolume::messages, "Messages sent per step.")
        .def_ro("bytes", &StepVolume::bytes, "Bytes sent per step.");
}

void bind_running(nb::class_<Step>& step) {
    step.def(
            "run",
            [](Step& self, int steps, const std::function<void()>& before_each,
               const std::function<void(Index)>& enter_step) {
                if (before_each) {
                    self.run(steps, before_each);
                } else {
                    self.run(steps, enter_step);
                }
            },
            "steps"_a, "before_each"_a.none(), "enter_step"_a = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
            "Run so many steps of the cycle, each after a call of `before_each`, or, without it, with calls of "
            "`enter_step(n)` before the kernels of step n, from 0, as tiles enter it. Writes that some ranks alone "
            "announced before are known to all. Collective. Raises OutsideError when MPI fails. Cost: one reduction, "
            "and the messages that `report.volume` tells.")
        .def("settle", &Step::settle, "strategy"_a, nb::call_guard<nb::gil_scoped_release>(),
             "End the measuring of strategy \"auto\" and run this one from now on. Collective. Raises UserError on all "
             "ranks for one that does not exist, for \"auto\", or where halos are too narrow for it.")
        .def_prop_rw("position", &Step::position, &Step::restart_at,
                     "Position in the cycle of the next step, from 0. Local. Set it, on all ranks alike, to continue "
                     "there: all halos then count as stale. Raises UserError for a position outside the cycle.");
}

// `functions`, a pair that lives as long as the step: what is called where a range begins, and where it ends.
template <int number>
void call_range(void* functions, const char* name) {
    const nb::gil_scoped_acquire lock;
    const nb::object function = nb::handle(static_cast<PyObject*>(functions))[number];
    if (!function.is_none()) function(name);
}

void name_ranges(Step& step, const nb::tuple& functions) {
    if (functions[0].is_none() && functions[1].is_none()) return step.name_ranges({});
    step.name_ranges({&call_range<0>, &call_range<1>, functions.ptr()});
}

// Binds measurements, and whatever else shows a step while it runs.
void bind_observing(nb::class_<Step>& step) {
    step.def("reset_times", &Step::reset_times, "Set all times to zero. Local.")
        .def("observe", &Step::observe, "on"_a = true, nb::call_guard<nb::gil_scoped_release>(),
             "Let every exchange follow a handshake with its neighbours and split its time, from now on and from zero. "
             "Collective. Raises OutsideError when MPI fails. Cost: some hundred handshakes per exchange now, one each "
             "afterwards.")
        .def("check", &Step::check, "on"_a = true, nb::call_guard<nb::gil_scoped_release>(),
             "Check every step from now on: `run` raises UserError on all ranks together, naming stage, field and the "
             "extent needed, where a stage's results depend on what it does not declare as read, where it writes a "
             "field that it does not declare, or where one was changed outside the stages without Field.modified. "
             "Kernels are run several times, whatever the strategy. Collective. Cost: many times the step.")
        .def("draw_timeline", &Step::draw_timeline, "events"_a,
             "Note what this rank does when, up to so many events from now on; 0: no more. Local.");
}

// Binds the description of a step.
void bind_describing(nb::class_<StepReport>& report) {
    report.def_prop_ro("stage_names", &StepReport::stage_names, "The distinct names of the stages. Local.")
        .def_prop_ro("stages", &stages_of,
                     "The stages by position in the cycle, in their order: tuples of name, fields that are read, and "
                     "fields that are written. Local.")
        .def_prop_ro(
            "positions", [](const StepReport& r) { return r.schedule().stale_entry.size(); },
            "Length of the cycle. Local.")
        .def_prop_ro("threads", &StepReport::threads, "Threads of each rank that share its kernels. Local.")
        .def_prop_ro("strategy", &StepReport::strategy,
                     "Name of the strategy in use, \"auto\" while it measures. Local.")
        .def_prop_ro("choice", &StepReport::choice,
                     "How far strategy \"auto\" is, then what it took and why; empty without it. Local.")
        .def("describe", &StepReport::describe, "The exchanges and stages of the steady state, for people. Local.")
        .def("describe_tasks", &StepReport::describe_tasks,
             "The task lists of this rank in the steady state, for people. Local.")
        .def("task_lists", &task_lists_of,
             "The task lists of this rank in the steady state of long runs: one for each step, or for the steps that "
             "tiles go through together. In the order in which tasks are done, or, where what is ready goes first, in "
             "the order of the schedule. Local.")
        .def_prop_ro(
            "tasks_in_order", [](const StepReport& r) { return r.task_lists().front().list.in_order; },
            "Whether tasks are done in the order of their list; else what is ready goes, by priority. Local.")
        .def_prop_ro("tasks_per_step", &StepReport::tasks_per_step, "Tasks of one step in the steady state. Local.");
}

// Binds the costs of a step.
void bind_costs(nb::class_<StepReport>& report) {
    report
        .def_prop_ro("times", &StepReport::times, nb::rv_policy::move,
                     "Where the time went since construction or `reset_times`. Local.")
        .def_prop_ro("volume", &StepReport::volume,
                     "What this rank sends per step once halos are in their steady state. Local.")
        .def("census", &StepReport::census,
             "The exchanges of the step by position in the cycle, with what they cost on this rank since `observe` or "
             "`reset_times`; empty unless it observes. Local.")
        .def_prop_ro(
            "timeline", &timeline_of,
            "What `draw_timeline` noted: tuples of kind (compute, start, wait, unpack), name of the stage or of "
            "the fields, begin and end in seconds of the node's monotonic clock (time.monotonic), cells "
            "computed. They do not overlap; those of one kind are in order. Local.");
}

void bind_report(nb::module_& m) {
    nb::class_<StepReport> report(m, "StepReport",
                                  "What a step is made of, and what it has cost; made by Step.report.");
    report.def(nb::init<const Step&>(), "step"_a, nb::keep_alive<1, 2>(), "Look at a step. Local.");
    bind_describing(report);
    bind_costs(report);
}

}  // namespace

void lapwing::python::bind_step(nb::module_& m) {
    bind_numbers(m);
    bind_census(m);
    bind_tasks(m);
    nb::class_<Step> step(m, "Step", "The stages of a model, run in the order that a strategy chose.");
    bind_report(m);
    step.def(
        "__init__",
        [](Step* self, Domain& domain, const std::vector<Stages>& cycle, const std::string& strategy,
           const std::string& transport, int threads) {
            new (self) Step(domain, cycle, {.strategy = strategy, .transport = transport, .threads = threads});
        },
        "domain"_a, "cycle"_a, "strategy"_a = "blocking", "transport"_a = "auto", "threads"_a = 0,
        nb::keep_alive<1, 2>(),
        "Make the schedule of a cycle of lists of stages, and every exchange in it. Collective over the domain. "
        "Raises UserError on all ranks for a bad stage or stages that differ.");
    bind_running(step);
    bind_observing(step);
    step.def_prop_ro("report", &Step::report, nb::keep_alive<0, 1>(), "What it is made of and has cost. Local.");
    m.def("name_ranges", &name_ranges, "step"_a, "functions"_a, nb::keep_alive<1, 2>(),
          nb::sig("def name_ranges(step: Step, functions: tuple[object, object]) -> None"),
          "Call functions[0](name) where a part of the step begins and functions[1](name) where it ends, from now on. "
          "Local.");
    m.def("strategy_names", &strategy_names,
          "Names that a step takes as its strategy, those with a number as examples. "
          "Local.");
    m.def(
        "strategy_name", [](const std::string& name) { return to_string(parse_strategy(name)); }, "name"_a,
        "The strategy's own name for one that a step takes. Local. Raises UserError for any other.");
}
