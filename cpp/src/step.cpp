#include "lapwing/step.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "lapwing/agreement.hpp"
#include "lapwing/error.hpp"
#include "lapwing/reduction.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;

std::size_t position_of(const auto& list, const auto& value) {
    return static_cast<std::size_t>(std::ranges::find(list, value) - list.begin());
}

void require_strategy(const std::string& strategy) {
    const std::vector<std::string> names = strategy_names();
    if (std::ranges::find(names, strategy) != names.end()) return;
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    user_error("strategy", strategy, "one of: " + known, "choose a strategy by its name");
}

std::string listed(const Schedule& schedule) {
    std::string text;
    for (const ScheduleNode& node : schedule.nodes) {
        for (const Task& task : node.tasks) {
            text += task.kind == Task::Kind::compute ? "c" + std::to_string(task.stage) : "x";
            for (const Read& halo : task.halos) text += std::to_string(halo.field) + to_string(halo.extent);
            text += ";";
        }
        text += " -> " + std::to_string(node.next) + " ";
    }
    return text;
}

}  // namespace

std::vector<std::string> strategy_names() { return {"blocking"}; }

Step::Step(Domain& domain, std::vector<std::vector<Stage>> cycle, const std::string& strategy,
           const std::string& transport)
    : domain_(domain), cycle_(std::move(cycle)) {
    together(domain.comm(), [&] {
        require_strategy(strategy);
        number_fields();
        schedule_ = blocking_schedule(specs(), static_cast<int>(fields_.size()));
    });
    require_same(domain.comm(), "schedule of the step", listed(schedule_));
    make_exchanges(transport);
    restart_at(0);
}

void Step::number_fields() {
    const auto note = [&](Field* field, const Stage& stage) {
        if (field == nullptr) {
            user_error("stage " + stage.name, "a field that is null", "fields of this domain",
                       "pass the address of a field that outlives the step");
        }
        if (std::ranges::count(fields_, field) == 0) fields_.push_back(field);
    };
    for (const auto& stages : cycle_) {
        name_of_.emplace_back();
        for (const Stage& stage : stages) {
            const auto boxes = domain_.partition().subdomains_of(domain_.rank()).size();
            if (stage.kernel == nullptr || stage.contexts.size() != boxes) {
                user_error("stage " + stage.name, std::to_string(stage.contexts.size()) + " contexts",
                           "a kernel and " + std::to_string(boxes) + " contexts, one per owned box",
                           "give every box of this rank its context");
            }
            for (const FieldRead& read : stage.reads) note(read.field, stage);
            for (Field* field : stage.writes) note(field, stage);
            const std::size_t name = position_of(stage_names_, stage.name);
            if (name == stage_names_.size()) stage_names_.push_back(stage.name);
            name_of_.back().push_back(static_cast<int>(name));
        }
    }
    versions_.resize(fields_.size());
    times_.compute.resize(stage_names_.size());
}

Cycle Step::specs() const {
    Cycle all;
    for (const auto& stages : cycle_) {
        all.emplace_back();
        for (const Stage& stage : stages) {
            StageSpec spec{stage.name, {}, {}, stage.region};
            for (const FieldRead& read : stage.reads) {
                spec.reads.push_back({static_cast<int>(position_of(fields_, read.field)), read.extent});
            }
            for (Field* field : stage.writes) {
                spec.writes.push_back(static_cast<int>(position_of(fields_, field)));
            }
            all.back().push_back(std::move(spec));
        }
    }
    return all;
}

void Step::make_exchanges(const std::string& transport) {
    // Equal exchanges are made once, however many tasks use them.
    std::vector<std::vector<Read>> made;
    for (const ScheduleNode& node : schedule_.nodes) {
        exchange_of_.emplace_back();
        for (const Task& task : node.tasks) {
            if (task.kind == Task::Kind::compute) {
                exchange_of_.back().push_back(-1);
                continue;
            }
            const std::size_t known = position_of(made, task.halos);
            exchange_of_.back().push_back(static_cast<int>(known));
            if (known < made.size()) continue;
            made.push_back(task.halos);
            std::vector<FieldSpec> specs;
            std::vector<const Field*> fields;
            for (const Read& halo : task.halos) {
                fields.push_back(fields_[static_cast<std::size_t>(halo.field)]);
                specs.push_back(fields.back()->spec());
                specs.back().extents = {halo.extent};
            }
            exchanges_.push_back(
                std::make_unique<Exchange>(domain_, fields, specs, ExchangeOptions{.transport = transport}));
        }
    }
}

bool Step::modified_outside() {
    bool modified = false;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
        modified |= versions_[f] != fields_[f]->version();
        versions_[f] = fields_[f]->version();
    }
    return modified;
}

void Step::agree_on_modified() {
    if (any(domain_, modified_outside())) restart_at(position());
}

void Step::run() {
    if (modified_outside()) restart_at(position());
    const ScheduleNode& node = schedule_.nodes[static_cast<std::size_t>(node_)];
    const auto step = static_cast<std::size_t>(node.step);
    for (std::size_t t = 0; t < node.tasks.size(); ++t) {
        if (node.tasks[t].kind == Task::Kind::exchange) {
            exchange(t);
        } else {
            const auto stage = static_cast<std::size_t>(node.tasks[t].stage);
            compute(cycle_[step][stage], name_of_[step][stage]);
        }
    }
    node_ = node.next;
    ++times_.steps;
}

