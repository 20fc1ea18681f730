#pragma once
// The events of a rank in time: computing by stage, packing, waiting, unpacking.

#include <cstdint>
#include <vector>

#include "lapwing/base/ticks.hpp"
#include "lapwing/grid/box.hpp"

namespace lapwing {

// A span of time on one rank, in ticks.
struct TimelineEvent {
    enum class Kind { compute, start, wait, unpack };
    Kind kind = Kind::compute;
    int subject = -1;  // compute: number of its stage's distinct name; start, unpack: of the exchange
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
    // Notes a wait: its time without the packing and unpacking that was noted meanwhile.
    void add_wait(std::int64_t begin, std::int64_t end) {
        std::size_t first = events_.size();
        while (first > 0 && events_[first - 1].begin >= begin) --first;
        const std::size_t last = events_.size();
        for (std::size_t n = first; n < last; ++n) {
            const TimelineEvent busy = events_[n];
            if (busy.begin > begin) add({TimelineEvent::Kind::wait, -1, begin, busy.begin});
            begin = busy.end;
        }
        if (end > begin) add({TimelineEvent::Kind::wait, -1, begin, end});
    }
    // Seconds of the system's monotonic clock, the same for all processes of a node.
    [[nodiscard]] double seconds(std::int64_t count) const { return began_ + seconds_of(count - began_ticks_); }
    [[nodiscard]] bool full() const { return events_.size() == events_.capacity(); }
    [[nodiscard]] const std::vector<TimelineEvent>& events() const { return events_; }

  private:
    std::vector<TimelineEvent> events_;
    double began_ = system_seconds();
    std::int64_t began_ticks_ = ticks();
};

// The timeline where an exchange records its packing and unpacking, and its number there; null: none.
struct TimelineEntry {
    Timeline* timeline = nullptr;
    int number = -1;

    [[nodiscard]] std::int64_t begin() const { return timeline != nullptr ? ticks() : 0; }
    void end(TimelineEvent::Kind kind, std::int64_t begin) const {
        if (timeline != nullptr) timeline->add({kind, number, begin, ticks()});
    }
};

}  // namespace lapwing
