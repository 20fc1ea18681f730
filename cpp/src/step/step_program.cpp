#include "step/step_program.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "step/field_memory.hpp"

namespace lapwing {

namespace {

bool in_phases(const Strategy& strategy) {
    return strategy.order == Order::three || strategy.order == Order::five || strategy.order == Order::six ||
           strategy.order == Order::six_alpha;
}

std::string fingerprint(const Read& halo) { return concat(halo.field, halo.extent, " ", listed(halo.widths, " ")); }

std::string fingerprint(const ScheduleEntry& entry) {
    return (entry.computes() ? concat(entry.stage, entry.rim) : "x") +
           listed(entry.halos, "", [](const Read& halo) { return fingerprint(halo); });
}

std::string fingerprint(const ScheduleNode& node) {
    return listed(node.entries, ";", [](const ScheduleEntry& entry) { return fingerprint(entry); });
}

std::string fingerprint(const Schedule& schedule) {
    return listed(schedule.nodes, " ",
                  [](const ScheduleNode& node) { return concat(fingerprint(node), " -> ", node.next); });
}

// Loops run undivided: no cell of theirs is final before the loop ends.
Strategy applied(const Strategy& strategy, const Grid& grid, const StepStages& stages) {
    return iterates(stages.specs()) ? Strategy{} : on_grid(strategy, grid);
}

// Tiles of more rows than the grid has are a mistake.
void require_rows(const Grid& grid, const Strategy& strategy) {
    const Index rows = grid.size[2] > 1 ? grid.size[2] : grid.size[1];
    if (strategy.rows <= rows) return;
    user_error("strategy", to_string(strategy), concat("tiles of 1 to ", rows, grid.size[2] > 1 ? " layers" : " rows"),
               "write fewer, or tiled alone: it finds a number that the cache holds");
}

constexpr Index cache_line = 64;  // bytes

CacheLines cache_lines(const AnyField& field) {
    const Index value = size_of(field.spec().type);
    CacheLines lines;
    for (const Block& block : field.blocks()) {
        if (block.strides[0] == value) lines.cells = cache_line / value;
        lines.begin.push_back(block.allocated.lo[0]);
    }
    return lines;
}

}  // namespace

StepProgram::StepProgram(Domain& domain, const StepStages& stages, ExchangePool& pool, const Strategy& strategy,
                         const Tiling& tiling, ThreadTeam* team)
    : domain_(domain),
      stages_(stages),
      pool_(pool),
      strategy_(applied(strategy, domain.partition().grid(), stages)),
      tiling_(tiling),
      team_(team) {
    together(domain.comm(), [&] {
        schedule_ = &stages.schedule(strategy_);
        require_memory();
        require_rows(domain.partition().grid(), strategy_);
    });
    require_same(domain.comm(), "schedule of the step", fingerprint(*schedule_));
    make_exchanges();
    for (int node = 0; node < std::ssize(schedule_->nodes); ++node) {
        const TaskList list = task_list(rank_step(*schedule_, node), strategy_, tiling_);
        runners_.emplace_back(list, meaning(*schedule_, node));
    }
    undivided_.resize(runners_.size());
    with_land_.resize(runners_.size());
    lacks_land_.resize(runners_.size());
    require_land();
    for (int node = 0; node < std::ssize(runners_) && stages.water() != nullptr; ++node)
        with_land_[node] = undivided(node, nullptr);
    if (strategy_.order == Order::tiled && strategy_.repetitions > 1) make_passes();
}

void StepProgram::make_passes() {
    in_passes_ = in_passes(*schedule_);
    passes_.resize(runners_.size());
    for (int node = 0; node < std::ssize(schedule_->nodes); ++node) {
        if (in_passes_.nodes[node].entries.size() == schedule_->nodes[node].entries.size()) continue;
        const TaskList list = task_list(rank_step(in_passes_, node), strategy_, tiling_);
        passes_[node] = std::make_unique<TaskRunner>(list, meaning(in_passes_, node));
    }
}

// Checks what the rims of `deep` need; the needs of an exchange are checked where it is made.
void StepProgram::require_memory() const {
    const auto widths = halos_under(stages_, strategy_);
    for (std::size_t f = 0; f < widths.size(); ++f) {
        const AnyField& field = *stages_.fields()[f];
        for (const Block& block : field.blocks()) {
            if (block.allocated.contains(grow(block.owned, widths[f]))) continue;
            Extent have;
            for (std::size_t a = 0; a < 3; ++a) {
                have.lo[a] = static_cast<int>(block.owned.lo[a] - block.allocated.lo[a]);
                have.hi[a] = static_cast<int>(block.allocated.hi[a] - block.owned.hi[a]);
            }
            user_error("memory of field " + field.spec().name, concat("a halo of ", have),
                       concat(widths[f], ", which strategy ", strategy_, " reads or computes"),
                       "make the step that needs the widest halo first, declare the field with that halo, or name the "
                       "strategy in room_for of the step that was made first");
        }
    }
}

void StepProgram::make_exchanges() {
    const Partition& partition = domain_.partition();
    ordered_ = in_phases(strategy_) && partition.aligned() && !turns(partition.grid());
    for (const ScheduleNode& node : schedule_->nodes) {
        exchange_of_.emplace_back();
        for (const ScheduleEntry& entry : node.entries) {
            const bool exchange = entry.kind == ScheduleEntry::Kind::exchange;
            exchange_of_.back().push_back(exchange ? pool_.number_of(entry.halos, ordered_) : -1);
        }
    }
}

std::vector<StepExchange*> StepProgram::exchanges_of(const ScheduleNode& node) const {
    std::vector<StepExchange*> all;
    for (const ScheduleEntry& entry : node.entries)
        all.push_back(entry.computes() ? nullptr : &pool_.exchange(pool_.number_of(entry.halos, ordered_)));
    return all;
}

RankStep StepProgram::rank_step(const Schedule& schedule, int node) const {
    const Partition& partition = domain_.partition();
    RankStep step;
    step.grid = partition.grid();
    step.subdomains = partition.subdomains_of(domain_.rank());
    for (int subdomain : step.subdomains) step.owned.push_back(partition.subdomain(subdomain).box);
    step.node = &schedule.nodes[node];
    step.next = &schedule.nodes[step.node->next];
    step.cycle = &stages_.specs();
    const auto plan = [](const StepExchange* exchange) { return exchange == nullptr ? nullptr : &exchange->plan(); };
    for (const StepExchange* exchange : exchanges_of(*step.node)) step.plans.push_back(plan(exchange));
    for (const StepExchange* exchange : exchanges_of(*step.next)) step.next_plans.push_back(plan(exchange));
    for (const AnyField* field : stages_.fields()) {
        step.values_per_cell.push_back(std::max(1, field->spec().levels) * field->spec().components);
        step.bytes_per_cell.push_back(step.values_per_cell.back() * size_of(field->spec().type));
        step.lines.push_back(cache_lines(*field));
    }
    step.water = stages_.water();
    return step;
}

std::unique_ptr<TaskRunner> StepProgram::undivided(int node, const Water* water) const {
    RankStep step = rank_step(*schedule_, node);
    step.water = water;
    return std::make_unique<TaskRunner>(task_list(step, Strategy{}), meaning(*schedule_, node));
}

void StepProgram::run(int node, TaskRunner::Ahead ahead, TaskClock& clock) {
    (lacks_land_[node] ? *with_land_[node] : runners_[node]).run(ahead, clock);
    lacks_land_[node] = false;
}

// The steps of a pass compute the cells of their nodes.
int StepProgram::steps_of_pass(int node) const {
    if (passes_.empty() || !passes_[node]) return 1;
    for (int step = 0, at = node; step < strategy_.repetitions; ++step, at = schedule_->nodes[at].next)
        if (lacks_land_[at]) return 1;
    return strategy_.repetitions;
}

TaskMeaning StepProgram::meaning(const Schedule& schedule, int node) const {
    const ScheduleNode& list = schedule.nodes[node];
    return {.stages = &stages_,
            .node = &list,
            .exchanges = exchanges_of(list),
            .next_exchanges = exchanges_of(schedule.nodes[list.next]),
            .domain = &domain_,
            .team = team_};
}

// Runs without overlap, as an observer could not tell overlapping parts apart.
void StepProgram::run_observed(int node, TaskObserver& observer, TaskClock& clock) {
    const bool land = observer.sees_land() || lacks_land_[node];
    auto& runner = (land ? with_land_ : undivided_)[node];
    if (!runner) runner = undivided(node, land ? nullptr : stages_.water());
    observer.begin(node, schedule_->nodes[node]);
    runner->run_observed(observer, clock);
    lacks_land_[node] = false;
}

void StepProgram::finish_ahead(int node) {
    for (StepExchange* exchange : exchanges_of(schedule_->nodes[node])) {
        if (exchange != nullptr && exchange->current().active()) exchange->current().pending().wait();
    }
}

std::string StepProgram::describe(int node) const {
    return to_string(tasks_of(node), rank_step(passes(), node), stages_.field_names());
}

}  // namespace lapwing
