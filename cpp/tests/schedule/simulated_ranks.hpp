#pragma once
// Several ranks in one process that run task lists: tasks in any order that a list allows, messages packed, sent and
// unpacked at any time. The cells hold hashes of all that they were computed from.

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hash_model.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/schedule/task_list.hpp"

namespace lapwing::testing {

constexpr int steps_run = 5;

// A message on its way: packed when it left, or read from its source when it is taken, as in shared memory.
struct Letter {
    std::optional<std::vector<Index>> values;
    const Message* message = nullptr;
    bool* taken = nullptr;
};

struct Simulation {
    Partition partition;
    Cycle cycle;
    int fields;
    Strategy strategy;
    Schedule schedule;
    Random* random;
    std::vector<bool> follows;                                // true if the next step follows at once, by step
    int threads = 1;                                          // of each rank
    std::map<std::array<int, 4>, std::deque<Letter>> mail{};  // by sender, receiver, exchange and phase

    // A number for what an exchange moves: equal halos, equal number.
    int exchange_number(int node, int entry) {
        const auto& halos = schedule.nodes[node].entries[entry].halos;
        const auto found = std::ranges::find(known, halos);
        if (found == known.end()) return known.push_back(halos), static_cast<int>(known.size()) - 1;
        return static_cast<int>(found - known.begin());
    }
    std::vector<std::vector<Read>> known{};
};

class SimulatedRank {
  public:
    SimulatedRank(Simulation& simulation, int rank, const std::vector<Extent>& widths)
        : fields(simulation.partition, rank, widths),
          all_(simulation),
          rank_(rank),
          node_(all_.schedule.stale_entry[0]) {
        begin_step();
    }

    // Does one thing that it can do; false when there is none.
    bool act(const std::vector<std::unique_ptr<SimulatedRank>>& ranks) {
        if (all_.random->coin()) return fly(ranks) || run_task();
        return run_task() || fly(ranks);
    }
    [[nodiscard]] bool finished() const { return step_ == steps_run && flights_.empty(); }

    // Where it stands, for the message of a test that fails.
    [[nodiscard]] std::string describe() {
        std::string text =
            "rank " + std::to_string(rank_) + ", step " + std::to_string(step_) + ", node " + std::to_string(node_);
        for (const Flight& flight : flights_) {
            text += ", exchange " + std::to_string(flight.exchange) + " in phase " + std::to_string(flight.phase) +
                    " of " + std::to_string(flight.plan->phases.size()) + " for entry " + std::to_string(flight.entry) +
                    ", received";
            for (const char got : flight.received) text += got != 0 ? " 1" : " 0";
            text += ", taken";
            for (const bool taken : flight.taken) text += taken ? " 1" : " 0";
        }
        if (step_ == steps_run) return text + ", at the end\n";
        std::vector<std::string> names;
        for (int f = 0; f < all_.fields; ++f) names.push_back(hash_field(f).name);
        text += "; done";
        for (const char done : done_) text += done != 0 ? " 1" : " 0";
        return text + "\n" + to_string(list(node_), rank_step(node_), names);
    }

    HashFields fields;

  private:
    struct Flight {
        int exchange, entry;  // entry -1: for the next step
        const MessagePlan* plan;
        std::size_t phase = 0;
        std::vector<char> received{};
        std::deque<bool> taken{};  // of letters that are read in place
    };

    const MessagePlan& plan_of(int node, int entry) {
        const int number = all_.exchange_number(node, entry);
        const auto known = plans_.find(number);
        if (known != plans_.end()) return known->second;
        std::vector<FieldSpec> specs;
        for (const Read& halo : all_.known[number]) {
            specs.push_back(hash_field(halo.field));
            specs.back().extents = {halo.extent};
        }
        ExchangeOptions options;
        const Order order = all_.strategy.order;
        const bool phased = order != Order::blocking && order != Order::dataflow && order != Order::edge_first;
        if (phased && all_.partition.aligned()) options.corners = Corners::ordered;
        return plans_.emplace(number, exchange_plan(all_.partition, rank_, specs, options)).first->second;
    }

