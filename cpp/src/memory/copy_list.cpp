#include "lapwing/memory/copy_list.hpp"

#include <algorithm>
#include <array>

#include "lapwing/base/host.hpp"
#include "memory/copies/walk.hpp"

namespace lapwing {

Index rows_in_memory(const StridedBlock& block) {
    const Index values = block.bytes() / block.value_size;
    const StridedBlock whole = merged(block);
    const bool in_a_row = whole.list != 0 && whole.stride[0] == whole.value_size;
    return in_a_row ? values / std::max<Index>(whole.count[0], 1) : values;
}

struct PackList::Prepared {
    std::vector<StridedBlock> blocks;  // blocks that nests refer to: their index lists
    std::vector<bool> integer;
    Walk walk;
};

PackList::PackList(std::span<const StridedBlock> pieces, const std::vector<bool>& integer) {
    std::vector<StridedBlock> blocks(pieces.begin(), pieces.end());
    std::vector<LoopNest> nests;
    for (const StridedBlock& block : blocks) {
        nests.push_back(nest_of(block, bytes_));
        bytes_ += block.bytes();
        rows_ += rows_in_memory(block);
    }
    for (StridedBlock& block : blocks) block = merged(std::move(block));
    std::vector<bool> as_integer = integer;
    as_integer.resize(blocks.size());
    prepared_ = std::make_shared<Prepared>(Prepared{std::move(blocks), std::move(as_integer), Walk(nests)});
}

// The buffer is only read, but the copies in both directions have one type.
void PackList::pack(std::byte* buffer) const {
    Host::note_copy(bytes_, rows_);
    prepared_->walk.forward(buffer);
}

void PackList::pack_outward(std::byte* buffer) const {
    Host::note_copy(bytes_, rows_);
    prepared_->walk.outward(buffer);
}

bool PackList::in_long_runs() const { return prepared_->walk.in_long_runs(); }

void PackList::unpack(const std::byte* buffer) const {
    Host::note_copy(bytes_, rows_);
    prepared_->walk.backward(const_cast<std::byte*>(buffer));
}

void PackList::unpack_add(const std::byte* buffer) const {
    Host::note_copy(bytes_, rows_);
    for (std::size_t p = 0; p < prepared_->blocks.size(); ++p) {
        const StridedBlock& block = prepared_->blocks[p];
        lapwing::unpack_add(block, buffer, prepared_->integer[p]);
        buffer += block.bytes();
    }
}

void PackList::move(std::span<const Index> by) {
    prepared_->walk.move(by);
    for (StridedBlock& block : prepared_->blocks) block.data += by[block.memory];
}

struct CopyList::Prepared {
    std::vector<std::array<std::vector<Index>, 2>> lists;  // lists that nests refer to
    std::byte* base = nullptr;
    Walk walk;
};

CopyList::CopyList(std::span<const StridedBlock> from, std::span<const StridedBlock> to) {
    std::vector<std::array<std::vector<Index>, 2>> lists(from.size());
    std::vector<LoopNest> nests;
    std::byte* base = to.empty() ? nullptr : to[0].data;
    for (std::size_t p = 0; p < from.size(); ++p) {
        nests.push_back(nest_of(from[p], to[p], base, lists[p]));
        bytes_ += from[p].bytes();
        rows_ += rows_in_memory(from[p]);
    }
    prepared_ = std::make_shared<Prepared>(Prepared{std::move(lists), base, Walk(nests)});
}

void CopyList::run() const {
    Host::note_copy(bytes_, rows_);
    prepared_->walk.forward(prepared_->base);
}
void CopyList::move(std::span<const Index> by) { prepared_->walk.move(by); }

}  // namespace lapwing
