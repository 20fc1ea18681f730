#include "lapwing/transport/channel.hpp"

#include <algorithm>

namespace lapwing {

Channel::Channel(const BoundPlan& plan, std::vector<PhaseLegs> legs)
    : in_order_(plan.in_order), keep_(plan.keep), phase_(plan.phases.size()) {
    for (std::size_t p = 0; p < plan.phases.size(); ++p) {
        const BoundPhase& phase = plan.phases[p];
        const std::size_t receives = phase.receives.size();
        PhaseState state{
            std::move(legs[p]), {}, {phase.copies, plan.arrival, plan.in_order, plan.threads}, {}, {}, {}, {}};
        for (const BoundMessage& message : phase.receives) state.peers.push_back(message.peer);
        state.leg_of.resize(receives);
        state.number_in_leg.resize(receives);
        state.arrived.resize(receives);
        state.news.resize(receives);
        for (const PhaseLegs::Part& part : state.legs.parts) {
            for (std::size_t n = 0; n < part.receives.size(); ++n) {
                const std::size_t receive = part.receives[n];
                state.leg_of[receive] = part.leg.get();
                state.number_in_leg[receive] = static_cast<int>(n);
            }
        }
        phases_.push_back(std::move(state));
    }
}

// Waiting here could block for ever (a neighbour may never start), so the legs give their buffers up: the program
// has a mistake, its memory stays whole.
Channel::~Channel() {
    if (phase_ == phases_.size()) return;
    for (const PhaseLegs::Part& part : phases_[phase_].legs.parts) part.leg->abandon();
}

void Channel::start() {
    phase_ = 0;
    if (phases_.empty()) return;
    start_phase();
    // phases without messages are over at once: those of the first that has some leave now
    while (phases_[phase_].legs.parts.empty() && finish_phase()) {
    }
}

// Goes on to the next phase; false after the last.
bool Channel::finish_phase() {
    PhaseState& phase = phases_[phase_];
    if (in_order_ && !phase.received) deliver_in_order();
    if (++phase_ == phases_.size()) return false;
    start_phase();
    return true;
}

void Channel::start_phase() {
    PhaseState& phase = phases_[phase_];
    const std::int64_t begin = drawn_.begin();
    std::ranges::fill(phase.arrived, 0);
    phase.waiting_for = static_cast<int>(phase.arrived.size());
    phase.received = false;
    for (const PhaseLegs::Part& part : phase.legs.parts) part.leg->start();
    // In order: nothing is applied before everything is there.
    if (!in_order_) phase.copies.run();
    drawn_.end(TimelineEvent::Kind::start, begin);
}

void Channel::deliver(Leg& leg, int number) {
    const std::int64_t begin = drawn_.begin();
    leg.deliver(number);
    drawn_.end(TimelineEvent::Kind::unpack, begin);
}

// Takes what has come; true when nothing is missing any more.
bool Channel::receive() {
    PhaseState& phase = phases_[phase_];
    for (const PhaseLegs::Part& part : phase.legs.parts) {
        const std::size_t count = part.leg->poll(phase.news);
        for (std::size_t n = 0; n < count; ++n) {
            const int number = phase.news[n];
            phase.arrived[part.receives[number]] = 1;
            if (!in_order_) deliver(*part.leg, number);
        }
        phase.waiting_for -= static_cast<int>(count);
    }
    return phase.waiting_for == 0;
}

void Channel::deliver_in_order() {
    PhaseState& phase = phases_[phase_];
    phase.copies.run();
    for (std::size_t r = 0; r < phase.leg_of.size(); ++r) deliver(*phase.leg_of[r], phase.number_in_leg[r]);
}

bool Channel::test() {
    while (phase_ < phases_.size()) {
        PhaseState& phase = phases_[phase_];
        if (!phase.received) {
            if (!receive()) return false;
            if (in_order_) deliver_in_order();
            phase.received = true;
        }
        for (const PhaseLegs::Part& part : phase.legs.parts) {
            if (!part.leg->sent()) return false;
        }
        static_cast<void>(finish_phase());
    }
    return true;
}

std::vector<int> Channel::missing() const {
    std::vector<int> peers;
    if (phase_ == phases_.size()) return peers;
    const PhaseState& phase = phases_[phase_];
    for (std::size_t r = 0; r < phase.peers.size(); ++r) {
        if (phase.arrived[r] == 0) peers.push_back(phase.peers[r]);
    }
    return peers;
}

std::vector<int> Channel::unsent() const {
    std::vector<int> peers;
    if (phase_ == phases_.size()) return peers;
    for (const PhaseLegs::Part& part : phases_[phase_].legs.parts) {
        const std::vector<int> more = part.leg->unsent();
        peers.insert(peers.end(), more.begin(), more.end());
    }
    return peers;
}

Index Channel::buffer_bytes() const {
    Index sum = 0;
    for (const PhaseState& phase : phases_) {
        sum += phase.copies.buffer_bytes();
        for (const PhaseLegs::Part& part : phase.legs.parts) sum += part.leg->buffer_bytes();
    }
    return sum;
}

}  // namespace lapwing
