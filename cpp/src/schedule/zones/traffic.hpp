#pragma once
// The cells that an exchange moves on one owned box, in the step's own field numbers.

#include <vector>

#include "lapwing/schedule/task_list.hpp"

namespace lapwing {

struct Traffic {
    struct Arrival {
        int field = 0, phase = 0;
        Box box;
    };
    struct Departure {
        int field = 0;
        Box box;
        bool turned = false;  // read along another axis, or from the other end
    };
    std::vector<Arrival> arrivals;      // halo cells that are filled
    std::vector<Departure> departures;  // cells that are read for it
};

// The traffic of every owned box of the rank. `entry` is the exchange whose messages on this rank are `plan`. Local.
std::vector<Traffic> traffic_of(const RankStep& step, const ScheduleEntry& entry, const MessagePlan& plan);

}  // namespace lapwing
