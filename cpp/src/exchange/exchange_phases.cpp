// The phases of an exchange: legs started, what arrives delivered, the next phase.

#include <algorithm>

#include "exchange/phase_on_its_way.hpp"
#include "lapwing/exchange/exchange.hpp"

namespace lapwing {

Exchange::PhaseOnItsWay::PhaseOnItsWay(const BoundPlan& plan, const BoundPhase& phase, PhaseLegs given)
    : legs(std::move(given)),
      copies(phase.copies, plan.arrival, plan.in_order),
      leg_of(phase.receives.size()),
      number_in_leg(phase.receives.size()),
      arrived(phase.receives.size()),
      news(phase.receives.size()),
      packed_sends(phase.sends.size()),
      packed_receives(phase.receives.size()) {
    for (const BoundMessage& message : phase.receives) peers.push_back(message.peer);
    for (const PhaseLegs::Part& part : legs.parts) {
        for (std::size_t n = 0; n < part.receives.size(); ++n) {
            leg_of[part.receives[n]] = part.leg.get();
            number_in_leg[part.receives[n]] = static_cast<int>(n);
        }
        const PackedMessages packed = part.leg->packed_messages();
        for (std::size_t n = 0; n < packed.sends.size(); ++n) packed_sends[part.sends[n]] = packed.sends[n];
        for (std::size_t n = 0; n < packed.receives.size(); ++n) packed_receives[part.receives[n]] = packed.receives[n];
    }
}

void Exchange::PhaseOnItsWay::move(std::span<const Index> by) {
    copies.move(by);
    for (PackedMessage* message : packed_sends) message->move(by);
    for (PackedMessage* message : packed_receives) message->move(by);
}

void Exchange::PhaseOnItsWay::rebind(const BoundPlan& plan, const BoundPhase& phase) {
    copies = OwnCopies(phase.copies, plan.arrival, plan.in_order);
    for (std::size_t s = 0; s < packed_sends.size(); ++s) *packed_sends[s] = PackedMessage(phase.sends[s]);
    for (std::size_t r = 0; r < packed_receives.size(); ++r) *packed_receives[r] = PackedMessage(phase.receives[r]);
}

void Exchange::start_phases() {
    phase_ = 0;
    if (phases_.empty()) return;
    start_phase();
    // phases without messages are over at once: the messages of the first phase that has some leave now
    while (phases_[phase_].legs.parts.empty() && finish_phase()) {
    }
}

// Goes on to the next phase; false after the last.
bool Exchange::finish_phase() {
    PhaseOnItsWay& phase = phases_[phase_];
    if (in_order_ && !phase.received) deliver_in_order();
    if (++phase_ == phases_.size()) return false;
    start_phase();
    return true;
}

void Exchange::start_phase() {
    PhaseOnItsWay& phase = phases_[phase_];
    const std::int64_t begin = drawn_.begin();
    std::ranges::fill(phase.arrived, 0);
    phase.waiting_for = static_cast<int>(phase.arrived.size());
    phase.received = false;
    for (const PhaseLegs::Part& part : phase.legs.parts) part.leg->start();
    // In order: nothing is applied before everything is there.
    if (!in_order_) phase.copies.run();
    drawn_.end(TimelineEvent::Kind::start, begin);
}

void Exchange::deliver(Leg& leg, int number) {
    const std::int64_t begin = drawn_.begin();
    leg.deliver(number);
    drawn_.end(TimelineEvent::Kind::unpack, begin);
}

// Takes what has come; true when nothing is missing any more.
bool Exchange::receive() {
    PhaseOnItsWay& phase = phases_[phase_];
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

void Exchange::deliver_in_order() {
    PhaseOnItsWay& phase = phases_[phase_];
    phase.copies.run();
    for (std::size_t r = 0; r < phase.leg_of.size(); ++r) deliver(*phase.leg_of[r], phase.number_in_leg[r]);
}

bool Exchange::test() {
    while (phase_ < phases_.size()) {
        PhaseOnItsWay& phase = phases_[phase_];
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

std::vector<int> Exchange::missing() const {
    std::vector<int> peers;
    if (phase_ == phases_.size()) return peers;
    const PhaseOnItsWay& phase = phases_[phase_];
    for (std::size_t r = 0; r < phase.peers.size(); ++r) {
        if (phase.arrived[r] == 0) peers.push_back(phase.peers[r]);
    }
    return peers;
}

std::vector<int> Exchange::unsent() const {
    std::vector<int> peers;
    if (phase_ == phases_.size()) return peers;
    for (const PhaseLegs::Part& part : phases_[phase_].legs.parts) {
        const std::vector<int> more = part.leg->unsent();
        peers.insert(peers.end(), more.begin(), more.end());
    }
    return peers;
}

Index Exchange::buffer_bytes() const {
    Index sum = 0;
    for (const PhaseOnItsWay& phase : phases_) {
        sum += phase.copies.buffer_bytes();
        for (const PhaseLegs::Part& part : phase.legs.parts) sum += part.leg->buffer_bytes();
    }
    return sum;
}

}  // namespace lapwing
