#pragma once
// A phase of an exchange: its legs, and what of it has come.

#include <vector>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "lapwing/transport/transport.hpp"
#include "transport/own_copies.hpp"

namespace lapwing {

struct Exchange::PhaseOnItsWay {
    PhaseOnItsWay(const BoundPlan& plan, const BoundPhase& phase, PhaseLegs given);

    // For arrays that come and go: the same messages about memory that has moved, or is laid out otherwise. Local.
    void move(std::span<const Index> by);
    void rebind(const BoundPlan& plan, const BoundPhase& phase);

    PhaseLegs legs;
    std::vector<int> peers;  // one for each receive
    OwnCopies copies;
    std::vector<Leg*> leg_of;                                   // one for each receive
    std::vector<int> number_in_leg;                             // one for each receive
    std::vector<char> arrived;                                  // one for each receive
    std::vector<int> news;                                      // scratch of poll
    std::vector<PackedMessage*> packed_sends, packed_receives;  // messages of legs that pack, by number in the phase
    int waiting_for = 0;                                        // receives that have not come
    bool received = false;                                      // true if all have come and are where they belong
};

}  // namespace lapwing
