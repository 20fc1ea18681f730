#include "step/task_runner.hpp"

#include <algorithm>
#include <bit>
#include <exception>
#include <numeric>

#include "lapwing/base/error.hpp"
#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

namespace {

constexpr const char* waiting = "wait";  // the range

}  // namespace

void call_kernel(const Stage& stage, std::size_t block, const Box& box, const Domain& domain, Index step) {
    try {
        stage.kernel(stage.contexts[block], box);
    } catch (const std::exception& problem) {
        if (stage.names_errors) throw;
        const std::string text =
            concat(problem.what(), "; in stage ", stage.name, step > 0 ? concat(" of step ", step) : "", ", box ", box,
                   ", on rank ", domain.rank(), " of ", domain.ranks());
        if (dynamic_cast<const UserError*>(&problem) != nullptr) throw UserError(text);
        std::throw_with_nested(OutsideError(text));
    }
}

TaskRunner::TaskRunner(const TaskList& list, const TaskMeaning& meaning)
    : domain_(meaning.domain), in_order_(list.in_order) {
    const std::size_t count = list.tasks.size();
    std::vector<int> order(count), number(count);  // tasks by priority, and where each of them stands then
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int n) { return list.tasks[n].priority; });
    for (std::size_t n = 0; n < count; ++n) number[order[n]] = static_cast<int>(n);
    std::vector<std::vector<int>> following(count);
    for (std::size_t n = 0; n < count; ++n) {
        for (int before : list.tasks[n].after) following[number[before]].push_back(number[n]);
    }
    first_task_of_.assign(meaning.node->entries.size(), -1);
    for (int n : order) {
        const Task& task = list.tasks[n];
        if (!task.ahead && first_task_of_[task.entry] < 0) first_task_of_[task.entry] = number[n];
    }
    // an entry that nothing is to be done for on this rank begins where the next one does
    for (std::size_t e = first_task_of_.size(); e-- > 1;)
        if (first_task_of_[e - 1] < 0) first_task_of_[e - 1] = first_task_of_[e];
    for (int n : order) make_item(list.tasks[n], meaning, number);
    for (std::size_t n = 0; n < count; ++n) {
        tasks_[n].first = static_cast<int>(following_.size());
        following_.insert(following_.end(), following[n].begin(), following[n].end());
        tasks_[n].last = static_cast<int>(following_.size());
    }
    link_arrivals(list, number);
    missing_.resize(count);
    ready_.resize((count + 63) / 64);
    flying_.reserve(count);
}

// Each start knows the task of its first phase, and each phase the task of the next phase.
void TaskRunner::link_arrivals(const TaskList& list, const std::vector<int>& number) {
    arrivals_.assign(tasks_.size(), -1);
    for (std::size_t n = 0; n < list.tasks.size(); ++n) {
        const Task& arrival = list.tasks[n];
        if (arrival.kind != Task::Kind::arrive) continue;
        for (std::size_t m = 0; m < list.tasks.size(); ++m) {
            const Task& before = list.tasks[m];
            if (before.entry != arrival.entry || before.ahead) continue;
            if (before.kind == Task::Kind::start && arrival.phase == 0) arrivals_[number[m]] = number[n];
            if (before.kind == Task::Kind::arrive && before.phase + 1 == arrival.phase)
                tasks_[number[m]].upper = number[n];
        }
    }
}

void TaskRunner::make_item(const Task& task, const TaskMeaning& meaning, const std::vector<int>& number) {
    const auto from_before = exchanges_ahead(*meaning.node);
    const bool comes_ahead = !task.ahead && std::ranges::count(from_before, task.entry) > 0;
    Item item{.kind = task.kind,
              .ahead = task.ahead,
              .comes_ahead = comes_ahead,
              .entry = task.entry,
              .phase = task.phase,
              .block = task.block,
              .later = task.ahead ? 0 : meaning.node->entries[task.entry].later,
              .box = task.box};
    item.waits_for = static_cast<int>(task.after.size());
    const auto moved = [&](int task_number) { return task_number < 0 ? -1 : number[task_number]; };
    item.lower = moved(task.lower);
    item.upper = moved(task.upper);
    if (task.kind == Task::Kind::start || task.kind == Task::Kind::arrive) {
        item.exchange = (task.ahead ? meaning.next_exchanges : meaning.exchanges)[task.entry];
        item.range = item.exchange->name().c_str();
    } else {
        const ScheduleEntry& entry = meaning.node->entries[task.entry];
        const Stage& stage = meaning.stages->cycle()[entry.step][entry.stage];
        item.name = meaning.stages->name_of(entry.step, entry.stage);
        item.range = meaning.stages->stage_names()[item.name].c_str();
        item.stage = &stage;
        if (task.kind == Task::Kind::reduce) {
            if (stage.reduction) item.reduction = &*stage.reduction;
            item.above = stage.repeats_above;
            if (stage.collective) item.collective = &*stage.collective;
            item.repeat_from = first_task_of_[std::max(0, entry.repeat_from)];
            if (entry.repeat_from < 0) item.repeat_from = -1;
        }
    }
    tasks_.push_back(item);
}

