#include "lapwing/step/step.hpp"

#include <algorithm>
#include <functional>

#include "base/thread_team.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/reduction.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/step/threads.hpp"
#include "step/auto/strategy_choice.hpp"
#include "step/field_memory.hpp"
#include "step/observers/census_observer.hpp"
#include "step/observers/step_check.hpp"
#include "step/observers/step_digest.hpp"

namespace lapwing {

Step::Step(Domain& domain, std::vector<Stages> cycle, const StepOptions& asked)
    : domain_(domain), clock_(std::make_unique<TaskClock>()) {
    const StepOptions options = as_environment_says(domain, asked);
    team_ = team_of(domain, options.threads);
    stages_ = stages_in_memory(domain, std::move(cycle), options, team_.get());
    stages_->bind(domain, options.transport, team_ == nullptr ? 1 : team_->threads());
    pool_ = std::make_unique<ExchangePool>(domain, *stages_, options.transport);
    require_same(domain.comm(), "strategy", options.strategy);
    require_same(domain.comm(), "land of the step",
                 stages_->water() == nullptr ? "none" : stages_->water()->fingerprint());
    choice_ = std::make_unique<StrategyChoice>(domain, *stages_, *pool_, parse_strategy(options.strategy), team_.get());
    versions_.resize(stages_->fields().size());
    land_versions_.resize(stages_->fields().size());
    for (std::size_t f = 0; f < stages_->fields().size(); ++f) {
        const auto writes_it = [&](const StageSpec& stage) { return writes(stage, static_cast<int>(f)); };
        const auto written = [&](const auto& specs) { return std::ranges::any_of(specs, writes_it); };
        if (std::ranges::any_of(stages_->specs(), written)) written_.push_back(f);
    }
    clock_->stages.resize(stages_->stage_names().size());
    restart_at(0);
    const bool checks = checks_always();
    require_same(domain.comm(), "LAPWING_CHECK", checks ? "1" : "not 1");
    if (checks) check();
    digest_ = StepDigest::of_environment(domain);  // the step could be made
}

Step::Step(Domain& domain, Stages stages, const StepOptions& options)
    : Step(domain, std::vector<Stages>(1, std::move(stages)), options) {}

Step::~Step() = default;

// True if a write of the field was announced since the last step.
bool Step::announced(std::size_t field) const { return versions_[field] != stages_->fields()[field]->version(); }

Step::Outside Step::modified_outside() {
    if (check_ != nullptr) {
        check_->require_announced([&](std::size_t field) { return announced(field); });
        check_->note_values();
    }
    Outside found = Outside::nothing;
    for (std::size_t f = 0; f < versions_.size(); ++f) {
        if (announced(f)) found = std::max(found, Outside::values);
        const AnyField& field = *stages_->fields()[f];
        if (field.spec().constant_on_land && land_versions_[f] != field.land_version()) found = Outside::land;
        note_versions(f);
    }
    return found;
}

void Step::note_versions(std::size_t field) {
    versions_[field] = stages_->fields()[field]->version();
    land_versions_[field] = stages_->fields()[field]->land_version();
}

void Step::require_land() {
    pool_->require_land();
    choice_->require_land();
}

// All halos are stale, and where another than a step has written, land too.
void Step::begin_stale(Outside modified) {
    if (modified == Outside::land) require_land();
    if (modified != Outside::nothing) enter(position());
}

// A write that any rank announced is known to all, so that all fetch the same halos.
void Step::agree_on_modified() {
    begin_stale(static_cast<Outside>(maximum(domain_, static_cast<int>(modified_outside()))));
}

void Step::run() { static_cast<void>(run_some(1, 1)); }

int Step::run_some(int left, int most) {
    ++clock_->step;
    begin_stale(modified_outside());
    clock_->enter_step(clock_->step);
    int done = 1;
    if (TaskObserver* const watching = observer(); watching != nullptr) {
        run_observed(*watching);
    } else if (choice_->trying()) {
        done = run_tried(left, most);
    } else {
        done = run_program(left, most);
    }
    clock_->step += done - 1;
    steps_ += done;
    announce_writes();
    if (digest_ && done == left) digest_->note(*stages_, domain_.partition().grid(), clock_->step);
    return done;
}

// A pass through several steps where one begins and no more than `most` steps are due, else a step.
int Step::run_program(int left, int most) {
    const int pass = program().steps_of_pass(node_);
    const int done = pass <= most ? pass : 1;
    const TaskRunner::Ahead ahead{ahead_, left > done};
    if (done > 1) {
        program().run_pass(node_, ahead, *clock_);
        node_ = program().after_pass(node_);
    } else {
        program().run(node_, ahead, *clock_);
        node_ = schedule().nodes[node_].next;
    }
    ahead_ = ahead.leaves;
    return done;
}

// Other steps of these fields then know that halos are stale. Alike on all ranks, as all run the step.
void Step::announce_writes() {
    for (const std::size_t f : written_) {
        stages_->fields()[f]->computed();
        note_versions(f);
    }
}

void Step::run(int steps, const std::function<void()>& before_each) { run_due(steps, before_each); }

void Step::run(int steps, const std::function<void(Index)>& set_numbers) {
    const Index first = clock_->step + 1;
    clock_->set_numbers = [&, first](Index step) { set_numbers(step - first); };
    clock_->numbered = 0;  // a run that an error ended may have left the number of a later step
    try {
        run_due(steps, {});
    } catch (...) {
        clock_->set_numbers = {};
        throw;
    }
    clock_->set_numbers = {};
}

void Step::run_due(int steps, const std::function<void()>& before_each) {
    if (steps < 0) user_error("steps to run", steps, "0 or more", "give the number of steps");
    agree_on_modified();
    for (int left = steps; left > 0;) {
        try {
            look_for_interruption();
            if (before_each) before_each();
        } catch (...) {
            finish_ahead();  // neighbours have sent theirs
            throw;
        }
        left -= run_some(left, before_each ? 1 : left);
    }
}

// A turn of `auto`; the next program begins with all halos stale, as it may need wider ones.
int Step::run_tried(int left, int most) {
    const int in_turn = choice_->left_in_turn();
    const std::int64_t begin = ticks();
    const int done = run_program(std::min(left, in_turn), std::min(most, in_turn));
    const std::int64_t each = (ticks() - begin) / done;
    bool over = false;
    for (int n = 0; n < done; ++n) over = choice_->took(each);
    if (!over) return done;
    const int at = position();
    finish_ahead();
    choice_->change();
    enter(at);
    return done;
}

StepProgram& Step::program() const { return choice_->program(); }

void Step::finish_ahead() {
    if (ahead_) program().finish_ahead(node_);
    ahead_ = false;
}

TaskObserver* Step::observer() const {
    if (check_ != nullptr) return check_.get();
    return census_.get();
}

void Step::run_observed(TaskObserver& observer) {
    finish_ahead();
    program().run_observed(node_, observer, *clock_);
    node_ = schedule().nodes[node_].next;
}

void Step::check(bool on) {
    finish_ahead();
    check_ = on ? std::make_unique<StepCheck>(domain_, *stages_) : nullptr;
}

int Step::position() const { return schedule().nodes[node_].step; }

const Schedule& Step::schedule() const { return program().schedule(); }

void Step::restart_at(int position) {
    const auto positions = static_cast<int>(schedule().stale_entry.size());
    if (position < 0 || position >= positions) {
        user_error("position of the step", position, concat("0 to ", positions - 1),
                   "use the position that the restart file carries, of the same cycle");
    }
    require_land();
    enter(position);
}

void Step::enter(int position) {
    finish_ahead();
    node_ = schedule().stale_entry[position];
}

void Step::settle(const std::string& strategy) {
    Strategy parsed;
    together(domain_.comm(), [&] {
        parsed = parse_strategy(strategy);
        if (parsed.automatic)
            user_error("strategy to settle for", strategy, "one that needs no trial", "name the strategy to run");
    });
    require_same(domain_.comm(), "strategy", strategy);
    const int at = position();
    finish_ahead();
    choice_->settle(parsed);
    enter(at);
    if (census_) observe();  // its exchanges may be others
    draw_exchanges();
}

void Step::reset_times() {
    steps_ = 0;
    times_started_ = pool_->seconds_of(&ExchangeCount::start_seconds);
    times_waited_ = pool_->seconds_of(&ExchangeCount::wait_seconds);
    std::ranges::fill(clock_->stages, KernelClock{});
    handshakes_ = 0;
    if (census_) census_->reset();
}

void Step::draw_timeline(std::size_t events) {
    timeline_ = events > 0 ? std::make_unique<Timeline>(events) : nullptr;
    clock_->timeline = timeline_.get();
    draw_exchanges();
}

void Step::name_ranges(const NamedRanges& ranges) { clock_->ranges = ranges; }

void Step::draw_exchanges() {
    for (std::size_t n = 0; n < pool_->exchanges().size(); ++n) {
        pool_->exchanges()[n]->draw({timeline_.get(), static_cast<int>(n)});
    }
}

void Step::observe(bool on) {
    finish_ahead();
    std::vector<std::size_t> entries;
    for (const ScheduleNode& node : schedule().nodes) entries.push_back(node.entries.size());
    if (census_) handshakes_ += census_->waited();
    census_ = on ? std::make_unique<CensusObserver>(domain_, *pool_, entries) : nullptr;
}

}  // namespace lapwing
