#pragma once
// A phase of an exchange: its legs, and what of it has come.

#include <vector>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/transport/transport.hpp"
#include "transport/own_copies.hpp"

namespace lapwing {

struct Exchange::PhaseOnItsWay {
    PhaseOnItsWay(const BoundPlan& plan, const BoundPhase& phase, PhaseLegs given);

    PhaseLegs legs;
    std::vector<int> peers;  // of each receive
    OwnCopies copies;
    std::vector<Leg*> leg_of;        // of each receive
    std::vector<int> number_in_leg;  // of each receive
    std::vector<char> arrived;       // of each receive
    std::vector<int> news;           // scratch of poll
    int waiting_for = 0;             // receives that have not come
    bool received = false;           // whether all have come and are where they belong
};

}  // namespace lapwing
