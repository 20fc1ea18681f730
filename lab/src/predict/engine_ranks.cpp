// Ranks: tasks in their order, exchanges that are started, polled and waited for.

#include <algorithm>
#include <numeric>

#include "lapwing/base/error.hpp"
#include "predict/engine.hpp"

namespace lapwing::predict {

const StepOutline& Engine::step_of(int rank, int step) const {
    const auto& steps = request_.outlines[request_.ranks[rank].outline].steps;
    return steps[step % steps.size()];
}

const StepPlaces& Engine::places_of(int rank, int step) const {
    const auto& steps = programs_[request_.ranks[rank].outline].steps;
    return steps[step % steps.size()];
}

int Engine::receive_at(int rank, int step, int entry, int phase, int receive) const {
    const RankProgram& program = programs_[request_.ranks[rank].outline];
    return step * program.receives + places_of(rank, step).receives[entry][phase] + receive;
}

int Engine::phase_at(int rank, int step, int entry, int phase) const {
    const RankProgram& program = programs_[request_.ranks[rank].outline];
    return step * program.phases + places_of(rank, step).phases[entry][phase];
}

const Engine::Peer& Engine::peer_of(int rank, int outlined) const {
    return *std::ranges::lower_bound(peers_[rank], outlined, {}, &Peer::outlined);
}

void Engine::charge(Rank& rank, double seconds) const {
    rank.now += seconds;
    rank.messages += seconds;
}

void Engine::wake(int number) {
    Rank& rank = ranks_[number];
    if (!rank.blocked) return;
    rank.blocked = false;
    const double waited = std::max(0.0, now_ - rank.blocked_since);
    rank.waiting += waited;
    rank.now = std::max(rank.now, now_);
    if (waited > 0 && rank.step >= request_.warm_up) {
        const auto& names = step_of(number, rank.step).names;
        rank.waits[{rank.awaited < 0 ? "halos" : names[rank.awaited], rank.last_sender}] += waited;
    }
    schedule(rank.now, Kind::resume, number);
}

// Goes on with a rank as far as it needs nothing that has not happened yet.
void Engine::go(int number) {
    Rank& rank = ranks_[number];
    for (;;) {
        if (rank.doing != Doing::choosing && rank.now > now_) {
            schedule(rank.now, Kind::resume, number);
            return;
        }
        switch (rank.doing) {
            case Doing::polling:
                static_cast<void>(poll(number));
                rank.doing = Doing::choosing;
                break;
            case Doing::waiting:
                if (!await(number)) return;
                break;
            case Doing::choosing:
                if (!choose(number)) return;
        }
    }
}

// True if the wait is over; else the rank sleeps until something arrives.
bool Engine::await(int number) {
    Rank& rank = ranks_[number];
    const bool news = poll(number);
    const StepOutline& step = step_of(number, rank.step);
    if (rank.returning >= 0) {
        const int last = static_cast<int>(step.exchanges[rank.returning].size()) - 1;
        if (!is_over(rank, rank.returning, last)) return rest(number, rank.returning);
        rank.returning = -1;
        rank.doing = Doing::choosing;
        return true;
    }
    const int awaited = step.in_order ? places_of(number, rank.step).order[rank.task] : -1;
    const bool over =
        step.in_order ? is_over(rank, step.tasks[awaited].task.entry, step.tasks[awaited].task.phase) : news;
    if (over) {
        if (step.in_order) ++rank.task;
        rank.doing = Doing::choosing;
        return true;
    }
    return rest(number, step.in_order ? step.tasks[awaited].task.entry : -1);
}

// Until something arrives; true where it has just unpacked something, and looks again.
bool Engine::rest(int number, int entry) {
    Rank& rank = ranks_[number];
    if (rank.now > now_) return true;
    rank.awaited = entry;
    rank.blocked = true;
    rank.blocked_since = now_;
    return false;
}

bool Engine::is_over(const Rank& rank, int entry, int phase) const {
    return rank.phases_done[rank.step % 2][entry] > phase;
}

bool Engine::choose(int rank) {
    return step_of(rank, ranks_[rank].step).in_order ? choose_in_order(rank) : choose_ready(rank);
}

bool Engine::choose_in_order(int number) {
    Rank& rank = ranks_[number];
    const StepOutline& step = step_of(number, rank.step);
    if (rank.task == step.tasks.size()) {
        end_step(number);
        return rank.step < total_;
    }
    const TaskOutline& next = step.tasks[places_of(number, rank.step).order[rank.task]];
    switch (next.task.kind) {
        case Task::Kind::start:
            start(number, rank.step + (next.task.ahead ? 1 : 0), next.task.entry);
            ++rank.task;
            return true;
        case Task::Kind::arrive:
            if (is_over(rank, next.task.entry, next.task.phase)) {
                ++rank.task;
            } else {
                rank.doing = Doing::waiting;
            }
            return true;
        case Task::Kind::compute:
            compute(number, next, memory_of(number)[places_of(number, rank.step).order[rank.task]]);
            ++rank.task;
            if (!rank.active.empty()) rank.doing = Doing::polling;
            return true;
        case Task::Kind::reduce:
            ++rank.task;
            return end_together(number, next.task.entry);
    }
    return false;
}

bool Engine::choose_ready(int number) {
    Rank& rank = ranks_[number];
    if (rank.left == 0) {
        end_step(number);
        return rank.step < total_;
    }
    const StepOutline& step = step_of(number, rank.step);
    const StepPlaces& places = places_of(number, rank.step);
    const auto ready = std::ranges::find_if(places.order, [&](int n) {
        return rank.done[n] == 0 && rank.missing[n] == 0 && step.tasks[n].task.kind != Task::Kind::arrive;
    });
    if (ready == places.order.end()) {
        rank.doing = Doing::waiting;
        return true;
    }
    const TaskOutline& next = step.tasks[*ready];
    if (next.task.kind == Task::Kind::start) {
        start(number, rank.step + (next.task.ahead ? 1 : 0), next.task.entry);
        finish(number, *ready);
    } else if (next.task.kind == Task::Kind::reduce) {
        finish(number, *ready);
        return end_together(number, next.task.entry);
    } else {
        compute_with_neighbours(number, *ready);
    }
    rank.doing = Doing::polling;
    return true;
}

// The bytes of memory that each task of a rank's step loads and stores.
const std::vector<double>& Engine::memory_of(int number) const {
    const auto& memory = programs_[request_.ranks[number].outline].memory;
    return memory[ranks_[number].step % memory.size()];
}

void Engine::compute(int number, const TaskOutline& task, double bytes) {
    const auto& names = request_.outlines[request_.ranks[number].outline].stages;
    const auto calls = static_cast<double>(task.task.computed().size());
    compute(number, names[task.stage], {task.cells, task.rows, calls}, bytes);
}

void Engine::compute_between(int number) {
    const ForecastRank& rank = request_.ranks[number];
    compute(number, between_steps, {rank.cells, rank.rows, 1}, 0);
}

void Engine::compute(int number, const std::string& stage, const Amount& amount, double bytes) {
    const ForecastRank& where = request_.ranks[number];
    const auto found = request_.stages.find(stage);
    if (found == request_.stages.end() || amount.cells == 0) return;
    const double seconds = found->second.seconds(amount.cells, amount.rows, where.crowd, where.speed, amount.calls) +
                           request_.machine.memory.seconds(bytes, found->second, where.crowd);
    ranks_[number].now += seconds;
    ranks_[number].compute += seconds;
}

// Rows are run as long as what is ready next to each other allows.
void Engine::compute_with_neighbours(int number, int task) {
    const Rank& rank = ranks_[number];
    const auto& tasks = step_of(number, rank.step).tasks;
    const auto is_ready = [&](int n) { return n >= 0 && rank.done[n] == 0 && rank.missing[n] == 0; };
    int lowest = task, highest = task;
    while (is_ready(tasks[lowest].task.lower)) lowest = tasks[lowest].task.lower;
    while (is_ready(tasks[highest].task.upper)) highest = tasks[highest].task.upper;
    TaskOutline whole = tasks[lowest];
    double bytes = memory_of(number)[lowest];
    for (int n = lowest; n != highest;) {
        n = tasks[n].task.upper;
        whole.cells += tasks[n].cells;
        bytes += memory_of(number)[n];
        whole.rows = std::max(whole.rows, tasks[n].rows);
    }
    compute(number, whole, bytes);
    for (int n = lowest;; n = tasks[n].task.upper) {
        finish(number, n);
        if (n == highest) break;
    }
}

void Engine::finish(int number, int task) {
    Rank& rank = ranks_[number];
    rank.done[task] = 1;
    --rank.left;
    for (const int next : places_of(number, rank.step).following[task]) --rank.missing[next];
}

void Engine::begin_step(int number) {
    Rank& rank = ranks_[number];
    const StepOutline& step = step_of(number, rank.step);
    rank.task = 0;
    rank.doing = Doing::choosing;
    compute_between(number);
    if (step.in_order) return;
    rank.left = static_cast<int>(step.tasks.size());
    rank.done.assign(step.tasks.size(), 0);
    rank.missing.clear();
    for (const TaskOutline& task : step.tasks) rank.missing.push_back(static_cast<int>(task.task.after.size()));
}

void Engine::end_step(int number) {
    Rank& rank = ranks_[number];
    ends_[rank.step] = std::max(ends_[rank.step], rank.now);
    const int parity = rank.step % 2;
    std::ranges::fill(rank.phases_done[parity], 0);
    std::ranges::fill(rank.begun[parity], 0);
    ++rank.step;
    if (rank.step == request_.warm_up) at_warm_[number] = {rank.compute, rank.messages, rank.waiting, {}};
    if (rank.step < total_) {
        begin_step(number);
    } else {
        --unfinished_;
    }
}

// Ends a stage: with halos that return, or a number that all agree on. Returns true if the rank goes on.
bool Engine::end_together(int number, int entry) {
    Rank& rank = ranks_[number];
    if (step_of(number, rank.step).exchanges[entry].empty()) {
        join(number, entry);
        return false;
    }
    start(number, rank.step, entry);
    rank.returning = entry;
    rank.doing = Doing::waiting;
    return true;
}

// All ranks wait for each other, and agree.
void Engine::join(int number, int entry) {
    Rank& rank = ranks_[number];
    rank.awaited = entry;
    joined_.push_back(number);
    if (joined_.size() < ranks_.size()) return;
    double last = 0;
    for (const int one : joined_) last = std::max(last, ranks_[one].now);
    last += reduction_seconds();
    for (const int one : joined_) {
        ranks_[one].waiting += last - ranks_[one].now;
        ranks_[one].now = last;
        schedule(last, Kind::resume, one);
    }
    joined_.clear();
}

double Engine::reduction_seconds() const {
    double seconds = 0;
    for (std::size_t beyond = 1; beyond < ranks_.size(); beyond *= 2) {
        const Route route = network_.route(request_.ranks[0].node, request_.ranks[beyond].node);
        const MessageCost& cost = costs_[route.kind];
        seconds += cost.send + route.speed.latency + cost.receive;
    }
    return seconds;
}

// ---- exchanges

void Engine::start(int number, int step, int entry) {
    Rank& rank = ranks_[number];
    if (step >= total_ || rank.begun[step % 2][entry] != 0) return;  // it has left in the step before
    rank.begun[step % 2][entry] = 1;
    if (step_of(number, step).exchanges[entry].empty()) return;
    Active active{step, entry, 0, 0, 0};
    start_phase(number, active);
    if (skip_empty_phases(number, active)) rank.active.push_back(active);
}

// Phases without messages are over at once. Whether any is left.
bool Engine::skip_empty_phases(int number, Active& active) {
    const auto& phases = step_of(number, active.step).exchanges[active.entry];
    while (phases[active.phase].sends.empty() && phases[active.phase].receives.empty()) {
        ++ranks_[number].phases_done[active.step % 2][active.entry];
        if (++active.phase == std::ssize(phases)) return false;
        start_phase(number, active);
    }
    return true;
}

void Engine::start_phase(int number, Active& active) {
    Rank& rank = ranks_[number];
    const PhaseOutline& phase = step_of(number, active.step).exchanges[active.entry][active.phase];
    const int place = phase_at(number, active.step, active.entry, active.phase);
    rank.posted[place] = rank.now;
    active.missing = static_cast<int>(phase.receives.size());
    active.unsent = 0;
    std::erase_if(rank.late, [&](const Late& late) {
        if (late.phase == place) leave(late.message, rank.now);
        return late.phase == place;
    });
    for (const MessageOutline& sent : phase.sends) {
        charge(rank, request_.machine.packing.seconds(static_cast<double>(sent.bytes), static_cast<double>(sent.rows)));
        post(number, active, sent);
    }
    charge(rank, request_.machine.packing.seconds(static_cast<double>(phase.copied_bytes),
                                                  static_cast<double>(phase.copied_rows)));
}

// Takes what has come. Whether a phase that a task waits for is over.
bool Engine::poll(int number) {
    Rank& rank = ranks_[number];
    answer_and_begin(number);
    for (std::size_t n = 0; n < rank.active.size();) {
        Active active = rank.active[n];
        const bool over = poll_one(number, active);
        rank.active[n] = active;
        if (over) {
            rank.active.erase(rank.active.begin() + static_cast<std::ptrdiff_t>(n));
        } else {
            ++n;
        }
    }
    return note_arrivals(number);
}

bool Engine::poll_one(int number, Active& active) {
    Rank& rank = ranks_[number];
    const StepOutline& step = step_of(number, active.step);
    const auto& phases = step.exchanges[active.entry];
    for (;;) {
        const PhaseOutline& phase = phases[active.phase];
        const int first = receive_at(number, active.step, active.entry, active.phase, 0);
        charge(rank, costs_[network_link].poll);
        for (std::size_t r = 0; r < phase.receives.size(); ++r) {
            if (rank.arrived[first + r] != Arrived::here) continue;
            const MessageOutline& got = phase.receives[r];
            const auto bytes = static_cast<double>(got.bytes);
            charge(rank, costs_[peer_of(number, got.peer).route.kind].receive_seconds(bytes));
            charge(rank, request_.machine.packing.seconds(bytes, static_cast<double>(got.rows)));
            rank.arrived[first + r] = Arrived::delivered;
            --active.missing;
        }
        if (active.missing > 0 || active.unsent > 0) return false;
        ++rank.phases_done[active.step % 2][active.entry];
        if (++active.phase == std::ssize(phases)) return true;
        start_phase(number, active);
        if (!skip_empty_phases(number, active)) return true;
    }
}

// For tasks that are done as they become ready: takes the arrivals that have happened. Returns true if there are any.
bool Engine::note_arrivals(int number) {
    Rank& rank = ranks_[number];
    const StepOutline& step = step_of(number, rank.step);
    if (step.in_order) return false;
    bool news = false;
    for (const int n : places_of(number, rank.step).arrivals) {
        const Task& task = step.tasks[n].task;
        if (rank.done[n] != 0 || rank.missing[n] > 0 || !is_over(rank, task.entry, task.phase)) continue;
        finish(number, n);
        news = true;
    }
    return news;
}

}  // namespace lapwing::predict