    std::vector<const MessagePlan*> plans_of(int node) {
        std::vector<const MessagePlan*> plans;
        const auto& entries = all_.schedule.nodes[node].entries;
        for (std::size_t e = 0; e < entries.size(); ++e) {
            const bool exchange = entries[e].kind == ScheduleEntry::Kind::exchange;
            plans.push_back(exchange ? &plan_of(node, static_cast<int>(e)) : nullptr);
        }
        return plans;
    }

  public:
    RankStep rank_step(int node) {
        RankStep step;
        step.grid = all_.partition.grid();
        step.subdomains = all_.partition.subdomains_of(rank_);
        for (int s : step.subdomains) step.owned.push_back(all_.partition.subdomain(s).box);
        step.node = &all_.schedule.nodes[node];
        step.next = &all_.schedule.nodes[step.node->next];
        step.cycle = &all_.cycle;
        step.plans = plans_of(node);
        step.next_plans = plans_of(step.node->next);
        step.values_per_cell.assign(all_.fields, 1);
        step.bytes_per_cell.assign(all_.fields, 8);
        for (int f = 0; f < all_.fields; ++f)
            step.lines.push_back({f % 3 == 0 ? 4 : 1, std::vector<Index>(step.owned.size(), f)});
        return step;
    }
    const TaskList& list(int node) {
        const auto known = lists_.find(node);
        if (known != lists_.end()) return known->second;
        Tiling tiling;
        tiling.values = 12;
        tiling.cache = 1500;  // some rows of two or three fields
        tiling.threads = all_.threads;
        return lists_.emplace(node, task_list(rank_step(node), all_.strategy, tiling)).first->second;
    }

  private:
    void begin_step() {
        done_.assign(list(node_).tasks.size(), 0);
        // what left ahead arrives in this step now
        arrived_.assign(all_.schedule.nodes[node_].entries.size(), 0);
        for (Flight& flight : flights_) flight.entry = 0, arrived_[0] = static_cast<int>(flight.phase);
        if (ahead_over_) arrived_[0] = 1000;
        ahead_over_ = false;
    }

    [[nodiscard]] bool can_run(const TaskList& tasks, std::size_t n) const {
        if (done_[n] != 0) return false;
        const bool in_order = tasks.in_order && all_.threads == 1;  // threads keep to the dependences alone
        if (in_order && n > 0 && done_[n - 1] == 0) return false;
        const Task& task = tasks.tasks[n];
        if (!std::ranges::all_of(task.after, [&](int before) { return done_[before] != 0; })) {
            REQUIRE(!in_order);  // an order that is planned keeps to the dependences
            return false;
        }
        return task.kind != Task::Kind::arrive || arrived_[task.entry] > task.phase;
    }

    bool run_task() {
        if (step_ == steps_run) return false;
        const TaskList& tasks = list(node_);
        if (tasks.tasks.empty()) return end_step(), true;
        std::vector<std::size_t> ready;
        for (std::size_t n = 0; n < tasks.tasks.size(); ++n) {
            if (can_run(tasks, n)) ready.push_back(n);
        }
        if (ready.empty()) return false;
        const std::size_t n = ready[all_.random->between(0, static_cast<int>(ready.size()) - 1)];
        const Task& task = tasks.tasks[n];
        if (task.kind == Task::Kind::start) start(task);
        if (task.kind == Task::Kind::compute) {
            const auto& entry = all_.schedule.nodes[node_].entries[task.entry];
            fields.compute(all_.cycle[entry.step][entry.stage], task.block, task.box);
        }
        done_[n] = 1;
        if (std::ranges::all_of(done_, [](char done) { return done != 0; })) end_step();
        return true;
    }

    void end_step() {
        node_ = all_.schedule.nodes[node_].next;
        if (++step_ < steps_run) begin_step();
    }

    void start(const Task& task) {
        const int node = task.ahead ? all_.schedule.nodes[node_].next : node_;
        if (task.ahead && (!all_.follows[step_] || step_ + 1 == steps_run)) return;
        if (!task.ahead && task.entry == 0 && step_ > 0 && all_.follows[step_ - 1] &&
            !exchanges_ahead(all_.schedule.nodes[node_]).empty()) {
            return;  // it left in the step before
        }
        const int number = all_.exchange_number(node, task.entry);
        for (const Flight& flight : flights_) REQUIRE(flight.exchange != number);
        flights_.push_back({number, task.ahead ? -1 : task.entry, &plan_of(node, task.entry)});
        if (flights_.back().plan->phases.empty()) return;
        begin_phase(flights_.back());
    }

