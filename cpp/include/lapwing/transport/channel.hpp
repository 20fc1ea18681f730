#pragma once
// What a transport is: a bound plan on a communicator that can be started and tested.

#include <mpi.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/bound_plan.hpp"

namespace lapwing {

// The moving end of one exchange. Made by `make_channel`, owned by the exchange.
class Channel {
  public:
    virtual ~Channel() = default;
    // Posts what may travel now and never blocks. Not to be called again before `test` was true.
    virtual void start() = 0;
    // Moves on whatever can move; true when everything has arrived and all memory is free again.
    [[nodiscard]] virtual bool test() = 0;
    // Ranks whose messages are still missing, for the message of a watchdog.
    [[nodiscard]] virtual std::vector<int> missing() const = 0;
    // Bytes of message buffers held.
    [[nodiscard]] virtual Index buffer_bytes() const = 0;
};

// Names that `make_channel` takes.
std::vector<std::string> transport_names();

// A channel of the named transport; `tag` tells exchanges in flight on one communicator apart.
// Throws UserError for an unknown name. Local for p2p.
std::unique_ptr<Channel> make_channel(std::string_view transport, MPI_Comm comm, int tag, BoundPlan plan);

}  // namespace lapwing
