// Messages: posted, on their way over the links of the network, arrived.

#include <algorithm>
#include <cmath>

#include "lapwing/base/error.hpp"
#include "predict/engine.hpp"

namespace lapwing::predict {

namespace {

constexpr double envelope = 16;  // bytes that travel with every message, as in the simulator

}  // namespace

// A message is sent: the sender's part, and the event of it.
void Engine::post(int number, Active& active, const MessageOutline& sent) {
    Rank& rank = ranks_[number];
    const Peer& peer = peer_of(number, sent.peer);
    const int to = peer.rank;
    const MessageCost& cost = costs_[peer.route.kind];
    const auto bytes = static_cast<double>(sent.bytes);
    const auto& receives = step_of(to, active.step).exchanges[active.entry][active.phase].receives;
    const auto found =
        std::ranges::find_if(receives, [&](const MessageOutline& one) { return peer_of(to, one.peer).rank == number; });
    if (found == receives.end()) {
        user_error(concat("rank ", to), concat("nothing to receive from rank ", number),
                   concat("the message of ", step_of(number, active.step).names[active.entry]),
                   "ranks of one outline must have alike neighbours: report this");
    }
    if (free_.empty()) {
        free_.push_back(static_cast<int>(messages_.size()));
        messages_.emplace_back();
    }
    const int place = free_.back();
    free_.pop_back();
    const bool asks = cost.calls && bytes > cost.eager_limit;
    messages_[place] = {
        .from = number,
        .to = to,
        .bytes = bytes,
        .receive = receive_at(to, active.step, active.entry, active.phase, static_cast<int>(found - receives.begin())),
        .phase = phase_at(to, active.step, active.entry, active.phase),
        .step = active.step,
        .entry = active.entry,
        .cost = &cost,
        .route = &peer.route,
        .waits_for_receive = bytes > request_.machine.eager,
        .holds_sender = bytes > request_.machine.detached};
    if (messages_[place].holds_sender) ++active.unsent;
    if (asks) {  // the question is a message without bytes
        charge(rank, cost.send_seconds(0));
        schedule(rank.now + messages_[place].route->speed.latency, Kind::ask, place);
    } else {
        charge(rank, cost.send_seconds(bytes));
        schedule(rank.now, Kind::posted, place);
    }
}

// Does what a rank does for long messages in any call of MPI.
void Engine::answer_and_begin(int number) {
    Rank& rank = ranks_[number];
    std::erase_if(rank.asked, [&](int place) {
        const Message& message = messages_[place];
        if (rank.posted[message.phase] == never) return false;
        charge(rank, message.cost->receive_seconds(0) + message.cost->send_seconds(0));
        schedule(rank.now + message.route->speed.latency, Kind::answer, place);
        return true;
    });
    for (const int place : rank.answered) {
        const Message& message = messages_[place];
        charge(rank, message.cost->receive_seconds(0) + message.cost->send_seconds(message.bytes));
        schedule(rank.now, Kind::posted, place);
    }
    rank.answered.clear();
}

// The moment when a message is there to be sent: it leaves, or waits for its receive.
void Engine::posted(int place) {
    const Message& message = messages_[place];
    Rank& receiver = ranks_[message.to];
    const double ready = receiver.posted[message.phase];
    if (!message.waits_for_receive || ready <= now_) {
        leave(place, now_);
    } else if (ready < never) {
        leave(place, ready);
    } else {
        receiver.late.push_back({place, message.phase});
    }
}

double Engine::queued(const Message& message) {
    Outlet& outlet = outlets_[2 * request_.ranks[message.from].node + (message.route->kind == node_link ? 0 : 1)];
    return outlet.wait(*message.cost, message.bytes + envelope, now_);
}

// From here on its latency passes, and then it shares the links of its route.
void Engine::leave(int place, double when) {
    Message& message = messages_[place];
    const double late = message.cost->late(random_share());
    const double begin = std::max(when, now_) + message.route->speed.latency + queued(message) + late;
    const double own = message.route->speed.bandwidth * message.cost->bandwidth_share(message.bytes);
    message.earliest = begin + (message.bytes + envelope) / own;
    schedule(begin, Kind::crosses, place);
}

void Engine::cross(int place) {
    Message& message = messages_[place];
    message.crossing = static_cast<int>(message.route->links.size());
    for (const int link : message.route->links) {
        links_[link].add(now_, place, message.bytes + envelope);
        announce(link);
    }
    if (message.crossing == 0) schedule(message.earliest, Kind::crossed, place, -1);
}

void Engine::announce(int link) {
    const int version = links_[link].renew();
    const double next = links_[link].next();
    if (next < never) schedule(next, Kind::crossed, link, version);
}

// Handles the next message of a link, which has crossed it.
void Engine::crossed(int link) {
    const int place = links_[link].take(now_);
    announce(link);
    Message& message = messages_[place];
    if (--message.crossing > 0) return;
    if (message.earliest > now_) {
        schedule(message.earliest, Kind::crossed, place, -1);
    } else {
        arrive(place);
    }
}

void Engine::arrive(int place) {
    const Message& message = messages_[place];
    Rank& receiver = ranks_[message.to];
    receiver.arrived[message.receive] = Arrived::here;
    receiver.last_sender = message.from;
    wake(message.to);
    if (message.holds_sender) {
        for (Active& active : ranks_[message.from].active)
            if (active.step == message.step && active.entry == message.entry) --active.unsent;
        ranks_[message.from].last_sender = message.to;
        wake(message.from);
    }
    free_.push_back(place);
}

}  // namespace lapwing::predict
