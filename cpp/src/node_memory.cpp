#include "lapwing/node_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <optional>
#include <string>

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

}  // namespace lapwing
