#include "shallow/hand_shallow.hpp"

#include <algorithm>

#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

namespace {

constexpr Index halo = 2;

template <class Real>
constexpr Index line = 64 / static_cast<Index>(sizeof(Real));

// Rows of h, u and v that travel, in their order.
constexpr std::array<Index, 3> rows{1, 2, 2};

}  // namespace

template <class Real>
HandShallow<Real>::HandShallow(const Domain& domain, const ShallowModel& model)
    : comm_(domain.comm()),
      box_(domain.partition().subdomains()[domain.partition().subdomains_of(domain.rank())[0]].box),
      state_(model) {
    for (auto& level : flow_) {
        for (Array& array : level) array = allocated();
    }
    for (Array& array : tendencies_) array = allocated();
    const Index lo = box_.lo[1], hi = box_.hi[1], values = 5 * (box_.size(0) + 2 * halo);
    sides_[0] = {domain.rank() > 0 ? domain.rank() - 1 : MPI_PROC_NULL, lo, lo - halo, {}, {}};
    sides_[1] = {domain.rank() + 1 < domain.ranks() ? domain.rank() + 1 : MPI_PROC_NULL, hi - halo, hi, {}, {}};
    for (Side& side : sides_) {
        side.sent.resize(values);
        side.received.resize(values);
    }
}

template <class Real>
typename HandShallow<Real>::Array HandShallow<Real>::allocated() const {
    const Index stride = (box_.size(0) + 2 * line<Real> - 1) / line<Real> * line<Real> + line<Real>;
    const Index values = stride * (box_.size(1) + 2 * halo) + line<Real>;
    auto memory = aligned_doubles((values * static_cast<Index>(sizeof(Real)) + 7) / 8);
    const auto bytes = static_cast<Index>(sizeof(Real));
    Block block;
    block.owned = box_;
    block.allocated = {{box_.lo[0] - line<Real>, box_.lo[1] - halo, 0}, {box_.hi[0] + halo, box_.hi[1] + halo, 1}};
    block.data = reinterpret_cast<std::byte*>(memory.get());
    block.strides = {bytes, stride * bytes, stride * block.allocated.size(1) * bytes, bytes};
    return {memory, View<Real>(block)};
}

// The grid is periodic along x, and each rank has whole rows.
template <class Real>
void HandShallow<Real>::wrap(const Array& array, Index width) const {
    const Index lo = box_.lo[0], hi = box_.hi[0];
    for (Index j = box_.lo[1]; j < box_.hi[1]; ++j) {
        Real* row = array.view.row(j);
        for (Index w = 0; w < width; ++w) {
            row[lo - 1 - w] = row[hi - 1 - w];
            row[hi + w] = row[lo + w];
        }
    }
}

template <class Real>
void HandShallow<Real>::pack(Side& side) const {
    Real* to = side.sent.data();
    for (std::size_t f = 0; f < 3; ++f) {
        const Index first = side.send < side.receive ? side.send + halo - rows[f] : side.send;
        for (Index j = first; j < first + rows[f]; ++j) {
            const Real* row = flow_[state_.level()][f].view.row(j);
            to = std::copy(row + box_.lo[0] - halo, row + box_.hi[0] + halo, to);
        }
    }
}

template <class Real>
void HandShallow<Real>::unpack(const Side& side) const {
    const Real* from = side.received.data();
    for (std::size_t f = 0; f < 3; ++f) {
        const Index first = side.send < side.receive ? side.receive : side.receive + halo - rows[f];
        for (Index j = first; j < first + rows[f]; ++j) {
            const Index values = box_.size(0) + 2 * halo;
            std::copy(from, from + values, flow_[state_.level()][f].view.row(j) + box_.lo[0] - halo);
            from += values;
        }
    }
}

template <class Real>
void HandShallow<Real>::exchange() {
    for (std::size_t f = 0; f < 3; ++f) wrap(flow_[state_.level()][f], rows[f]);
    std::array<MPI_Request, 4> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (std::size_t s = 0; s < 2; ++s) {
        const auto bytes = static_cast<int>(sides_[s].received.size() * sizeof(Real));
        MPI_Irecv(sides_[s].received.data(), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests[s]);
    }
    for (std::size_t s = 0; s < 2; ++s) {
        if (sides_[s].peer == MPI_PROC_NULL) continue;
        pack(sides_[s]);
        const auto bytes = static_cast<int>(sides_[s].sent.size() * sizeof(Real));
        MPI_Isend(sides_[s].sent.data(), bytes, MPI_BYTE, sides_[s].peer, 0, comm_, &requests[2 + s]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (const Side& side : sides_) {
        if (side.peer != MPI_PROC_NULL) unpack(side);
    }
}

template <class Real>
void HandShallow<Real>::begin(const Flow& flow) {
    state_.restart();
    const std::array values{flow.h, flow.u, flow.v};
    const std::vector<double> zeros(box_.volume(), 0.0);
    for (std::size_t f = 0; f < 3; ++f) {
        store<Real>(values[f], box_, flow_[0][f].view);
        store<Real>(zeros, box_, tendencies_[f].view);
    }
}

template <class Real>
void HandShallow<Real>::run(int steps) {
    for (int n = 0; n < steps; ++n) {
        exchange();
        const auto& [h, u, v] = flow_[state_.level()];
        const auto& [new_h, new_u, new_v] = flow_[1 - state_.level()];
        const auto& [dh, du, dv] = tendencies_;
        step_shallow<Real>(state_.number(), box_,
                           {h.view, u.view, v.view, new_h.view, new_u.view, new_v.view, dh.view, du.view, dv.view});
        state_.stepped();
    }
}

template <class Real>
void HandShallow<Real>::read(const Flow& flow) {
    exchange();
    const std::array values{flow.h, flow.u, flow.v};
    load<Real>(box_, flow_[state_.level()][0].view, values[0]);
    for (int f = 1; f < 3; ++f) {
        const View<Real>& spare = flow_[1 - state_.level()][f].view;
        add_friction<Real>(state_.number(), box_, f - 1, flow_[state_.level()][f].view, spare);
        load<Real>(box_, spare, values[f]);
    }
}

template class HandShallow<float>;
template class HandShallow<double>;

}  // namespace lapwing::bench
