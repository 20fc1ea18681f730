#include "acoustic/hand_acoustic.hpp"

#include "memory/owned_values.hpp"

namespace lapwing::bench {

namespace {

AnyField plane_field(const Domain& domain, const char* name) {
    FieldSpec spec;
    spec.name = name;
    spec.type = ElementType::float32;
    spec.extents = {acoustic_star()};
    return AnyField::with_own_pages(domain.partition(), domain.rank(), spec, {}, RowLayout::on_lines);
}

}  // namespace

PlainAcoustic::PlainAcoustic(const Domain& domain)
    : u_{plane_field(domain, "u"), plane_field(domain, "u_next")}, courant_(plane_field(domain, "courant")) {}

void PlainAcoustic::begin(std::span<const float> u, std::span<const float> courant) {
    level_ = 0;
    for (const AnyField& level : u_) store<float>(u, level);
    store<float>(courant, courant_);
}

void PlainAcoustic::read(std::span<float> u) const { load<float>(u_[level_], u); }

AcousticViews PlainAcoustic::views() const {
    return {u_[level_].view<float>(), courant_.view<float>(), u_[1 - level_].view<float>()};
}

HandAcoustic::HandAcoustic(const Domain& domain, bool overlaps)
    : PlainAcoustic(domain), comm_(domain.comm()), overlaps_(overlaps) {
    const Index lo = box().lo[2], hi = box().hi[2];
    const int rank = domain.rank();
    sides_[0] = {rank > 0 ? rank - 1 : MPI_PROC_NULL, lo, lo - acoustic_reach};
    sides_[1] = {rank + 1 < domain.ranks() ? rank + 1 : MPI_PROC_NULL, hi - acoustic_reach, hi};
}

void HandAcoustic::start(std::array<MPI_Request, 4>& requests) const {
    const Block& block = latest();
    const Index row = block.allocated.lo[1];
    const auto plane = [&](Index k) { return block.at({block.allocated.lo[0], row, k}); };
    const auto bytes = static_cast<int>(acoustic_reach * block.strides[2]);
    for (std::size_t s = 0; s < 2; ++s) {
        MPI_Irecv(plane(sides_[s].receive), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests[s]);
    }
    for (std::size_t s = 0; s < 2; ++s) {
        MPI_Isend(plane(sides_[s].send), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests[2 + s]);
    }
}

void HandAcoustic::step() const {
    std::array<MPI_Request, 4> requests;
    start(requests);
    Box below = box(), inner = box(), above = box();
    below.hi[2] = inner.lo[2] = box().lo[2] + acoustic_reach;
    above.lo[2] = inner.hi[2] = box().hi[2] - acoustic_reach;
    if (overlaps_) step_acoustic(inner, views());
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    if (!overlaps_) return step_acoustic(box(), views());
    step_acoustic(below, views());
    step_acoustic(above, views());
}

void HandAcoustic::run(int steps) {
    for (int n = 0; n < steps; ++n) {
        step();
        stepped();
    }
}

void LimitAcoustic::run(int steps) {
    for (int n = 0; n < steps; ++n) {
        stream_acoustic(box(), views());
        stepped();
    }
}

}  // namespace lapwing::bench
