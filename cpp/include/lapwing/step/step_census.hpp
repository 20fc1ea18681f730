#pragma once
// Census of a step: which exchange of its schedule ran how often, and where the time of each went.

#include <memory>
#include <string>
#include <vector>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/mpi/handshake.hpp"

namespace lapwing {

// Time of an exchange on this rank, seconds summed over `count` runs.
struct ExchangeCost {
    Index count = 0;
    double packing = 0;   // packing, posting, and copies within the rank
    double late = 0;      // until the last neighbour was there
    double transfer = 0;  // the rest: messages on their way, unpacking included
};

// A field's part in an exchange, in one run of it, on this rank.
struct FieldShare {
    std::string name;
    Extent extent;
    int messages = 0;       // messages sent that carry some of it
    Index bytes = 0;        // bytes of it that are sent
    bool needless = false;  // nobody reads its halo before it is stale again
};

// One exchange of a schedule: what it moves in one run, and what it has cost since the census began.
struct CensusEntry {
    int position = 0;     // in the cycle
    bool steady = false;  // part of the steady state; false: met only while all halos were stale
    std::string stage;    // the one that could not go on without it, or that sends it unasked
    bool unasked = false;
    std::vector<FieldShare> fields;
    int messages = 0;      // sent
    Index bytes = 0;       // sent
    double handshake = 0;  // what the handshake costs among ranks that are all there, s
    ExchangeCost cost;
};

// Runs exchanges with a handshake. The empty messages leave before the packing and are waited for after it: a rank that
// held its bytes back until its own neighbours are there would make its punctual neighbours wait for their late ones.
class StepCensus {
  public:
    // `exchanges` outlive it. Calibrates a handshake for each. Collective.
    StepCensus(Domain& domain, const std::vector<std::unique_ptr<Exchange>>& exchanges);

    // Runs exchange number `number`, adds its time to `cost`, and returns the seconds spent in the handshake's wait.
    // Local calls, but all neighbours must run it too.
    double run(int number, ExchangeCost& cost);

    [[nodiscard]] double handshake_seconds(int number) const { return handshakes_[number]->least_seconds(); }

  private:
    const std::vector<std::unique_ptr<Exchange>>& exchanges_;
    std::vector<std::unique_ptr<Handshake>> handshakes_;  // of each exchange
};

}  // namespace lapwing
