#pragma once
// The memory of all fake devices of a process.

#include <cstddef>
#include <map>
#include <mutex>

#include "lapwing/device/functions.hpp"

namespace lapwing::testing {

// Byte that memory holds while nothing may read it: in every type a value that no test uses.
inline constexpr int poison = 0x7B;

// Memory of devices is seen through two mappings: its address, which the host cannot touch without a fault, and a
// shadow, which the device uses. Pinned memory is ordinary memory. Safe between threads.
class FakeMemory {
  public:
    static FakeMemory& of_process();

    // Poisoned memory; null if there is none left.
    void* allocate(std::size_t bytes, int device);
    void* allocate_pinned(std::size_t bytes);
    // False for an address that does not begin memory of this kind.
    bool release(const void* address);
    bool release_pinned(const void* address);
    [[nodiscard]] AddressKind kind_of(const void* address) const;
    // Returns the place where `bytes` bytes from an address on can be used: the shadow, or pinned memory itself; null
    // where the range leaves memory that was allocated.
    [[nodiscard]] std::byte* usable(const void* address, std::size_t bytes) const;

  private:
    struct Range {
        std::size_t bytes = 0;
        std::byte* shadow = nullptr;  // null: pinned memory
        int device = 0;
    };
    using Ranges = std::map<std::byte*, Range>;
    [[nodiscard]] Ranges::const_iterator range_of(const void* address) const;
    bool drop(const void* address, bool pinned);

    mutable std::mutex mutex_;
    Ranges ranges_;
};

}  // namespace lapwing::testing
