#include "lapwing/base/digest.hpp"

#include <cstddef>

namespace lapwing {

Digest& Digest::add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) hash_ = (hash_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3ULL;
    return *this;
}

}  // namespace lapwing
