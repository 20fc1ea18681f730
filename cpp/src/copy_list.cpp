#include "lapwing/copy_list.hpp"

namespace lapwing {

PackList::PackList(std::span<const StridedBlock> pieces, const std::vector<bool>& integer, const Threads& threads)
    : threads_(threads) {
    for (std::size_t p = 0; p < pieces.size(); ++p) {
        pieces_.push_back({merged(pieces[p]), bytes_, p < integer.size() && integer[p]});
        bytes_ += pieces[p].bytes();
    }
}

void PackList::pack(std::byte* buffer) const {
    for (const Walked& piece : pieces_) lapwing::pack(piece.block, buffer + piece.offset);
}

void PackList::unpack(const std::byte* buffer) const {
    for (const Walked& piece : pieces_) lapwing::unpack(piece.block, buffer + piece.offset);
}

void PackList::unpack_add(const std::byte* buffer) const {
    for (const Walked& piece : pieces_) lapwing::unpack_add(piece.block, buffer + piece.offset, piece.integer);
}

CopyList::CopyList(std::span<const StridedBlock> from, std::span<const StridedBlock> to, const Threads& threads)
    : threads_(threads) {
    for (std::size_t p = 0; p < from.size(); ++p) {
        pairs_.push_back({from[p], to[p]});
        bytes_ += from[p].bytes();
    }
}

void CopyList::run() const {
    for (const Pair& pair : pairs_) copy(pair.from, pair.to);
}

}  // namespace lapwing
