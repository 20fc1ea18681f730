#include "lapwing/memory/node_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "lapwing/base/concat.hpp"

namespace lapwing {

namespace {

using Path = std::filesystem::path;

// The number after a word at the beginning of a line; none where no line has it.
std::optional<Index> number_after(const Path& path, const std::string& word) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        if (!line.starts_with(word)) continue;
        try {
            return Index{std::stoll(line.substr(word.size()))};
        } catch (const std::exception&) {  // "max" of a group without a limit
            return std::nullopt;
        }
    }
    return std::nullopt;
}

// Where the control group of this process is, from the folder of all groups on; empty: it is in none of version 2.
std::string group_of_process(const Path& root) {
    std::ifstream file(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(file, line))
        if (line.starts_with("0::/")) return line.substr(4);
    return {};
}

std::optional<Index> left_in_group(const Path& group) {
    const std::optional<Index> limit = number_after(group / "memory.max", "");
    const std::optional<Index> used = number_after(group / "memory.current", "");
    if (!limit || !used) return std::nullopt;
    const Index unused_files = number_after(group / "memory.stat", "inactive_file ").value_or(0);
    return std::max<Index>(0, *limit - std::max<Index>(0, *used - unused_files));
}

// How many processors a list of theirs names: "0-3,8" has five. None where it is no such list.
std::optional<Index> processors_in(const std::string& list) {
    Index count = 0;
    std::istringstream parts(list);
    for (std::string part; std::getline(parts, part, ',');) {
        std::istringstream text(part);
        Index first = 0, last = 0;
        if (!(text >> first)) return std::nullopt;
        last = first;
        if (text.get() == '-' && !(text >> last)) return std::nullopt;
        count += last - first + 1;
    }
    return count > 0 ? std::optional(count) : std::nullopt;
}

constexpr Index usual_cache = Index{32} << 20;  // bytes

}  // namespace

Index physical_memory() { return Index{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE); }

Index available_memory(const Path& root) {
    Index bytes = physical_memory();
    if (const auto kilobytes = number_after(root / "proc/meminfo", "MemAvailable:"))
        bytes = std::min(bytes, *kilobytes * 1024);
    // the groups around it have limits too
    const Path groups = root / "sys/fs/cgroup";
    for (Path group = Path(group_of_process(root)).relative_path();; group = group.parent_path()) {
        if (const auto left = left_in_group(groups / group)) bytes = std::min(bytes, *left);
        if (group.empty()) return bytes;
    }
}

Index cache_share(int processes, const Path& root) {
    const Path caches = root / "sys/devices/system/cpu/cpu0/cache";
    Index bytes = usual_cache, sharing = processes;
    for (int level = 0; std::filesystem::exists(caches / concat("index", level)); ++level) {
        const Path cache = caches / concat("index", level);  // nearest first
        std::ifstream list(cache / "shared_cpu_list");
        std::string processors;
        std::getline(list, processors);
        const auto kilobytes = number_after(cache / "size", "");
        const auto beside = processors_in(processors);
        if (!kilobytes || !beside) continue;
        bytes = *kilobytes * 1024;
        sharing = *beside;
    }
    return bytes / std::max<Index>(1, std::min<Index>(processes, sharing));
}

}  // namespace lapwing
