#include "fake_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace lapwing::testing {

FakeMemory& FakeMemory::of_process() {
    static FakeMemory memory;
    return memory;
}

void* FakeMemory::allocate(std::size_t bytes, int device) {
    const int file = ::memfd_create("fake device", MFD_CLOEXEC);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
    void* const shadow = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    void* const address = ::mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0);
    ::close(file);
    if (shadow == MAP_FAILED || address == MAP_FAILED) return nullptr;
    std::memset(shadow, poison, bytes);
    const std::scoped_lock lock(mutex_);
    ranges_[static_cast<std::byte*>(address)] = {bytes, static_cast<std::byte*>(shadow), device};
    return address;
}

void* FakeMemory::allocate_pinned(std::size_t bytes) {
    void* const address = std::malloc(bytes);
    if (address == nullptr) return nullptr;
    std::memset(address, poison, bytes);
    const std::scoped_lock lock(mutex_);
    ranges_[static_cast<std::byte*>(address)] = {bytes, nullptr, 0};
    return address;
}

bool FakeMemory::drop(const void* address, bool pinned) {
    const std::scoped_lock lock(mutex_);
    const auto found = ranges_.find(static_cast<std::byte*>(const_cast<void*>(address)));
    if (found == ranges_.end() || (found->second.shadow == nullptr) != pinned) return false;
    if (pinned) {
        std::free(found->first);
    } else {
        ::munmap(found->first, found->second.bytes);
        ::munmap(found->second.shadow, found->second.bytes);
    }
    ranges_.erase(found);
    return true;
}

bool FakeMemory::release(const void* address) { return drop(address, false); }
bool FakeMemory::release_pinned(const void* address) { return drop(address, true); }

FakeMemory::Ranges::const_iterator FakeMemory::range_of(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    auto next = ranges_.upper_bound(const_cast<std::byte*>(at));
    if (next == ranges_.begin()) return ranges_.end();
    const auto found = std::prev(next);
    return at < found->first + found->second.bytes ? found : ranges_.end();
}

AddressKind FakeMemory::kind_of(const void* address) const {
    const std::scoped_lock lock(mutex_);
    const auto found = range_of(address);
    if (found == ranges_.end() || found->second.shadow == nullptr) return {};
    return {true, found->second.device};
}

std::byte* FakeMemory::usable(const void* address, std::size_t bytes) const {
    const std::scoped_lock lock(mutex_);
    const auto found = range_of(address);
    if (found == ranges_.end()) return nullptr;
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - found->first);
    if (offset + bytes > found->second.bytes) return nullptr;
    return (found->second.shadow == nullptr ? found->first : found->second.shadow) + offset;
}

}  // namespace lapwing::testing
