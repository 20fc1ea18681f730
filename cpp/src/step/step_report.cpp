// What a step says of itself: its exchanges, tasks, volume and census.

#include <algorithm>

#include "lapwing/base/concat.hpp"
#include "lapwing/step/step.hpp"
#include "step/step_program.hpp"

namespace lapwing {

namespace {

// What a stage sends when it is done, as one that is sent unasked.
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

StepVolume Step::volume() const {
    StepVolume volume;
    const auto nodes = steady_nodes(schedule());
    const auto n = static_cast<double>(nodes.size());
    for (int node : nodes) {
        for (std::size_t e = 0; e < schedule().nodes[node].entries.size(); ++e) {
            const MessagePlan* plan = plan_of(node, static_cast<int>(e));
            if (plan == nullptr) continue;
            volume.exchanges += 1.0 / n;
            volume.messages += messages_sent(*plan) / n;
            volume.bytes += static_cast<double>(bytes_sent(*plan)) / n;
        }
    }
    return volume;
}

const MessagePlan* Step::plan_of(int node, int entry) const {
    const int number = program().exchange_of(node, entry);
    if (number >= 0) return &pool_->exchanges()[number]->plan();
    const ScheduleNode& list = schedule().nodes[node];
    const int stage = list.entries[entry].stage;
    const auto& collective = stages_.cycle()[list.step][stage].collective;
    return collective ? collective->plan : nullptr;
}

std::string Step::describe() const {
    const std::vector<std::string> names = stages_.field_names();
    std::string text;
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& list = schedule().nodes[node];
        text += concat("step ", list.step, " of ", stages_.specs().size(), "\n");
        text += to_string(list, stages_.specs()[list.step], names);
    }
    return text;
}

std::string Step::describe_tasks() const {
    std::string text = concat("strategy ", program().strategy());
    if (iterates(stages_.specs()))
        text += ", whatever was asked for: the step iterates while a number of all ranks is above 0";
    text += "\n";
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& list = schedule().nodes[node];
        text += concat("step ", list.step, " of ", stages_.specs().size(), "\n");
        text += program().describe(node);
    }
    return text;
}

std::vector<NamedTasks> Step::task_lists() const {
    const std::vector<std::string> names = stages_.field_names();
    std::vector<NamedTasks> lists;
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& here = schedule().nodes[node];
        const ScheduleNode& next = schedule().nodes[here.next];
        lists.push_back({program().tasks_of(node), {}});
        for (const Task& task : lists.back().list.tasks) {
            const ScheduleEntry& entry = (task.ahead ? next : here).entries[task.entry];
            lists.back().subjects.push_back(
                entry.halos.empty() ? stages_.specs()[here.step][entry.stage].name
                                    : listed(entry.halos, ", ", [&](const Read& halo) { return names[halo.field]; }));
        }
    }
    return lists;
}

double Step::tasks_per_step() const {
    const auto nodes = steady_nodes(schedule());
    double sum = 0;
    for (int node : nodes) sum += static_cast<double>(program().tasks(node));
    return sum / static_cast<double>(nodes.size());
}

std::string Step::subject_of(const TimelineEvent& event) const {
    if (event.subject < 0) return "";
    const std::size_t number = event.subject;
    if (event.kind == TimelineEvent::Kind::compute) return stage_names()[number];
    return listed(pool_->exchanges()[number]->plan().fields, ", ", &FieldSpec::name);
}

CensusEntry Step::census_entry(int node, int entry) const {
    const ScheduleNode& list = schedule().nodes[node];
    const int number = program().exchange_of(node, entry);
    const MessagePlan& plan = *plan_of(node, entry);
    const auto& stages = stages_.specs()[list.step];
    CensusEntry found;
    found.position = list.step;
    found.messages = messages_sent(plan);
    found.bytes = bytes_sent(plan);
    found.cost = costs_[node][entry];
    if (number < 0) return collective_entry(std::move(found), plan, stages[list.entries[entry].stage].name);
    found.handshake = census_->handshake_seconds(number);
    found.unasked = list.entries[entry].sent_by >= 0;
    const auto first_computed =
        std::ranges::find_if(list.entries.begin() + entry, list.entries.end(), &ScheduleEntry::computes);
    found.stage = stages[found.unasked ? list.entries[entry].sent_by : first_computed->stage].name;
    for (std::size_t f = 0; f < plan.fields.size(); ++f) {
        const auto field = static_cast<int>(f);
        const Read& halo = list.entries[entry].halos[f];
        found.fields.push_back({plan.fields[f].name, halo.extent, messages_with(plan, field),
                                bytes_sent_of(plan, field),
                                is_needless(stages_.specs(), schedule(), {node, entry}, halo)});
    }
    return found;
}

std::vector<CensusEntry> Step::census() const {
    std::vector<CensusEntry> entries;
    if (census_ == nullptr) return entries;
    const std::vector<int> steady = steady_nodes(schedule());
    for (int node = 0; node < std::ssize(schedule().nodes); ++node) {
        for (int e = 0; e < std::ssize(schedule().nodes[node].entries); ++e) {
            if (plan_of(node, e) == nullptr) continue;
            entries.push_back(census_entry(node, e));
            entries.back().steady = std::ranges::count(steady, node) > 0;
        }
    }
    std::ranges::stable_sort(entries, {}, &CensusEntry::position);
    return entries;
}

}  // namespace lapwing
