#pragma once
// Fields of the host and their likenesses in memory of a fake device, for tests.

#include <cstring>
#include <vector>

#include "fake/fake_device.hpp"
#include "lapwing/memory/any_field.hpp"

namespace lapwing::testing {

// The memory of a block, from its first value to its last.
inline std::size_t bytes_of(const Block& block, const FieldSpec& spec) {
    Index last = 0;
    for (int axis = 0; axis < 4; ++axis) {
        const Index length = axis == 3 ? spec.components : block.allocated.size(axis);
        last += (length - 1) * block.strides[axis];
    }
    return static_cast<std::size_t>(last) + size_of(spec.type);
}

// The arrays of some fields on a device. Kernels on streams write them from values of the host, and read them.
class DeviceFields {
  public:
    DeviceFields(const FakeLibrary& library, const std::vector<AnyField>& fields) : fake_(*library.fake) {
        for (const AnyField& field : fields) {
            for (const Block& block : field.blocks()) {
                bytes_.push_back(bytes_of(block, field.spec()));
                memory_.push_back(library.device->allocate(bytes_.back()));
                blocks_.push_back(block);
                blocks_.back().data = memory_.back().get();
            }
        }
    }
    [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }

    // Puts a kernel on a stream that writes what the fields hold now.
    void write(StreamHandle stream, const std::vector<AnyField>& fields) {
        each(fields, [&](std::byte* seen, const std::byte* values, std::size_t bytes) {
            fake_.run(stream, [seen, all = std::vector<std::byte>(values, values + bytes)] {
                std::memcpy(seen, all.data(), all.size());
            });
        });
    }
    // Puts a kernel on a stream that brings the arrays to the fields.
    void read(StreamHandle stream, std::vector<AnyField>& fields) {
        each(fields, [&](const std::byte* seen, std::byte* values, std::size_t bytes) {
            fake_.run(stream, [=] { std::memcpy(values, seen, bytes); });
        });
    }

  private:
    template <class Use>
    void each(const std::vector<AnyField>& fields, Use&& use) {
        std::size_t n = 0;
        for (const AnyField& field : fields) {
            for (const Block& block : field.blocks()) {
                use(FakeDevice::seen(memory_[n].get(), bytes_[n]), block.data, bytes_[n]);
                ++n;
            }
        }
    }

    FakeDevice& fake_;
    std::vector<std::size_t> bytes_;
    std::vector<DeviceMemory> memory_;
    std::vector<Block> blocks_;
};

}  // namespace lapwing::testing
