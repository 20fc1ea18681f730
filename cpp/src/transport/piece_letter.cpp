#include "transport/piece_letter.hpp"

namespace lapwing {

void write(Letter& letter, const StridedBlock& piece, Index offset) {
    letter.put(offset);
    letter.put(piece.value_size);
    for (Index count : piece.count) letter.put(count);
    for (Index stride : piece.stride) letter.put(stride);
    letter.put(piece.list);
    letter.put(piece.offsets.size());
    for (Index offset_of_one : piece.offsets) letter.put(offset_of_one);
}

StridedBlock read_piece(Letter& letter, std::byte* at) {
    StridedBlock piece;
    piece.data = at + letter.get();
    piece.value_size = static_cast<int>(letter.get());
    for (Index& count : piece.count) count = letter.get();
    for (Index& stride : piece.stride) stride = letter.get();
    piece.list = static_cast<int>(letter.get());
    piece.offsets.resize(letter.get());
    for (Index& offset : piece.offsets) offset = letter.get();
    return piece;
}

}  // namespace lapwing
