#include "step/tasks/task_runner.hpp"

#include <algorithm>
#include <exception>
#include <span>

#include "lapwing/base/error.hpp"
#include "lapwing/base/ticks.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "step/tasks/task_crew.hpp"

namespace lapwing {

namespace {

// The list, in which the kernels that reduce to one number follow each other: two threads must not change it at a time.
TaskList in_turns(TaskList list, const TaskMeaning& meaning) {
    if (meaning.team == nullptr) return list;
    int before = -1;
    for (int n = 0; n < std::ssize(list.tasks); ++n) {
        Task& task = list.tasks[n];
        if (task.kind != Task::Kind::compute) continue;
        const ScheduleEntry& entry = meaning.node->entries[task.entry];
        if (!meaning.stages->cycle()[entry.step][entry.stage].reduction) continue;
        const bool known =
            before < 0 || list.tasks[before].entry != task.entry || std::ranges::count(task.after, before) > 0;
        if (!known) task.after.push_back(before);
        before = n;
    }
    return list;
}

}  // namespace

void call_kernel(const Stage& stage, std::size_t context, const Box& box, const Domain& domain, Index step) {
    try {
        stage.kernel(stage.contexts[context], box);
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
    : domain_(meaning.domain),
      team_(meaning.team),
      blocks_(meaning.domain->partition().subdomains_of(meaning.domain->rank()).size()),
      in_order_(list.in_order),
      order_(list),
      ready_(in_turns(list, meaning), order_, meaning.team == nullptr ? 1 : meaning.team->threads()) {
    first_task_of_.assign(meaning.node->entries.size(), -1);
    for (int n : order_.tasks) {
        const Task& task = list.tasks[n];
        if (!task.ahead && first_task_of_[task.entry] < 0) first_task_of_[task.entry] = order_.number[n];
    }
    // an entry without work on this rank begins where the next one does
    for (std::size_t e = first_task_of_.size(); e-- > 1;)
        if (first_task_of_[e - 1] < 0) first_task_of_[e - 1] = first_task_of_[e];
    for (int n : order_.tasks) make_item(list.tasks[n], meaning);
    link_arrivals(list);
    flying_.reserve(list.tasks.size());
    arrived_.reserve(list.tasks.size());
}

// Each start knows the task of its first phase, and each phase the task of the next phase.
void TaskRunner::link_arrivals(const TaskList& list) {
    const std::vector<int>& number = order_.number;
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

void TaskRunner::make_item(const Task& task, const TaskMeaning& meaning) {
    const auto from_before = exchanges_ahead(*meaning.node);
    const bool comes_ahead = !task.ahead && std::ranges::count(from_before, task.entry) > 0;
    Item item{.kind = task.kind,
              .ahead = task.ahead,
              .comes_ahead = comes_ahead,
              .entry = task.entry,
              .phase = task.phase,
              .block = task.block,
              .later = task.ahead ? 0 : meaning.node->entries[task.entry].later,
              .box = task.box,
              .parts = task.parts};
    const auto moved = [&](int task_number) { return task_number < 0 ? -1 : order_.number[task_number]; };
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
    arrived_.clear();
    reset_reductions();
    if (team_ != nullptr) {
        TaskCrew(*this, *team_, clock).run();
    } else if (in_order_) {
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
    arrived_.clear();
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
            arrived_.clear();  // the list has its arrivals where it waits for them
    }
    return number;
}

// The task that comes before the next one: the next in order, or the first of a loop that has to go on.
std::size_t TaskRunner::after_reduction(std::size_t number, TaskClock& clock) {
    const Item& item = tasks_[number];
    reduce(item, clock);
    // the number before 0 wraps around, as the loop's next step does
    return goes_on(item) ? item.repeat_from - 1 : number;
}

// True if a loop goes on, behind its reduction.
bool TaskRunner::goes_on(const Item& item) {
    if (item.repeat_from < 0 || !(*item.reduction->value > item.above)) return false;
    ahead_.came = false;  // the exchange that left ahead has arrived already
    return true;
}

void TaskRunner::run_ready(TaskClock& clock) {
    ready_.begin();
    while (!ready_.done()) {
        const int number = ready_.first_of(0);
        if (number < 0) {
            await([this] { return poll(); }, clock);
            finish_arrived();
            continue;
        }
        switch (tasks_[number].kind) {
            case Task::Kind::start:
                start(number, clock);
                ready_.finish(number);
                break;
            case Task::Kind::reduce:
                reduce(tasks_[number], clock);
                ready_.finish(number);
                break;
            default: {
                const Row row = ready_row(number);
                compute(tasks_[number], row.box, clock);
                finish_row(row);
            }
        }
        static_cast<void>(poll());
        finish_arrived();
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
    clock.add(item.name, call(item, box, 0, clock));
}

// Calls the kernel and returns the ticks that it took. Ranges and the timeline are of thread 0, which runs the step.
std::int64_t TaskRunner::call(const Item& item, const Box& box, int thread, TaskClock& clock) const {
    const std::size_t context = (thread * blocks_ + item.block) % item.stage->contexts.size();
    if (thread == 0) clock.ranges.enter(item.range);
    const std::int64_t begin = ticks();
    const std::span<const Box> parts = item.parts.empty() ? std::span(&box, 1) : std::span(item.parts);
    for (const Box& part : parts) call_kernel(*item.stage, context, part, *domain_, clock.step + item.later);
    const std::int64_t end = ticks();
    if (thread > 0) return end - begin;
    clock.ranges.leave(item.range);
    if (clock.timeline != nullptr) clock.timeline->add({TimelineEvent::Kind::compute, item.name, begin, end, box});
    return end - begin;
}

void TaskRunner::reduce(const Item& item, TaskClock& clock) {
    clock.enter_step(clock.step + item.later);
    const char* const range = item.collective != nullptr ? item.range : wait_range;
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
    if (item.collective != nullptr) clock.add(item.name, end - begin);  // includes what it waits for
    if (clock.timeline == nullptr) return;
    if (item.collective != nullptr) {
        clock.timeline->add({TimelineEvent::Kind::compute, item.name, begin, end, {}});
    } else {
        clock.timeline->add_wait(begin, end);
    }
}

// The ready tasks next to each other in x, which are run in one call: rows are as long as possible.
TaskRunner::Row TaskRunner::ready_row(int number) const {
    Row row{number, number, {}};
    while (tasks_[row.first].lower >= 0 && ready_.is_ready(tasks_[row.first].lower))
        row.first = tasks_[row.first].lower;
    while (tasks_[row.last].upper >= 0 && ready_.is_ready(tasks_[row.last].upper)) row.last = tasks_[row.last].upper;
    row.box = tasks_[row.first].box;
    row.box.hi[0] = tasks_[row.last].box.hi[0];
    return row;
}

void TaskRunner::take_row(const Row& row) {
    for (int n = row.first;; n = tasks_[n].upper) {
        ready_.take(n);
        if (n == row.last) return;
    }
}

bool TaskRunner::finish_row(const Row& row) {
    bool news = false;
    for (int n = row.first;; n = tasks_[n].upper) {
        news = ready_.finish(n) || news;
        if (n == row.last) return news;
    }
}

void TaskRunner::await(int number, TaskClock& clock) {
    const Item& item = tasks_[number];
    clock.ranges.enter(wait_range);
    const std::int64_t begin = ticks();
    item.exchange->current().pending().wait_phase(item.phase);
    const std::int64_t end = ticks();
    clock.ranges.leave(wait_range);
    clock.waiting += end - begin;
    if (clock.timeline != nullptr) clock.timeline->add_wait(begin, end);
    std::erase_if(flying_, [](const Flying& flying) { return !flying.exchange->active(); });
}

// Advances what is on its way, and notes the phases that are over and that a task waits for; true if there is any.
bool TaskRunner::poll() {
    for (std::size_t n = 0; n < flying_.size();) {
        Flying& flying = flying_[n];
        const bool complete = flying.exchange->pending().test();
        const int done = flying.exchange->pending().phases_done();
        while (flying.arrival >= 0 && (complete || done > tasks_[flying.arrival].phase)) {
            arrived_.push_back(flying.arrival);
            flying.arrival = tasks_[flying.arrival].upper;
        }
        if (complete) {
            flying_.erase(flying_.begin() + n);
        } else {
            ++n;
        }
    }
    return !arrived_.empty();
}

bool TaskRunner::finish_arrived() {
    bool news = false;
    for (const int arrival : arrived_) news = ready_.finish(arrival) || news;
    arrived_.clear();
    return news;
}

}  // namespace lapwing
