#include "lapwing/step/step.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "lapwing/base/error.hpp"
#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "step/auto/strategy_choice.hpp"
#include "step/step_check.hpp"

namespace lapwing {

namespace {

StepStages numbered(const Domain& domain, std::vector<std::vector<Stage>>&& cycle, const std::string& strategy) {
    std::optional<StepStages> stages;
    together(domain.comm(), [&] {
        static_cast<void>(parse_strategy(strategy));
        stages.emplace(domain, std::move(cycle));
        give_memory(domain, *stages, {strategy});
    });
    return std::move(*stages);
}

// Of all exchanges since they were made, packing and posting or waiting.
template <class Seconds>
double sum_of(const ExchangePool& pool, Seconds seconds) {
    double sum = 0;
    for (const auto& exchange : pool.exchanges()) sum += std::invoke(seconds, exchange->count());
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
    if (checks_always()) check();
}

Step::Step(Domain& domain, BoundStages&& stages, const StepOptions& options)
    : Step(domain, std::move(stages.cycle), options.strategy, options.transport) {
    kept_ = std::move(stages.kept);
}

Step::Step(Domain& domain, const std::vector<std::vector<DeclaredStage>>& cycle, const StepOptions& options)
    : Step(domain, bind(domain, cycle, options), options) {}

Step::Step(Domain& domain, const std::vector<DeclaredStage>& stages, const StepOptions& options)
    : Step(domain, std::vector<std::vector<DeclaredStage>>(1, stages), options) {}

Step::~Step() = default;

// Whether a write of the field was announced since the last step.
bool Step::announced(std::size_t field) const { return versions_[field] != stages_.fields()[field]->version(); }

bool Step::modified_outside() {
    if (check_ != nullptr) {
        together(domain_.comm(),
                 [&] { check_->require_announced([&](std::size_t field) { return announced(field); }); });
        check_->note_values();
    }
    bool modified = false;
    for (std::size_t f = 0; f < versions_.size(); ++f) {
        modified |= announced(f);
        versions_[f] = stages_.fields()[f]->version();
    }
    return modified;
}

void Step::agree_on_modified() {
    if (any(domain_, modified_outside())) restart_at(position());
}

void Step::run(bool another_follows) {
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
        node_ = schedule().nodes[node_].next;
    }
    ++steps_;
}

void Step::run(int steps, const std::function<void()>& before_each) {
    agree_on_modified();
    for (int n = 1; n <= steps; ++n) {
        if (before_each) before_each();
        run(n < steps);
    }
}

// A turn of `auto`; the next program begins with all halos stale, as it may need wider ones.
void Step::run_tried(bool another_follows) {
    const bool ahead = another_follows && choice_->goes_on();
    const std::int64_t begin = ticks();
    program().run(node_, {ahead_, ahead}, *clock_);
    ahead_ = ahead;
    node_ = schedule().nodes[node_].next;
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

// Undivided and in the order of the schedule.
void Step::run_in_order(const OnExchange& exchange, const OnStage& compute) {
    finish_ahead();
    const ScheduleNode& node = schedule().nodes[node_];
    const std::size_t position = node.step;
    for (std::size_t e = 0; e < node.entries.size(); ++e) {
        const ScheduleEntry& entry = node.entries[e];
        if (const int number = program().exchange_of(node_, static_cast<int>(e)); number >= 0) {
            exchange(pool_->exchange(number).choose(), e);
            continue;
        }
        const std::size_t stage = entry.stage;
        const auto& reduction = stages_.cycle()[position][stage].reduction;
        if (reduction) begin_reduction(*reduction);
        compute(position, stage, entry.rim);
        if (reduction) end_reduction(domain_, *reduction);
        if (stages_.cycle()[position][stage].collective) run_collective(position, stage, e);
        if (entry.repeat_from >= 0 && *reduction->value > 0.0) e = entry.repeat_from - 1;
    }
    node_ = node.next;
}

// All of its time is that of messages: who is late cannot be told.
void Step::run_collective(std::size_t position, std::size_t stage, std::size_t entry) {
    const Collective& collective = *stages_.cycle()[position][stage].collective;
    if (check_ != nullptr) {
        check_->run_collective(position, stage, collective);
        return;
    }
    const std::int64_t begin = ticks();
    collective.work(collective.context);
    if (census_ == nullptr) return;
    ExchangeCost& cost = costs_[node_][entry];
    ++cost.count;
    cost.transfer += seconds_of(ticks() - begin);
}

// Each exchange with a handshake; without overlap, of which the parts could not be told apart.
void Step::run_observed() {
    auto& costs = costs_[node_];
    run_in_order([&](int number, std::size_t entry) { handshakes_ += census_->run(number, costs[entry]); },
                 [&](std::size_t position, std::size_t stage, const Extent& rim) {
                     const std::int64_t begin = ticks();
                     run_undivided(domain_, stages_.cycle()[position][stage], stages_.specs()[position][stage], rim);
                     clock_->compute[stages_.name_of(position, stage)] += ticks() - begin;
                 });
}

void Step::run_checked() {
    run_in_order([&](int number, std::size_t) { pool_->exchanges()[number]->run(); },
                 [&](std::size_t position, std::size_t stage, const Extent& rim) {
                     together(domain_.comm(), [&] { check_->run_stage(position, stage, rim); });
                 });
    check_->note_values();
}

void Step::check(bool on) {
    finish_ahead();
    check_ = on ? std::make_unique<StepCheck>(domain_, stages_) : nullptr;
}

int Step::position() const { return schedule().nodes[node_].step; }

const Schedule& Step::schedule() const { return program().schedule(); }

void Step::restart_at(int position) {
    const auto positions = static_cast<int>(schedule().stale_entry.size());
    if (position < 0 || position >= positions) {
        user_error("position of the step", position, concat("0 to ", positions - 1),
                   "use the position that the restart file carries, of the same cycle");
    }
    finish_ahead();
    node_ = schedule().stale_entry[position];
}

void Step::settle(const std::string& strategy) {
    Strategy parsed;
    together(domain_.comm(), [&] {
        parsed = parse_strategy(strategy);
        if (parsed.automatic)
            user_error("strategy to settle for", strategy, "one that needs no trial",
                       "name what auto shall not look for");
    });
    require_same(domain_.comm(), "strategy", strategy);
    const int at = position();
    finish_ahead();
    choice_->settle(parsed);
    restart_at(at);
}

std::string Step::strategy() const { return choice_->trying() ? "auto" : to_string(program().strategy()); }

std::string Step::choice() const { return choice_->found(); }

std::vector<Extent> Step::halo_widths(const std::string& strategy) const {
    const Strategy parsed = parse_strategy(strategy);
    const int fields = static_cast<int>(stages_.fields().size());
    return lapwing::halo_widths(stages_.specs(), fields, schedule_for(stages_.specs(), fields, parsed));
}

std::map<std::string, int> Step::lacking_halos(const std::string& strategy) const {
    const std::vector<Extent> widths = halo_widths(strategy);
    std::map<std::string, int> lacking;
    for (std::size_t f = 0; f < widths.size(); ++f) {
        for (const Block& block : fields()[f]->blocks()) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const Index below = widths[f].lo[axis] - (block.owned.lo[axis] - block.allocated.lo[axis]);
                const Index above = widths[f].hi[axis] - (block.allocated.hi[axis] - block.owned.hi[axis]);
                const int missing = static_cast<int>(std::max(below, above));
                if (missing <= 0) continue;
                int& cells = lacking[fields()[f]->spec().name];
                cells = std::max(cells, missing);
            }
        }
    }
    return lacking;
}

