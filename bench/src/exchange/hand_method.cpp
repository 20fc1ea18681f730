#include "exchange/hand_method.hpp"

namespace lapwing::bench {

namespace {

// A rank that is its own neighbour on all sides: its halos hold what one process can copy.
ExchangeWork alone(ExchangeWork work) {
    work.blocks = {1, 1};
    return work;
}

}  // namespace

CopyLimit::CopyLimit(const ExchangeWork& work) : from_(alone(work)), to_(alone(work)) {
    const Index nx = work.nx, ny = work.ny, w = work.width, levels = work.layers();
    for (int f = 0; f < work.fields; ++f) {
        const auto add = [&](const Box& box, const Index3& shift) {
            copies_.push_back(copy_cells({&from_, f, box}, to_, shift));
        };
        add({{-w, ny - w, 0}, {nx + w, ny, levels}}, {0, -ny, 0});
        add({{-w, 0, 0}, {nx + w, w, levels}}, {0, ny, 0});
        add({{nx - w, 0, 0}, {nx, ny, levels}}, {-nx, 0, 0});
        add({{0, 0, 0}, {w, ny, levels}}, {nx, 0, 0});
    }
}

}  // namespace lapwing::bench
