#pragma once
// The places of pieces of messages, in letters between ranks: relative to a place that both know.

#include "lapwing/memory/strided_block.hpp"
#include "transport/letter.hpp"

namespace lapwing {

// A piece `offset` bytes behind that place.
void write(Letter& letter, const StridedBlock& piece, Index offset);

// `at` is that place as this rank sees it.
StridedBlock read_piece(Letter& letter, std::byte* at);

}  // namespace lapwing
