#pragma once
// Transport `auto`: the fastest one, by measurement.

#include <span>
#include <string>
#include <string_view>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

struct TransportChoice {
    std::string transport;
    std::size_t plan = 0;  // number of the plan that was fastest with it
    bool in_place = true;  // see make_legs
    std::string why{};     // readable: the choice, the cost of measuring, and the exchanges after which it has paid
};

// Runs each of `plans` (the same data in other messages) through the transports that are worth trying, on copies of
// the fields' memory whose sent cells are written again before each exchange, and tells which took the least time on
// the slowest rank. Fields of more than 64 MiB on a rank and of more than an eighth of the free memory are not copied,
// and nothing is measured if ranks share cores: they take `shared` if available, else p2p, and p2p for short messages
// if many ranks share a core. `name`: auto, or the one transport to try. `split`: number of a plan in small messages,
// or -1; it must be clearly faster than the rest, as each message costs time that a step could compute in.
// Collective, the same answer on all ranks.
TransportChoice fastest_transport(Domain& domain, std::string_view name, std::span<const MessagePlan> plans,
                                  std::span<const AnyField* const> fields, int split = -1);

// The same for one plan between other fields, among the transports `names`. Fields in shared memory are read where they
// lie, unless packing was measured to be faster. Collective, the same answer on all ranks.
TransportChoice fastest_transport(Domain& domain, std::span<const std::string_view> names, const MessagePlan& plan,
                                  std::span<const AnyField* const> sources, std::span<const AnyField* const> targets);

}  // namespace lapwing
