#pragma once
// A number in the place of many, to compare between ranks.

#include <cstdint>
#include <span>
#include <string>

namespace lapwing {

// 64 bits of FNV-1a over the bits of the values: enough to notice arguments that differ.
class Digest {
  public:
    Digest& add(std::span<const double> values);
    [[nodiscard]] std::string text() const { return std::to_string(hash_); }

  private:
    std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace lapwing
