#pragma once
// CRC-32C (Castagnoli), the checksum of chunks in files.

#include <cstddef>
#include <cstdint>
#include <span>

namespace lapwing {

// The CRC-32C of some bytes, by the processor's instruction where it has one. Local; 8 GB/s with it, 1 GB/s without.
std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace lapwing
