#pragma once
// Chunk files, as programs read them: the values of one chunk and their CRC-32C, by which a torn file is found.

#include <cstddef>
#include <span>
#include <string>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// The bytes of the file of a chunk with that many bytes of values. Local.
constexpr Index chunk_file_bytes(Index values) { return values + 4; }

// Reads the values of a chunk. Throws UserError for a file that is missing, torn or damaged. Local.
void read_chunk(const std::string& path, std::span<std::byte> values);

}  // namespace lapwing
