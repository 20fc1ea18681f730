#pragma once
// The brake of a sender that hears nothing from its receiver.

#include <algorithm>
#include <span>
#include <vector>

#include "lapwing/transport/packed_messages.hpp"

namespace lapwing {

// MPI accepts short messages before they are received, as many as a sender that is ahead starts. Neighbours that send
// to each other are at most one exchange apart; a rank that only sends could fill the receiver's memory. Each 16th
// message to such a receiver is therefore sent synchronously: its sender waits until the receiver has come so far.
class Brake {
  public:
    Brake(std::span<const PackedMessage> sends, std::span<const PackedMessage> receives) : one_way_(sends.size()) {
        for (std::size_t m = 0; m < sends.size(); ++m) {
            one_way_[m] = std::ranges::none_of(
                receives, [&](const PackedMessage& back) { return back.peer() == sends[m].peer(); });
        }
    }
    // Counts a start; call it at each one.
    void count() { starts_ = (starts_ + 1) % every; }
    // True if a message is sent synchronously this time.
    [[nodiscard]] bool holds(std::size_t message) const { return starts_ == 0 && one_way_[message]; }
    [[nodiscard]] bool one_way(std::size_t message) const { return one_way_[message]; }

  private:
    static constexpr int every = 16;
    int starts_ = 1;             // 0: held
    std::vector<char> one_way_;  // one per message
};

}  // namespace lapwing
