#pragma once
// What a rank did when: computing by stage, packing, waiting.

#include <cstdint>
#include <string>
#include <vector>

#include "lapwing/box.hpp"

namespace lapwing {

// A span of time on one rank, in ticks.
struct TimelineEvent {
    enum class Kind { compute, start, wait, poll };
    Kind kind = Kind::compute;
    int stage = -1;  // compute: number of its distinct name
    std::int64_t begin = 0, end = 0;
    Box box{};  // compute
};

// Room for a number of events; what comes after is lost, so that nothing is allocated in the time loop.
class Timeline {
  public:
    explicit Timeline(std::size_t room) { events_.reserve(room); }
    void add(const TimelineEvent& event) {
        if (events_.size() < events_.capacity()) events_.push_back(event);
    }
    [[nodiscard]] bool full() const { return events_.size() == events_.capacity(); }
    [[nodiscard]] const std::vector<TimelineEvent>& events() const { return events_; }

  private:
    std::vector<TimelineEvent> events_;
};

}  // namespace lapwing
