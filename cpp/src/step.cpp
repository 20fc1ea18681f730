#include "lapwing/step.hpp"

#include <algorithm>
#include <optional>

#include "lapwing/agreement.hpp"
#include "lapwing/error.hpp"
#include "lapwing/reduction.hpp"
#include "lapwing/ticks.hpp"
#include "step_check.hpp"
#include "strategy_choice.hpp"

namespace lapwing {

namespace {

StepStages numbered(const Domain& domain, std::vector<std::vector<Stage>>&& cycle, const std::string& strategy) {
    std::optional<StepStages> stages;
    together(domain.comm(), [&] {
        static_cast<void>(parse_strategy(strategy));
        stages.emplace(domain, std::move(cycle));
    });
    return std::move(*stages);
}

// Seconds of all exchanges since they were made.
double started(const ExchangePool& pool) {
    double sum = 0;
    for (const auto& exchange : pool.exchanges()) sum += exchange->count().start_seconds();
    return sum;
}

double waited(const ExchangePool& pool) {
    double sum = 0;
    for (const auto& exchange : pool.exchanges()) sum += exchange->count().wait_seconds();
    return sum;
}

}  // namespace

Step::Step(Domain& domain, std::vector<std::vector<Stage>> cycle, const std::string& strategy,
           const std::string& transport)
    : domain_(domain),
      stages_(numbered(domain, std::move(cycle), strategy)),
      versions_(stages_.fields().size()),
      pool_(std::make_unique<ExchangePool>(domain, stages_, transport)),
      clock_(std::make_unique<TaskClock>()) {
    require_same(domain.comm(), "strategy", strategy);
    choice_ = std::make_unique<StrategyChoice>(domain, stages_, *pool_, parse_strategy(strategy));
    clock_->compute.resize(stage_names().size());
    restart_at(0);
}

Step::~Step() = default;

std::vector<bool> Step::announced() const {
    std::vector<bool> changed;
    for (std::size_t f = 0; f < versions_.size(); ++f)
        changed.push_back(versions_[f] != stages_.fields()[f]->version());
    return changed;
}

bool Step::modified_outside() {
    bool modified = false;
    for (std::size_t f = 0; f < versions_.size(); ++f) {
        modified |= versions_[f] != stages_.fields()[f]->version();
        versions_[f] = stages_.fields()[f]->version();
    }
    return modified;
}

void Step::agree_on_modified() {
    if (any(domain_, modified_outside())) restart_at(position());
}

void Step::run(bool another_follows) {
    if (check_ != nullptr) {
        together(domain_.comm(), [&] { check_->require_announced(announced()); });
    }
    if (modified_outside()) restart_at(position());
    if (check_ != nullptr) {
        run_checked();
    } else if (census_ != nullptr) {
        run_observed();
    } else if (choice_->trying()) {
        run_tried(another_follows);
    } else {
        program().run(node_, {ahead_, another_follows}, *clock_);
        ahead_ = another_follows;
        node_ = schedule().nodes[static_cast<std::size_t>(node_)].next;
    }
    ++steps_;
}

// A turn of `auto`; the next program begins with all halos stale, as it may need wider ones.
void Step::run_tried(bool another_follows) {
    const bool ahead = another_follows && choice_->goes_on();
    const std::int64_t begin = ticks();
    program().run(node_, {ahead_, ahead}, *clock_);
    ahead_ = ahead;
    node_ = schedule().nodes[static_cast<std::size_t>(node_)].next;
    if (!choice_->took(ticks() - begin)) return;
    const int at = position();
    finish_ahead();
    choice_->change();
    restart_at(at);
}

StepProgram& Step::program() const { return choice_->program(); }

void Step::finish_ahead() {
    if (ahead_) program().finish_ahead(node_);
    ahead_ = false;
}

// The kernel of a stage on all its boxes, undivided.
void Step::compute_whole(std::size_t position, const ScheduleEntry& entry) {
    const auto number = static_cast<std::size_t>(entry.stage);
    const Stage& stage = stages_.cycle()[position][number];
    const auto& mine = domain_.partition().subdomains_of(domain_.rank());
    const std::int64_t begin = ticks();
    if (stage.reduction) begin_reduction(*stage.reduction);
    for (std::size_t b = 0; b < mine.size(); ++b) {
        const Box owned = domain_.partition().subdomain(mine[b]).box;
        for (const Box& box :
             computed_boxes(stages_.specs()[position][number], owned, entry.rim, domain_.partition().grid())) {
            if (!box.empty()) stage.kernel(stage.contexts[b], box);
        }
    }
    clock_->compute[static_cast<std::size_t>(stages_.name_of(position, number))] += ticks() - begin;
    if (stage.reduction) end_reduction(domain_, *stage.reduction);
}

// Whether a loop that ends with this entry has to go on.
bool Step::goes_back(const ScheduleNode& node, std::size_t entry) const {
    if (node.entries[entry].repeat_from < 0) return false;
    const auto stage = static_cast<std::size_t>(node.entries[entry].stage);
    return *stages_.cycle()[static_cast<std::size_t>(node.step)][stage].reduction->value > 0.0;
}

// In the order of the schedule, each exchange with a handshake: what overlaps cannot be told apart.
void Step::run_observed() {
    finish_ahead();
    const ScheduleNode& node = schedule().nodes[static_cast<std::size_t>(node_)];
    for (std::size_t e = 0; e < node.entries.size(); ++e) {
        const int number = program().exchange_of(node_, static_cast<int>(e));
        if (number >= 0) {
            handshakes_ += census_->run(number, costs_[static_cast<std::size_t>(node_)][e]);
            continue;
        }
        compute_whole(static_cast<std::size_t>(node.step), node.entries[e]);
        if (goes_back(node, e)) e = static_cast<std::size_t>(node.entries[e].repeat_from) - 1;
    }
    node_ = node.next;
}

void Step::run_checked() {
    finish_ahead();
    const ScheduleNode& node = schedule().nodes[static_cast<std::size_t>(node_)];
    const auto position = static_cast<std::size_t>(node.step);
    for (std::size_t e = 0; e < node.entries.size(); ++e) {
        const int number = program().exchange_of(node_, static_cast<int>(e));
        if (number >= 0) {
            pool_->exchanges()[static_cast<std::size_t>(number)]->run();
            continue;
        }
        const auto stage = static_cast<std::size_t>(node.entries[e].stage);
        const auto& reduction = stages_.cycle()[position][stage].reduction;
        if (reduction) begin_reduction(*reduction);
        together(domain_.comm(), [&] { check_->run_stage(position, stage, node.entries[e].rim); });
        if (reduction) end_reduction(domain_, *reduction);
        if (goes_back(node, e)) e = static_cast<std::size_t>(node.entries[e].repeat_from) - 1;
    }
    check_->note_values();
    node_ = node.next;
}

void Step::check(bool on) {
    finish_ahead();
    check_ = on ? std::make_unique<StepCheck>(domain_, stages_) : nullptr;
}

int Step::position() const { return schedule().nodes[static_cast<std::size_t>(node_)].step; }

const Schedule& Step::schedule() const { return program().schedule(); }

void Step::restart_at(int position) {
    const auto positions = static_cast<int>(schedule().stale_entry.size());
    if (position < 0 || position >= positions) {
        user_error("position of the step", std::to_string(position), "0 to " + std::to_string(positions - 1),
                   "use the position that the restart file carries, of the same cycle");
    }
    finish_ahead();
    node_ = schedule().stale_entry[static_cast<std::size_t>(position)];
}

std::string Step::strategy() const { return choice_->trying() ? "auto" : to_string(program().strategy()); }

std::string Step::choice() const { return choice_->found(); }

std::vector<Extent> Step::halo_widths(const std::string& strategy) const {
    const Strategy parsed = parse_strategy(strategy);
    const int fields = static_cast<int>(stages_.fields().size());
    return lapwing::halo_widths(stages_.specs(), fields, schedule_for(stages_.specs(), fields, parsed));
}

StepTimes Step::times() const {
    StepTimes times;
    times.steps = steps_;
    times.halo_start = started(*pool_) - times_started_;
    times.halo_wait = waited(*pool_) - times_waited_ + handshakes_;
    for (const std::int64_t ticks : clock_->compute) times.compute.push_back(seconds_of(ticks));
    return times;
}

void Step::reset_times() {
    steps_ = 0;
    handshakes_ = 0;
    times_started_ = started(*pool_);
    times_waited_ = waited(*pool_);
    std::ranges::fill(clock_->compute, 0);
    for (auto& costs : costs_) std::ranges::fill(costs, ExchangeCost{});
}

StepVolume Step::volume() const {
    StepVolume volume;
    const auto nodes = steady_nodes(schedule());
    const auto n = static_cast<double>(nodes.size());
    for (int node : nodes) {
        for (std::size_t e = 0; e < schedule().nodes[static_cast<std::size_t>(node)].entries.size(); ++e) {
            const int number = program().exchange_of(node, static_cast<int>(e));
            if (number < 0) continue;
            const MessagePlan& plan = pool_->exchanges()[static_cast<std::size_t>(number)]->plan();
            volume.exchanges += 1.0 / n;
            volume.messages += messages_sent(plan) / n;
            volume.bytes += static_cast<double>(bytes_sent(plan)) / n;
        }
    }
    return volume;
}

std::string Step::describe() const {
    const std::vector<std::string> names = stages_.field_names();
    std::string text;
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& list = schedule().nodes[static_cast<std::size_t>(node)];
        text += "step " + std::to_string(list.step) + " of " + std::to_string(stages_.specs().size()) + "\n";
        text += to_string(list, stages_.specs()[static_cast<std::size_t>(list.step)], names);
    }
    return text;
}

