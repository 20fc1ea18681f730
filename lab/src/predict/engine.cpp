#include "predict/engine.hpp"

#include <algorithm>
#include <numeric>

#include "predict/memory_traffic.hpp"

namespace lapwing::predict {

namespace {

constexpr const char* link_names[] = {"node", "network", "joint"};

StepPlaces places_of(const StepOutline& step, int& receives, int& phases) {
    StepPlaces places;
    receives = phases = 0;
    for (const auto& exchange : step.exchanges) {
        places.receives.emplace_back();
        places.phases.emplace_back();
        for (const PhaseOutline& phase : exchange) {
            places.receives.back().push_back(receives);
            places.phases.back().push_back(phases++);
            receives += static_cast<int>(phase.receives.size());
        }
    }
    const auto& tasks = step.tasks;
    places.order.resize(tasks.size());
    std::iota(places.order.begin(), places.order.end(), 0);
    std::ranges::stable_sort(places.order, {}, [&](int n) { return tasks[n].task.priority; });
    places.following.resize(tasks.size());
    for (int n = 0; n < std::ssize(tasks); ++n) {
        for (const int before : tasks[n].task.after) places.following[before].push_back(n);
        if (tasks[n].task.kind == Task::Kind::arrive) places.arrivals.push_back(n);
    }
    return places;
}

int nodes_of(const ForecastRequest& request) {
    int nodes = 0;
    for (const ForecastRank& rank : request.ranks) nodes = std::max(nodes, rank.node + 1);
    return nodes;
}

}  // namespace

RankProgram::RankProgram(const RankOutline& given, double cache)
    : outline(&given), memory(bytes_from_memory(given, cache)) {
    for (const StepOutline& step : given.steps) {
        int of_receives = 0, of_phases = 0;
        steps.push_back(places_of(step, of_receives, of_phases));
        receives = std::max(receives, of_receives);
        phases = std::max(phases, of_phases);
    }
}

Engine::Engine(const ForecastRequest& request)
    : request_(request), network_(request.machine, nodes_of(request)), total_(request.warm_up + request.steps) {
    for (const RankOutline& outline : request.outlines) programs_.emplace_back(outline, request.machine.memory.cache);
    for (int kind = 0; kind < 3; ++kind) {
        const auto found = request.machine.links.find(link_names[kind]);
        if (found != request.machine.links.end()) costs_[kind] = found->second;
    }
    for (const double bandwidth : network_.links()) links_.emplace_back(bandwidth);
    outlets_.resize(2 * static_cast<std::size_t>(nodes_of(request)));
    ends_.resize(total_);
    at_warm_.resize(request.ranks.size());
    unfinished_ = static_cast<int>(request.ranks.size());
    ranks_.resize(request.ranks.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const RankProgram& program = programs_[request.ranks[r].outline];
        std::size_t entries = 0;
        for (const StepOutline& step : program.outline->steps) entries = std::max(entries, step.exchanges.size());
        for (const int parity : {0, 1}) {
            ranks_[r].phases_done[parity].resize(entries);
            ranks_[r].begun[parity].resize(entries);
        }
        ranks_[r].arrived.resize(static_cast<std::size_t>(total_) * program.receives);
        ranks_[r].posted.resize(static_cast<std::size_t>(total_) * program.phases, never);
        peers_.push_back(peers_of(request.ranks[r]));
    }
}

std::vector<Engine::Peer> Engine::peers_of(const ForecastRank& rank) const {
    std::vector<Peer> peers;
    const auto& outlined = request_.outlines[rank.outline].peers;
    for (std::size_t p = 0; p < outlined.size(); ++p) {
        const int peer = rank.peers.at(p);
        peers.push_back({outlined[p], peer, network_.route(rank.node, request_.ranks[peer].node)});
    }
    return peers;
}

void Engine::schedule(double time, Kind kind, int subject, int version) {
    events_.push({time, number_++, kind, subject, version});
}

Forecast Engine::run() {
    for (int r = 0; r < std::ssize(ranks_); ++r) {
        begin_step(r);
        // Ranks that begin at one moment would stay in step, and crowd their links for ever, as neither
        // real ranks nor simulated ones do, which leave a barrier within about a latency.
        ranks_[r].now = costs_[network_link].latency * random_share();
        schedule(ranks_[r].now, Kind::resume, r);
    }
    while (!events_.empty() && unfinished_ > 0) {
        const Event event = events_.top();
        events_.pop();
        now_ = event.time;
        switch (event.kind) {
            case Kind::resume:
                go(event.subject);
                break;
            case Kind::posted:
                posted(event.subject);
                break;
            case Kind::crosses:
                cross(event.subject);
                break;
            case Kind::crossed:
                if (event.version < 0) {
                    arrive(event.subject);
                } else if (links_[event.subject].is_current(event.version)) {
                    crossed(event.subject);
                }
                break;
            case Kind::ask:
                ranks_[messages_[event.subject].to].asked.push_back(event.subject);
                wake(messages_[event.subject].to);
                break;
            case Kind::answer:
                ranks_[messages_[event.subject].from].answered.push_back(event.subject);
                wake(messages_[event.subject].from);
        }
    }
    return result();
}

Forecast Engine::result() {
    Forecast forecast;
    forecast.events = number_;
    const RankOutline& any = request_.outlines.front();
    const double steps = static_cast<double>(request_.steps) * steps_of(any) / static_cast<double>(any.steps.size());
    const double begin = request_.warm_up > 0 ? ends_[request_.warm_up - 1] : 0;
    forecast.step = (ends_.back() - begin) / steps;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
        const Rank& rank = ranks_[r];
        const RankTimes& before = at_warm_[r];
        RankTimes times{(rank.compute - before.compute) / steps,
                        (rank.messages - before.messages) / steps,
                        (rank.waiting - before.waiting) / steps,
                        {}};
        for (const auto& [what, seconds] : rank.waits)
            times.waits.push_back({what.first, what.second, seconds / steps});
        std::ranges::sort(times.waits, std::greater{}, &ForecastWait::seconds);
        forecast.ranks.push_back(std::move(times));
    }
    return forecast;
}

}  // namespace lapwing::predict
