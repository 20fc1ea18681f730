// The kernel that packs and unpacks: blocks of threads along y take pieces, threads along x their values. It is kept
// compiled, for any device from compute capability 7.5 on, in move_pieces_ptx.hpp: `make ptx` writes that file.
#include "device/device_piece.hpp"

extern "C" __global__ void lapwing_move_pieces(lapwing::DeviceMove move, int pieces) {
    const unsigned step = gridDim.x * blockDim.x;
    for (int p = static_cast<int>(blockIdx.y); p < pieces; p += static_cast<int>(gridDim.y)) {
        const lapwing::DevicePiece piece = move.pieces[p];
        const unsigned values = lapwing::values_of(piece);
        char* const array = move.arrays[piece.array];
        for (unsigned n = blockIdx.x * blockDim.x + threadIdx.x; n < values; n += step)
            lapwing::move_value(piece, move.offsets, array, move.buffer, move.packs != 0, n);
    }
}
