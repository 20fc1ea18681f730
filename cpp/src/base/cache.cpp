#include "base/cache.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace lapwing {

namespace {

constexpr std::int64_t kib = 1024, unknown = 1024 * kib;

// Returns what a file of the system holds about cache `index` of the first core, "" if there is none.
std::string described(int index, const char* name) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + name);
    std::string text;
    std::getline(file, text);
    return text;
}

// Returns the number of CPUs in a list as Linux writes it: "0-3,8".
int cpus_in(const std::string& list) {
    int count = 0;
    std::istringstream ranges(list);
    for (std::string range; std::getline(ranges, range, ',');) {
        int first = 0, last = 0;
        char dash = 0;
        std::istringstream text(range);
        text >> first;
        count += text >> dash >> last ? last - first + 1 : 1;
    }
    return std::max(1, count);
}

// Bytes of "1024K" or "32M".
std::int64_t bytes_in(const std::string& size) {
    std::int64_t number = 0;
    char unit = 0;
    std::istringstream text(size);
    text >> number >> unit;
    return unit == 'M' ? number * kib * kib : number * kib;
}

}  // namespace

CoreCache cache_of_core() {
    CoreCache cache;
    std::int64_t share_of_last = 0;
    for (int index = 0; !described(index, "level").empty(); ++index) {
        const std::string level = described(index, "level");
        share_of_last = bytes_in(described(index, "size")) / cpus_in(described(index, "shared_cpu_list"));
        if (level == "2") cache.near = share_of_last;
    }
    if (cache.near == 0) cache.near = unknown;
    cache.far = std::max(cache.near, share_of_last / 2);
    return cache;
}

}  // namespace lapwing
