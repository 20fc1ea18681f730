#include "lapwing/base/host.hpp"

#include <sched.h>

namespace lapwing {

std::string_view Host::lacks(Facility /*facility*/) { return {}; }

void Host::begin_wait() {}
int Host::polls() { return 1000; }
bool Host::let_others_run() {
    sched_yield();
    return false;
}

void Host::note_copy(std::int64_t /*bytes*/, std::int64_t /*rows*/) {}
void Host::note_work(const char* /*stage*/, std::int64_t /*rows*/, std::int64_t /*cells*/) {}

}  // namespace lapwing