StepTimes Step::times() const {
    StepTimes times;
    times.steps = steps_;
    times.halo_start = sum_of(*pool_, &ExchangeCount::start_seconds) - times_started_;
    times.halo_wait = sum_of(*pool_, &ExchangeCount::wait_seconds) - times_waited_ + handshakes_;
    for (const std::int64_t ticks : clock_->compute) times.compute.push_back(seconds_of(ticks));
    return times;
}

void Step::reset_times() {
    steps_ = 0;
    handshakes_ = 0;
    times_started_ = sum_of(*pool_, &ExchangeCount::start_seconds);
    times_waited_ = sum_of(*pool_, &ExchangeCount::wait_seconds);
    std::ranges::fill(clock_->compute, 0);
    for (auto& costs : costs_) std::ranges::fill(costs, ExchangeCost{});
}

void Step::draw_timeline(std::size_t events) {
    timeline_ = events > 0 ? std::make_unique<Timeline>(events) : nullptr;
    clock_->timeline = timeline_.get();
    for (std::size_t n = 0; n < pool_->exchanges().size(); ++n) {
        pool_->exchanges()[n]->draw({timeline_.get(), static_cast<int>(n)});
    }
}

void Step::observe(bool on) {
    census_ = on ? std::make_unique<StepCensus>(domain_, pool_->exchanges()) : nullptr;
    costs_.clear();
    for (const ScheduleNode& node : schedule().nodes) costs_.emplace_back(on ? node.entries.size() : 0);
}

}  // namespace lapwing