std::string Step::describe_tasks() const {
    std::string text = "strategy " + to_string(program().strategy());
    if (iterates(stages_.specs()))
        text += ", whatever was asked for: the step iterates while a number of all ranks is above 0";
    text += "\n";
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& list = schedule().nodes[static_cast<std::size_t>(node)];
        text += "step " + std::to_string(list.step) + " of " + std::to_string(stages_.specs().size()) + "\n";
        text += program().describe(node);
    }
    return text;
}

std::vector<NamedTasks> Step::task_lists() const {
    const std::vector<std::string> names = stages_.field_names();
    std::vector<NamedTasks> lists;
    for (int node : steady_nodes(schedule())) {
        const ScheduleNode& here = schedule().nodes[static_cast<std::size_t>(node)];
        const ScheduleNode& next = schedule().nodes[static_cast<std::size_t>(here.next)];
        lists.push_back({program().tasks_of(node), {}});
        for (const Task& task : lists.back().list.tasks) {
            const ScheduleEntry& entry = (task.ahead ? next : here).entries[static_cast<std::size_t>(task.entry)];
            std::string subject;
            for (const Read& halo : entry.halos) {
                subject += (subject.empty() ? "" : ", ") + names[static_cast<std::size_t>(halo.field)];
            }
            if (entry.halos.empty()) {
                subject =
                    stages_.specs()[static_cast<std::size_t>(here.step)][static_cast<std::size_t>(entry.stage)].name;
            }
            lists.back().subjects.push_back(subject);
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

void Step::draw_timeline(std::size_t events) {
    timeline_ = events > 0 ? std::make_unique<Timeline>(events) : nullptr;
    clock_->timeline = timeline_.get();
    for (std::size_t n = 0; n < pool_->exchanges().size(); ++n) {
        pool_->exchanges()[n]->draw({timeline_.get(), static_cast<int>(n)});
    }
}

std::string Step::subject_of(const TimelineEvent& event) const {
    if (event.subject < 0) return "";
    const auto number = static_cast<std::size_t>(event.subject);
    if (event.kind == TimelineEvent::Kind::compute) return stage_names()[number];
    std::string names;
    for (const FieldSpec& field : pool_->exchanges()[number]->plan().fields) {
        names += (names.empty() ? "" : ", ") + field.name;
    }
    return names;
}

void Step::observe(bool on) {
    census_ = on ? std::make_unique<StepCensus>(domain_, pool_->exchanges()) : nullptr;
    costs_.clear();
    for (const ScheduleNode& node : schedule().nodes) costs_.emplace_back(on ? node.entries.size() : 0);
}

CensusEntry Step::census_entry(int node, int entry) const {
    const auto n = static_cast<std::size_t>(node);
    const auto e = static_cast<std::size_t>(entry);
    const ScheduleNode& list = schedule().nodes[n];
    const int number = program().exchange_of(node, entry);
    const MessagePlan& plan = pool_->exchanges()[static_cast<std::size_t>(number)]->plan();
    const auto& stages = stages_.specs()[static_cast<std::size_t>(list.step)];
    CensusEntry found;
    found.position = list.step;
    found.messages = messages_sent(plan);
    found.bytes = bytes_sent(plan);
    found.handshake = census_->handshake_seconds(number);
    found.cost = costs_[n][e];
    for (std::size_t later = e + 1; later < list.entries.size() && found.stage.empty(); ++later) {
        if (list.entries[later].kind != ScheduleEntry::Kind::compute) continue;
        found.stage = stages[static_cast<std::size_t>(list.entries[later].stage)].name;
    }
    for (std::size_t f = 0; f < plan.fields.size(); ++f) {
        const auto field = static_cast<int>(f);
        const Read& halo = list.entries[e].halos[f];
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
    for (int node = 0; node < static_cast<int>(schedule().nodes.size()); ++node) {
        for (int e = 0; e < static_cast<int>(schedule().nodes[static_cast<std::size_t>(node)].entries.size()); ++e) {
            if (program().exchange_of(node, e) < 0) continue;
            entries.push_back(census_entry(node, e));
            entries.back().steady = std::ranges::count(steady, node) > 0;
        }
    }
    std::ranges::stable_sort(entries, {}, &CensusEntry::position);
    return entries;
}

}  // namespace lapwing