void TaskRunner::reset_reductions() {
    for (const Item& item : tasks_) {
        if (item.reduction != nullptr) begin_reduction(*item.reduction);
    }
}

void TaskRunner::run(Ahead ahead, TaskClock& clock) {
    ahead_ = ahead;
    flying_.clear();
    reset_reductions();
    if (in_order_) {
        run_in_order(clock);
    } else {
        run_ready(clock);
    }
}

void TaskRunner::run_in_order(TaskClock& clock) {
    for (std::size_t n = 0; n < tasks_.size(); ++n) n = do_next(n, clock);
}

void TaskRunner::run_observed(TaskObserver& observer, TaskClock& clock) {
    ahead_ = {};
    flying_.clear();
    reset_reductions();
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
        if (!tasks_[n].ahead) observer.watch(seen(tasks_[n]), [&] { n = do_next(n, clock); });
    }
    observer.end();
}

SeenTask TaskRunner::seen(const Item& item) const {
    return {item.kind, item.entry, item.phase, item.exchange, item.block, item.box};
}

// Does a task of a list in order: the task that comes before the next one.
std::size_t TaskRunner::do_next(std::size_t number, TaskClock& clock) {
    const Item& item = tasks_[number];
    switch (item.kind) {
        case Task::Kind::start:
            start(static_cast<int>(number), clock);
            break;
        case Task::Kind::arrive:
            await(static_cast<int>(number), clock);
            break;
        case Task::Kind::reduce:
            return after_reduction(number, clock);
        case Task::Kind::compute:
            compute(item, item.box, clock);
            static_cast<void>(poll());
    }
    return number;
}

// The task that comes before the next one: the next in order, or the first of a loop that has to go on.
std::size_t TaskRunner::after_reduction(std::size_t number, TaskClock& clock) {
    const Item& item = tasks_[number];
    reduce(item, clock);
    if (item.repeat_from < 0 || !(*item.reduction->value > item.above)) return number;
    ahead_.came = false;          // the exchange that left ahead has arrived already
    return item.repeat_from - 1;  // of 0, the number before it wraps around, as the loop's next step does
}

void TaskRunner::run_ready(TaskClock& clock) {
    left_ = tasks_.size();
    std::ranges::fill(ready_, 0);
    for (std::size_t n = 0; n < tasks_.size(); ++n) {
        missing_[n] = tasks_[n].waits_for;
        // an arrival is no task to be chosen: it happens
        if (missing_[n] == 0 && tasks_[n].kind != Task::Kind::arrive) set_ready(static_cast<int>(n), true);
    }
    while (left_ > 0) {
        const int number = first_ready();
        if (number < 0) {
            await_any(clock);
            continue;
        }
        switch (tasks_[number].kind) {
            case Task::Kind::start:
                start(number, clock);
                finish(number);
                break;
            case Task::Kind::reduce:
                reduce(tasks_[number], clock);
                finish(number);
                break;
            default:
                compute_with_neighbours(number, clock);
        }
        static_cast<void>(poll());
    }
}

void TaskRunner::start(int number, TaskClock& clock) {
    const Item& item = tasks_[number];
    if (item.ahead && !ahead_.leaves) return;
    if (!(item.comes_ahead && ahead_.came)) {
        if (!item.ahead) clock.enter_step(clock.step + item.later);  // a width on demand may be one of its numbers
        item.exchange->choose();
        clock.ranges.enter(item.range);
        item.exchange->start();
        clock.ranges.leave(item.range);
    }
    flying_.push_back({&item.exchange->current(), arrivals_[number]});
}

void TaskRunner::compute(const Item& item, const Box& box, TaskClock& clock) {
    clock.enter_step(clock.step + item.later);
    clock.ranges.enter(item.range);
    const std::int64_t begin = ticks();
    call_kernel(*item.stage, item.block, box, *domain_, clock.step + item.later);
    const std::int64_t end = ticks();
    clock.ranges.leave(item.range);
    clock.compute[item.name] += end - begin;
    if (clock.timeline != nullptr) clock.timeline->add({TimelineEvent::Kind::compute, item.name, begin, end, box});
}

