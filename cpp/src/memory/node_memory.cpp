#include "lapwing/memory/node_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "lapwing/base/concat.hpp"

namespace lapwing {

namespace {

using Path = std::filesystem::path;

// The number after a word at the beginning of a line; none if no line has it.
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

// The names that a version of control groups uses.
struct GroupNames {
    const char *folder, *line;  // the folder of all groups; the text before the group in a line about the process
    const char *limit, *used, *unused_files;
};
constexpr std::array group_names{
    GroupNames{"sys/fs/cgroup", "0::/", "memory.max", "memory.current", "inactive_file "},
    GroupNames{"sys/fs/cgroup/memory", "memory:/", "memory.limit_in_bytes", "memory.usage_in_bytes",
               "total_inactive_file "},
};

// Returns the control group of this process, from the folder of all groups on; empty: not known to be in one.
std::string group_of_process(const Path& root, const GroupNames& names) {
    std::ifstream file(root / "proc/self/cgroup");
    std::string line;
    while (std::getline(file, line)) {
        const auto at = line.find(names.line);
        if (at == 0 || (at != std::string::npos && names.line[0] != '0'))
            return line.substr(at + std::string(names.line).size());
    }
    return {};
}

std::optional<Index> left_in_group(const Path& group, const GroupNames& names) {
    const std::optional<Index> limit = number_after(group / names.limit, "");
    const std::optional<Index> used = number_after(group / names.used, "");
    if (!limit || !used) return std::nullopt;
    const Index unused_files = number_after(group / "memory.stat", names.unused_files).value_or(0);
    return std::max<Index>(0, *limit - std::max<Index>(0, *used - unused_files));
}

// Returns the memory that a group and the groups around it, which have limits too, leave.
Index left_in_groups(const Path& root, const GroupNames& names, Index bytes) {
    for (Path group = Path(group_of_process(root, names)).relative_path();; group = group.parent_path()) {
        if (const auto left = left_in_group(root / names.folder / group, names)) bytes = std::min(bytes, *left);
        if (group.empty()) return bytes;
    }
}

// Returns the number of processors in a list: "0-3,8" has five. Returns none if it is not such a list.
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
    for (const GroupNames& names : group_names) bytes = left_in_groups(root, names, bytes);
    return bytes;
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
