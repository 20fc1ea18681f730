#include "exchange/exchange_work.hpp"

namespace lapwing::bench {

Index ExchangeWork::halo_bytes() const {
    const Index3 all = allocated();
    const Index cells = all[0] * all[1] - static_cast<Index>(nx) * ny;
    return cells * layers() * fields * static_cast<Index>(sizeof(double));
}

Index3 ExchangeWork::strides() const {
    const Index3 all = allocated();
    if (levels_fastest) return {all[2], all[2] * all[0], 1};
    return {1, all[0], all[0] * all[1]};
}

std::array<int, 2> place_of(const ExchangeWork& work, int rank) {
    return {rank % work.blocks[0], rank / work.blocks[0]};
}

int neighbour_of(const ExchangeWork& work, int rank, int dx, int dy) {
    const auto [px, py] = work.blocks;
    const auto [x, y] = place_of(work, rank);
    return (y + dy + py) % py * px + (x + dx + px) % px;
}

}  // namespace lapwing::bench
