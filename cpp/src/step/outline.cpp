#include "lapwing/step/outline.hpp"

#include <algorithm>
#include <set>

#include "lapwing/base/concat.hpp"
#include "lapwing/memory/bound_plan.hpp"
#include "lapwing/memory/copy_list.hpp"

namespace lapwing {

namespace {

int levels_of(const Stage& stage) {
    int levels = 1;
    for (const AnyField* field : stage.writes) levels = std::max(levels, field->spec().levels);
    return levels;
}

MessageOutline outline_of(const BoundMessage& message) {
    MessageOutline outline{message.peer};
    for (const StridedBlock& piece : message.pieces) {
        outline.bytes += piece.bytes();
        outline.rows += rows_in_memory(piece);
    }
    return outline;
}

PhaseOutline outline_of(const BoundPhase& phase) {
    PhaseOutline outline;
    for (const BoundMessage& message : phase.sends) outline.sends.push_back(outline_of(message));
    for (const BoundMessage& message : phase.receives) outline.receives.push_back(outline_of(message));
    for (const BoundCopy& copy : phase.copies) {
        outline.copied_bytes += copy.from.bytes();
        outline.copied_rows += rows_in_memory(copy.from);
    }
    return outline;
}

// True if all that ranks do together at its end is bringing halos back: fields of transposes have none.
bool returns_halos(const Stage& stage) {
    if (!stage.collective || stage.collective->plan == nullptr) return false;
    return std::ranges::none_of(stage.collective->plan->fields,
                                [](const FieldSpec& field) { return field.largest_extent().empty(); });
}

// Makes the outline of one step of the steady state.
class Outliner {
  public:
    Outliner(const StepReport& report, const NamedTasks& tasks, const ScheduleNode& list)
        : report_(report), tasks_(tasks), list_(list) {}

    [[nodiscard]] StepOutline outline() const {
        StepOutline step;
        step.steps = tasks_.steps;
        step.in_order = tasks_.list.in_order;
        for (const Task& task : tasks_.list.tasks) step.tasks.push_back(of_task(task));
        for (const ScheduleEntry& entry : list_.entries) {
            const bool travels = !entry.computes() || returns_halos(stage_of(entry));
            step.exchanges.push_back(travels ? phases_of(entry) : std::vector<PhaseOutline>{});
            step.names.push_back(name_of(entry));
            step.later.push_back(entry.later);
            step.reads.push_back(entry.computes() ? read_by(stage_of(entry)) : std::vector<int>{});
            step.writes.push_back(entry.computes() ? written_by(stage_of(entry)) : std::vector<int>{});
        }
        step.left_out = tasks_.list.left_out;
        for (std::size_t e = 0; e < list_.entries.size(); ++e)
            if (list_.entries[e].computes()) step.left_out[e].cells *= levels_of(stage_of(list_.entries[e]));
        step.from_before.resize(list_.entries.size());
        for (const int e : exchanges_ahead(list_)) step.from_before[e] = 1;
        return step;
    }

  private:
    [[nodiscard]] const Stage& stage_of(const ScheduleEntry& entry) const {
        return report_.cycle()[entry.step][entry.stage];
    }
    [[nodiscard]] TaskOutline of_task(const Task& task) const {
        TaskOutline outline{task};
        if (task.kind != Task::Kind::compute && task.kind != Task::Kind::reduce) return outline;
        const Stage& stage = stage_of(list_.entries[task.entry]);
        outline.stage =
            static_cast<int>(std::ranges::find(report_.stage_names(), stage.name) - report_.stage_names().begin());
        if (task.kind == Task::Kind::reduce || task.box.empty()) return outline;
        for (const Box& box : task.computed()) {
            const auto cells = static_cast<double>(box.volume() * levels_of(stage));
            outline.cells += cells;
            outline.rows += cells / static_cast<double>(box.size(0));
        }
        return outline;
    }
    [[nodiscard]] std::vector<PhaseOutline> phases_of(const ScheduleEntry& entry) const {
        const MessagePlan& plan = *report_.plan_of(entry);
        std::vector<const AnyField*> memory;
        for (const FieldSpec& spec : plan.fields)
            memory.push_back(*std::ranges::find_if(
                report_.fields(), [&](const AnyField* field) { return field->spec().name == spec.name; }));
        const BoundPlan bound = lapwing::bind(plan, memory, memory);
        std::vector<PhaseOutline> phases;
        for (const BoundPhase& phase : bound.phases) phases.push_back(outline_of(phase));
        return phases;
    }
    [[nodiscard]] int number_of(const AnyField* field) const {
        return static_cast<int>(std::ranges::find(report_.fields(), field) - report_.fields().begin());
    }
    [[nodiscard]] std::vector<int> read_by(const Stage& stage) const {
        std::vector<int> numbers;
        for (const FieldRead& read : stage.reads) numbers.push_back(number_of(read.field));
        return numbers;
    }
    [[nodiscard]] std::vector<int> written_by(const Stage& stage) const {
        std::vector<int> numbers;
        for (const AnyField* field : stage.writes) numbers.push_back(number_of(field));
        return numbers;
    }
    [[nodiscard]] std::string name_of(const ScheduleEntry& entry) const {
        if (entry.computes()) return stage_of(entry).name;
        return listed(entry.halos, ", ", [&](const Read& halo) { return report_.fields()[halo.field]->spec().name; });
    }

    const StepReport& report_;
    const NamedTasks& tasks_;
    const ScheduleNode& list_;
};

std::vector<int> peers_of(const std::vector<StepOutline>& steps) {
    std::set<int> peers;
    for (const StepOutline& step : steps)
        for (const auto& phases : step.exchanges)
            for (const PhaseOutline& phase : phases)
                for (const auto* messages : {&phase.sends, &phase.receives})
                    for (const MessageOutline& message : *messages) peers.insert(message.peer);
    return {peers.begin(), peers.end()};
}

FieldOutline outline_of(const AnyField* field) {
    const FieldSpec& spec = field->spec();
    return {spec.name, Index{std::max(1, spec.levels)} * spec.components * static_cast<Index>(size_of(spec.type))};
}

}  // namespace

int steps_of(const RankOutline& outline) {
    int steps = 0;
    for (const StepOutline& step : outline.steps) steps += step.steps;
    return steps;
}

RankOutline outline_of(const Step& step, const Domain& domain) {
    const StepReport report = step.report();
    RankOutline outline;
    outline.rank = domain.rank();
    for (const AnyField* field : report.fields()) outline.fields.push_back(outline_of(field));
    outline.stages = report.stage_names();
    const std::vector<int> nodes = steady_nodes(report.passes());
    const std::vector<NamedTasks> tasks = report.task_lists();
    for (std::size_t n = 0; n < nodes.size(); ++n)
        outline.steps.push_back(Outliner(report, tasks[n], report.passes().nodes[nodes[n]]).outline());
    outline.peers = peers_of(outline.steps);
    for (const auto& stages : report.cycle())
        for (const Stage& stage : stages) {
            const bool collective = stage.collective && !returns_halos(stage);
            if (collective || stage.repeats > 0) outline.unknown.push_back(stage.name);
            if (stage.region) outline.regions.push_back(*stage.region);
        }
    return outline;
}

}  // namespace lapwing