void TaskRunner::reduce(const Item& item, TaskClock& clock) {
    clock.enter_step(clock.step + item.later);
    const char* const range = item.collective != nullptr ? item.range : waiting;
    clock.ranges.enter(range);
    const std::int64_t begin = ticks();
    if (item.collective != nullptr) {
        item.collective->work(item.collective->context);
    } else {
        end_reduction(*domain_, *item.reduction);
        begin_reduction(*item.reduction);  // for the next time, which may be in this step: loops
    }
    const std::int64_t end = ticks();
    clock.ranges.leave(range);
    if (item.collective != nullptr) clock.compute[item.name] += end - begin;  // with what it waits for
    if (clock.timeline == nullptr) return;
    if (item.collective != nullptr) {
        clock.timeline->add({TimelineEvent::Kind::compute, item.name, begin, end, {}});
    } else {
        clock.timeline->add_wait(begin, end);
    }
}

// Rows are run as long as what is ready next to each other allows.
void TaskRunner::compute_with_neighbours(int number, TaskClock& clock) {
    int lowest = number, highest = number;
    while (tasks_[lowest].lower >= 0 && is_ready(tasks_[lowest].lower)) lowest = tasks_[lowest].lower;
    while (tasks_[highest].upper >= 0 && is_ready(tasks_[highest].upper)) highest = tasks_[highest].upper;
    Box box = tasks_[lowest].box;
    box.hi[0] = tasks_[highest].box.hi[0];
    compute(tasks_[number], box, clock);
    for (int n = lowest;; n = tasks_[n].upper) {
        finish(n);
        if (n == highest) break;
    }
}

void TaskRunner::await(int number, TaskClock& clock) {
    const Item& item = tasks_[number];
    clock.ranges.enter(waiting);
    const std::int64_t begin = ticks();
    item.exchange->current().pending().wait_phase(item.phase);
    const std::int64_t end = ticks();
    clock.ranges.leave(waiting);
    clock.waiting += end - begin;
    if (clock.timeline != nullptr) clock.timeline->add_wait(begin, end);
    std::erase_if(flying_, [](const Flying& flying) { return !flying.exchange->active(); });
}

void TaskRunner::await_any(TaskClock& clock) {
    const std::int64_t begin = ticks();
    const auto describe = [this] {
        return flying_.empty() ? "a task that nothing will make ready" : flying_[0].exchange->describe();
    };
    clock.ranges.enter(waiting);
    wait_until([this] { return poll(); }, describe, domain_->comm(), domain_->node().polls());
    clock.ranges.leave(waiting);
    const std::int64_t end = ticks();
    clock.waiting += end - begin;
    if (clock.timeline != nullptr) clock.timeline->add_wait(begin, end);
}

// Advances what is on its way; returns true if a phase that a task waits for is over.
bool TaskRunner::poll() {
    bool news = false;
    for (std::size_t n = 0; n < flying_.size();) {
        Flying& flying = flying_[n];
        const bool complete = flying.exchange->pending().test();
        const int done = flying.exchange->pending().phases_done();
        while (!in_order_ && flying.arrival >= 0 && (complete || done > tasks_[flying.arrival].phase)) {
            const int arrival = flying.arrival;
            flying.arrival = tasks_[arrival].upper;
            finish(arrival);
            news = true;
        }
        if (complete) {
            flying_.erase(flying_.begin() + n);
        } else {
            ++n;
        }
    }
    return news;
}

void TaskRunner::finish(int number) {
    set_ready(number, false);
    --left_;
    const Item& item = tasks_[number];
    for (int n = item.first; n < item.last; ++n) {
        const int next = following_[n];
        if (--missing_[next] == 0 && tasks_[next].kind != Task::Kind::arrive) set_ready(next, true);
    }
}

bool TaskRunner::is_ready(int number) const { return (ready_[number / 64] >> (number % 64) & 1U) != 0; }

void TaskRunner::set_ready(int number, bool ready) {
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    std::uint64_t& word = ready_[number / 64];
    word = ready ? word | bit : word & ~bit;
}

int TaskRunner::first_ready() const {
    for (std::size_t w = 0; w < ready_.size(); ++w) {
        if (ready_[w] != 0) return static_cast<int>(w * 64) + std::countr_zero(ready_[w]);
    }
    return -1;
}

}  // namespace lapwing