    void begin_phase(Flight& flight) {
        const Phase& phase = flight.plan->phases[flight.phase];
        flight.received.assign(phase.receives.size(), 0);
        flight.taken.clear();
        for (const Message& message : phase.sends) {
            Letter letter{{}, &message, nullptr};
            if (all_.random->coin()) {
                letter.values = packed(*flight.plan, message);
            } else {
                letter.taken = &flight.taken.emplace_back(false);
            }
            all_.mail[{rank_, message.peer, flight.exchange, static_cast<int>(flight.phase)}].push_back(
                std::move(letter));
        }
        for (const Piece& piece : phase.copies) {
            const std::vector<Index> values = packed(*flight.plan, {rank_, {piece}});
            unpack(*flight.plan, {rank_, {piece}}, values);
        }
    }

    // Delivers a message, or goes on to the next phase.
    bool fly(const std::vector<std::unique_ptr<SimulatedRank>>& ranks) {
        for (std::size_t f = 0; f < flights_.size(); ++f) {
            Flight& flight = flights_[f];
            if (flight.phase < flight.plan->phases.size() && deliver(flight, ranks)) return true;
            const bool over = std::ranges::all_of(flight.received, [](char got) { return got != 0; }) &&
                              std::ranges::all_of(flight.taken, [](bool taken) { return taken; });
            if (!over) continue;
            if (++flight.phase < flight.plan->phases.size()) {
                begin_phase(flight);
                if (flight.entry >= 0) arrived_[flight.entry] = static_cast<int>(flight.phase);
                return true;
            }
            if (flight.entry >= 0) arrived_[flight.entry] = 1000;
            if (flight.entry < 0) ahead_over_ = true;
            flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(f));
            return true;
        }
        return false;
    }

    bool deliver(Flight& flight, const std::vector<std::unique_ptr<SimulatedRank>>& ranks) {
        const Phase& phase = flight.plan->phases[flight.phase];
        for (std::size_t r = 0; r < phase.receives.size(); ++r) {
            auto& letters = all_.mail[{phase.receives[r].peer, rank_, flight.exchange, static_cast<int>(flight.phase)}];
            if (flight.received[r] != 0 || letters.empty()) continue;
            SimulatedRank& sender = *ranks[phase.receives[r].peer];
            const Letter& letter = letters.front();
            unpack(*flight.plan, phase.receives[r],
                   letter.values ? *letter.values : sender.packed(*flight.plan, *letter.message));
            if (letter.taken != nullptr) *letter.taken = true;
            letters.pop_front();
            flight.received[r] = 1;
            return true;
        }
        return false;
    }

    template <class Use>
    void walk(const Message& message, bool source, const MessagePlan& plan, const Use& use) {
        for (const Piece& piece : message.pieces) {
            const Box& box = source ? piece.source_box : piece.target_box;
            const auto& mine = all_.partition.subdomains_of(rank_);
            const auto block = std::ranges::find(mine, source ? piece.source : piece.target) - mine.begin();
            const std::string& name = plan.fields[piece.field].name;
            const int field = std::stoi(name.substr(1));
            for (Index k = box.lo[2]; k < box.hi[2]; ++k)
                for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                        use(fields.value(field, static_cast<int>(block), {i, j, k}));
        }
    }
    std::vector<Index> packed(const MessagePlan& plan, const Message& message) {
        std::vector<Index> values;
        walk(message, true, plan, [&](Index value) { values.push_back(value); });
        return values;
    }
    void unpack(const MessagePlan& plan, const Message& message, const std::vector<Index>& values) {
        std::size_t n = 0;
        walk(message, false, plan, [&](Index& value) { value = values[n++]; });
        REQUIRE(n == values.size());
    }

    Simulation& all_;
    int rank_;
    std::map<int, MessagePlan> plans_;
    std::map<int, TaskList> lists_;
    std::deque<Flight> flights_;
    int node_, step_ = 0;
    bool ahead_over_ = false;
    std::vector<char> done_;
    std::vector<int> arrived_;  // for each entry: phases that are over
};

}  // namespace lapwing::testing
