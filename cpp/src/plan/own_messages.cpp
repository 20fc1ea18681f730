#include "plan/own_messages.hpp"

#include <algorithm>
#include <utility>

namespace lapwing {

namespace {

void insert(std::vector<Message>& messages, Message message) {
    messages.insert(std::ranges::lower_bound(messages, message.peer, {}, &Message::peer), std::move(message));
}

}  // namespace

MessagePlan with_own_messages(MessagePlan plan) {
    for (Phase& phase : plan.phases) {
        if (phase.copies.empty()) continue;
        insert(phase.sends, {plan.rank, phase.copies});
        insert(phase.receives, {plan.rank, std::move(phase.copies)});
        phase.copies.clear();
    }
    return plan;
}

}  // namespace lapwing
