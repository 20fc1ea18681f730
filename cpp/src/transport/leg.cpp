#include "lapwing/transport/leg.hpp"

#include "lapwing/transport/packed_messages.hpp"

namespace lapwing {

void Leg::rebind(std::span<const BoundMessage> sends, std::span<const BoundMessage> receives) {
    const PackedMessages all = packed_messages();
    for (std::size_t n = 0; n < all.sends.size(); ++n) *all.sends[n] = PackedMessage(sends[n]);
    for (std::size_t n = 0; n < all.receives.size(); ++n) *all.receives[n] = PackedMessage(receives[n]);
}

}  // namespace lapwing
