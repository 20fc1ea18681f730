// The report of a step: its exchanges, tasks, volume and census.

#include <algorithm>

#include "base/thread_team.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/step/step.hpp"
#include "step/auto/strategy_choice.hpp"
#include "step/observers/census_observer.hpp"

namespace lapwing {

namespace {

// The volume that a stage sends at its end, needed or not.
CensusEntry collective_entry(CensusEntry entry, const MessagePlan& plan, const std::string& stage) {
    entry.stage = stage;
    entry.unasked = true;
    for (int f = 0; f < std::ssize(plan.fields); ++f) {
        const FieldSpec& field = plan.fields[f];
        entry.fields.push_back({field.name, field.largest_extent(), messages_with(plan, f), bytes_sent_of(plan, f)});
    }
    return entry;
}

}  // namespace

std::string StepReport::strategy() const {
    return step_->choice_->trying() ? "auto" : to_string(step_->program().strategy());
}

std::string StepReport::choice() const { return step_->choice_->found(); }

int StepReport::threads() const { return step_->team_ == nullptr ? 1 : step_->team_->threads(); }

const Schedule& StepReport::schedule() const { return step_->schedule(); }

const Schedule& StepReport::passes() const { return step_->program().passes(); }

const std::vector<AnyField*>& StepReport::fields() const { return step_->stages_->fields(); }

const std::vector<Stages>& StepReport::cycle() const { return step_->stages_->cycle(); }

const std::vector<std::string>& StepReport::stage_names() const { return step_->stages_->stage_names(); }

const Timeline* StepReport::timeline() const { return step_->timeline_.get(); }

StepTimes StepReport::times() const {
    StepTimes times;
    times.steps = step_->steps_;
    times.halo_start = step_->pool_->seconds_of(&ExchangeCount::start_seconds) - step_->times_started_;
    times.halo_wait =
        step_->pool_->seconds_of(&ExchangeCount::wait_seconds) - step_->times_waited_ + step_->handshakes_;
    if (step_->census_) times.halo_wait += step_->census_->waited();
    for (const KernelClock& stage : step_->clock_->stages) {
        times.compute.push_back(seconds_of(stage.ticks) / threads());
        times.calls.push_back(stage.calls);
    }
    return times;
}

StepVolume StepReport::volume() const {
    StepVolume volume;
    const auto nodes = steady_nodes(schedule());
    const auto n = static_cast<double>(nodes.size());
    for (int node : nodes) {
        for (const ScheduleEntry& entry : schedule().nodes[node].entries) {
            const MessagePlan* plan = plan_of(entry);
            if (plan == nullptr) continue;
            volume.exchanges += 1.0 / n;
            volume.messages += messages_sent(*plan) / n;
            volume.bytes += static_cast<double>(bytes_sent(*plan)) / n;
        }
    }
    return volume;
}

const MessagePlan* StepReport::plan_of(const ScheduleEntry& entry) const {
    if (!entry.computes()) return &step_->program().plan_of(entry);
    const auto& collective = step_->stages_->cycle()[entry.step][entry.stage].collective;
    return collective ? collective->plan : nullptr;
}

std::string StepReport::describe() const {
    const std::vector<std::string> names = step_->stages_->field_names();
    std::string text;
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& list = schedule().nodes[node];
        text += concat("step ", list.step, " of ", step_->stages_->specs().size(), "\n");
        text += to_string(list, step_->stages_->specs()[list.step], names);
    }
    return text;
}

std::string StepReport::describe_tasks() const {
    std::string text = concat("strategy ", step_->program().strategy());
    if (iterates(step_->stages_->specs()))
        text += ", whatever was asked for: the step iterates while a number of all ranks is above 0";
    text += "\n";
    for (int node : steady_nodes(passes())) {
        const ScheduleNode& list = passes().nodes[node];
        if (steps_of(list) > 1) text += concat(steps_of(list), " steps from ");
        text += concat("step ", list.step, " of ", step_->stages_->specs().size(), "\n");
        text += step_->program().describe(node);
    }
    return text;
}

std::vector<NamedTasks> StepReport::task_lists() const {
    const std::vector<std::string> names = step_->stages_->field_names();
    std::vector<NamedTasks> lists;
    for (int node : steady_nodes(passes())) {
        const ScheduleNode& here = passes().nodes[node];
        const ScheduleNode& next = passes().nodes[here.next];
        lists.push_back({step_->program().tasks_of(node), {}, {}, steps_of(here)});
        for (const Task& task : lists.back().list.tasks) {
            const ScheduleEntry& entry = (task.ahead ? next : here).entries[task.entry];
            lists.back().later.push_back(task.ahead ? steps_of(here) : entry.later);
            lists.back().subjects.push_back(
                entry.computes() ? step_->stages_->specs()[entry.step][entry.stage].name
                                 : listed(entry.halos, ", ", [&](const Read& halo) { return names[halo.field]; }));
        }
    }
    return lists;
}

double StepReport::tasks_per_step() const {
    double tasks = 0, steps = 0;
    for (int node : steady_nodes(passes())) {
        tasks += static_cast<double>(step_->program().tasks(node));
        steps += steps_of(passes().nodes[node]);
    }
    return tasks / steps;
}

std::string StepReport::subject_of(const TimelineEvent& event) const {
    if (event.subject < 0) return "";
    const std::size_t number = event.subject;
    if (event.kind == TimelineEvent::Kind::compute) return stage_names()[number];
    return listed(step_->pool_->exchanges()[number]->plan().fields, ", ", &FieldSpec::name);
}

CensusEntry StepReport::census_entry(int node, int entry) const {
    const ScheduleNode& list = schedule().nodes[node];
    const int number = step_->program().exchange_of(node, entry);
    const MessagePlan& plan = *plan_of(list.entries[entry]);
    const auto& stages = step_->stages_->specs()[list.step];
    CensusEntry found;
    found.position = list.step;
    found.messages = messages_sent(plan);
    found.bytes = bytes_sent(plan);
    found.cost = step_->census_->cost(node, entry);
    if (number < 0) return collective_entry(std::move(found), plan, stages[list.entries[entry].stage].name);
    found.handshake = step_->census_->handshake_seconds(number);
    found.unasked = list.entries[entry].sent_by >= 0;
    const auto first_computed =
        std::ranges::find_if(list.entries.begin() + entry, list.entries.end(), &ScheduleEntry::computes);
    found.stage = stages[found.unasked ? list.entries[entry].sent_by : first_computed->stage].name;
    for (std::size_t f = 0; f < plan.fields.size(); ++f) {
        const auto field = static_cast<int>(f);
        const Read& halo = list.entries[entry].halos[f];
        found.fields.push_back({plan.fields[f].name, halo.extent, messages_with(plan, field),
                                bytes_sent_of(plan, field),
                                is_needless(step_->stages_->specs(), schedule(), {node, entry}, halo)});
    }
    return found;
}

std::vector<CensusEntry> StepReport::census() const {
    std::vector<CensusEntry> entries;
    if (step_->census_ == nullptr) return entries;
    const std::vector<int> steady = steady_nodes(schedule());
    for (int node = 0; node < std::ssize(schedule().nodes); ++node) {
        for (int e = 0; e < std::ssize(schedule().nodes[node].entries); ++e) {
            if (plan_of(schedule().nodes[node].entries[e]) == nullptr) continue;
            entries.push_back(census_entry(node, e));
            entries.back().steady = std::ranges::count(steady, node) > 0;
        }
    }
    std::ranges::stable_sort(entries, {}, &CensusEntry::position);
    return entries;
}

}  // namespace lapwing
