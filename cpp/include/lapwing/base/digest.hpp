#pragma once
// A number that stands for many, so that ranks can compare them.

#include <cstdint>
#include <span>
#include <string>

namespace lapwing {

// 64 bits of FNV-1a over the bits of the values: enough to notice arguments that differ.
class Digest {
  public:
    Digest& add(std::span<const double> values) { return add(std::as_bytes(values)); }
    Digest& add(std::span<const std::byte> bytes);
    [[nodiscard]] std::string text() const { return std::to_string(hash_); }

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace lapwing
