#pragma once
// Memory that other processes of the node can map: fields and message boxes that are read without a copy in between.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// Enough to find a piece of shared memory from another process of the node.
struct SharedMemoryName {
    std::int64_t process = 0;
    std::int64_t descriptor = -1;  // -1: not there
    std::int64_t bytes = 0;
    std::int64_t device = 0, inode = 0;  // the same number may be another thing elsewhere
    friend bool operator==(const SharedMemoryName&, const SharedMemoryName&) = default;
};

// Pages without a file: the system takes them back when the last process has released them, however it ends.
class SharedMemory {
  public:
    // New, zeroed memory; null if the system has no such memory (left), or the process has few file descriptors left.
    // Local.
    static std::shared_ptr<SharedMemory> create(Index bytes);
    // The memory of another process; null if it cannot be mapped (another node, no permission). The owner
    // must still hold it. Local.
    static std::shared_ptr<SharedMemory> attach(const SharedMemoryName& name);
    ~SharedMemory();
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;

    [[nodiscard]] std::byte* data() const { return data_; }
    [[nodiscard]] Index bytes() const { return bytes_; }
    [[nodiscard]] bool holds(const std::byte* address) const { return address >= data_ && address < data_ + bytes_; }
    [[nodiscard]] SharedMemoryName name() const;
    // Gives the file descriptor back once all have attached; the memory stays. No process can attach any more. Local.
    void close();

  private:
    SharedMemory(int descriptor, std::byte* data, Index bytes) : descriptor_(descriptor), data_(data), bytes_(bytes) {}
    int descriptor_;
    std::byte* data_;
    Index bytes_;
};

}  // namespace lapwing