void Step::compute(const Stage& stage, int name) {
    const auto begin = Clock::now();
    const auto& mine = domain_.partition().subdomains_of(domain_.rank());
    for (std::size_t b = 0; b < mine.size(); ++b) {
        const Box owned = domain_.partition().subdomain(mine[b]).box;
        const Box box = stage.region ? intersect(owned, *stage.region) : owned;
        if (!box.empty()) stage.kernel(stage.contexts[b], box);
    }
    times_.compute[static_cast<std::size_t>(name)] += std::chrono::duration<double>(Clock::now() - begin).count();
}

void Step::exchange(std::size_t task) {
    const auto node = static_cast<std::size_t>(node_);
    const int number = exchange_of_[node][task];
    Exchange& exchange = *exchanges_[static_cast<std::size_t>(number)];
    const ExchangeCount before = exchange.count();
    if (census_ == nullptr) {
        exchange.run();
    } else {
        times_.halo_wait += census_->run(number, costs_[node][task]);
    }
    times_.halo_start += exchange.count().start_seconds() - before.start_seconds();
    times_.halo_wait += exchange.count().wait_seconds() - before.wait_seconds();
}

int Step::position() const { return schedule_.nodes[static_cast<std::size_t>(node_)].step; }

void Step::restart_at(int position) {
    const auto positions = static_cast<int>(schedule_.stale_entry.size());
    if (position < 0 || position >= positions) {
        user_error("position of the step", std::to_string(position), "0 to " + std::to_string(positions - 1),
                   "use the position that the restart file carries, of the same cycle");
    }
    node_ = schedule_.stale_entry[static_cast<std::size_t>(position)];
}

void Step::reset_times() {
    const std::size_t names = times_.compute.size();
    times_ = {};
    times_.compute.resize(names);
    for (auto& costs : costs_) std::ranges::fill(costs, ExchangeCost{});
}

std::vector<int> Step::steady_nodes() const {
    int node = schedule_.stale_entry[0];
    for (std::size_t n = 0; n < schedule_.nodes.size(); ++n) {
        node = schedule_.nodes[static_cast<std::size_t>(node)].next;
    }
    std::vector<int> nodes;
    while (std::ranges::count(nodes, node) == 0) {
        nodes.push_back(node);
        node = schedule_.nodes[static_cast<std::size_t>(node)].next;
    }
    return nodes;
}

StepVolume Step::volume() const {
    StepVolume volume;
    const auto nodes = steady_nodes();
    const auto n = static_cast<double>(nodes.size());
    for (int node : nodes) {
        for (int number : exchange_of_[static_cast<std::size_t>(node)]) {
            if (number < 0) continue;
            const MessagePlan& plan = exchanges_[static_cast<std::size_t>(number)]->plan();
            volume.exchanges += 1.0 / n;
            volume.messages += messages_sent(plan) / n;
            volume.bytes += static_cast<double>(bytes_sent(plan)) / n;
        }
    }
    return volume;
}

std::string Step::describe() const {
    const Cycle stages = specs();
    std::vector<std::string> names;
    for (const Field* field : fields_) names.push_back(field->spec().name);
    std::string text;
    for (int node : steady_nodes()) {
        const ScheduleNode& list = schedule_.nodes[static_cast<std::size_t>(node)];
        text += "step " + std::to_string(list.step) + " of " + std::to_string(cycle_.size()) + "\n";
        text += to_string(list, stages[static_cast<std::size_t>(list.step)], names);
    }
    return text;
}

void Step::observe(bool on) {
    census_ = on ? std::make_unique<StepCensus>(domain_, exchanges_) : nullptr;
    costs_.clear();
    for (const ScheduleNode& node : schedule_.nodes) costs_.emplace_back(on ? node.tasks.size() : 0);
}

CensusEntry Step::census_entry(std::size_t node, std::size_t task) const {
    const ScheduleNode& list = schedule_.nodes[node];
    const int number = exchange_of_[node][task];
    const MessagePlan& plan = exchanges_[static_cast<std::size_t>(number)]->plan();
    CensusEntry entry;
    entry.position = list.step;
    entry.messages = messages_sent(plan);
    entry.bytes = bytes_sent(plan);
    entry.handshake = census_->handshake_seconds(number);
    entry.cost = costs_[node][task];
    for (std::size_t t = task + 1; t < list.tasks.size() && entry.stage.empty(); ++t) {
        if (list.tasks[t].kind != Task::Kind::compute) continue;
        entry.stage = cycle_[static_cast<std::size_t>(list.step)][static_cast<std::size_t>(list.tasks[t].stage)].name;
    }
    const Cycle cycle = specs();
    for (std::size_t f = 0; f < plan.fields.size(); ++f) {
        const auto field = static_cast<int>(f);
        const Read& halo = list.tasks[task].halos[f];
        entry.fields.push_back({plan.fields[f].name, halo.extent, messages_with(plan, field),
                                bytes_sent_of(plan, field),
                                is_needless(cycle, schedule_, {static_cast<int>(node), static_cast<int>(task)}, halo)});
    }
    return entry;
}

std::vector<CensusEntry> Step::census() const {
    std::vector<CensusEntry> entries;
    if (census_ == nullptr) return entries;
    const std::vector<int> steady = steady_nodes();
    for (std::size_t node = 0; node < schedule_.nodes.size(); ++node) {
        for (std::size_t task = 0; task < schedule_.nodes[node].tasks.size(); ++task) {
            if (exchange_of_[node][task] < 0) continue;
            entries.push_back(census_entry(node, task));
            entries.back().steady = std::ranges::count(steady, static_cast<int>(node)) > 0;
        }
    }
    std::ranges::stable_sort(entries, {}, &CensusEntry::position);
    return entries;
}

}  // namespace lapwing
