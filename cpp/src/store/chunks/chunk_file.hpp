#pragma once
// Chunk files, as stores write them.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "lapwing/store/chunk_file.hpp"

namespace lapwing {

// Writes the values of a chunk as a file, and makes its folder where there is none. `flush`: waits until the disk has
// them. Throws OutsideError where the disk refuses. Local; no allocation.
void write_chunk(const std::string& path, std::span<const std::byte> values, bool flush = false);

// The same as `write_chunk`; the file appears complete, in the place of one that others may read. Local.
void replace_chunk(const std::string& path, std::span<const std::byte> values);

// Throws OutsideError for a file that cannot be written, with `problem`, what the system says, and the free space of
// its disk. Local.
[[noreturn]] void unwritable(const std::filesystem::path& path, const std::string& problem);

}  // namespace lapwing
