#pragma once
// The memory of this node, how much of it is available, and the share of the caches that a process has.

#include <filesystem>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// Bytes of memory that the node has. Local.
Index physical_memory();

// Bytes that the processes of this node can still take together without swapping: the system's estimate, limited by
// what the control groups of this process still allow. File pages that a group keeps but no longer uses count as free,
// as in the system's estimate. If the system says nothing: all memory. `root`: the folder under which /proc
// and /sys are. Local; reads a few small files.
Index available_memory(const std::filesystem::path& root = "/");

// Bytes of the last cache before memory that each of `processes` on this node has, if as many processes share a cache
// as there are processors next to it; 32 MiB in all if the system says nothing. `root`: the folder under which /sys is.
// Local; reads a few small files.
Index cache_share(int processes, const std::filesystem::path& root = "/");

}  // namespace lapwing
