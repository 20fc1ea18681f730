#include "miniweather/hand_miniweather.hpp"

#include "memory/owned_values.hpp"

namespace lapwing::bench {

namespace {

constexpr Index reach = miniweather_reach;

AnyField level_field(const Domain& domain, const char* name) {
    FieldSpec spec;
    spec.name = name;
    spec.components = miniweather_variables;
    spec.extents = {Extent{{reach, 0, 0}, {reach, 0, 0}, false}};
    return AnyField::with_own_pages(domain.partition(), domain.rank(), spec, {}, RowLayout::on_lines);
}

// Calls use(values) for the cells of each row of two columns, variable after variable.
template <class Use>
void each_row(const Box& box, View<double> view, Index column, const Use& use) {
    for (Index v = 0; v < miniweather_variables; ++v) {
        for (Index k = box.lo[1]; k < box.hi[1]; ++k) use(view.row(k, 0, v) + column);
    }
}

}  // namespace

HandMiniweather::HandMiniweather(const Domain& domain, const MiniweatherModel& model)
    : comm_(domain.comm()), model_(model) {
    for (const char* name : {"state", "state_1", "state_2"}) levels_.push_back(level_field(domain, name));
    const int rank = domain.rank(), ranks = domain.ranks();
    const Index lo = box().lo[0], hi = box().hi[0];
    const std::vector<double> columns(reach * miniweather_variables * box().size(1));
    sides_[0] = {(rank + ranks - 1) % ranks, lo, lo - reach, columns, columns};
    sides_[1] = {(rank + 1) % ranks, hi - reach, hi, columns, columns};
}

// A message that leaves on one side arrives on the other one: the tag is the side that it leaves on.
void HandMiniweather::exchange(std::size_t level) {
    const View<double> view = levels_[level].view<double>();
    const auto count = static_cast<int>(sides_[0].sent.size());
    std::array<MPI_Request, 4> requests;
    for (int s = 0; s < 2; ++s) {
        MPI_Irecv(sides_[s].received.data(), count, MPI_DOUBLE, sides_[s].peer, 1 - s, comm_, &requests[s]);
    }
    for (int s = 0; s < 2; ++s) {
        double* to = sides_[s].sent.data();
        each_row(box(), view, sides_[s].send, [&](const double* row) {
            for (Index i = 0; i < reach; ++i) *to++ = row[i];
        });
        MPI_Isend(sides_[s].sent.data(), count, MPI_DOUBLE, sides_[s].peer, s, comm_, &requests[2 + s]);
    }
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    for (const Side& side : sides_) {
        const double* from = side.received.data();
        each_row(box(), view, side.receive, [&](double* row) {
            for (Index i = 0; i < reach; ++i) row[i] = *from++;
        });
    }
}

void HandMiniweather::step(std::size_t number) {
    const View<const double> state = levels_[0].view<double>();
    for (const int axis : miniweather_axes(number)) {
        for (const MiniweatherStage& one : miniweather_stages) {
            if (axis == 0) exchange(one.at);
            const View<double> at = levels_[one.at].view<double>(), after = levels_[one.after].view<double>();
            advance(model_, axis, model_.dt * one.share, box(), {state, at, after});
        }
    }
}

void HandMiniweather::begin(std::span<const double> state) {
    steps_ = 0;
    store<double>(state, levels_[0]);
}

void HandMiniweather::run(int steps) {
    for (int n = 0; n < steps; ++n) step(steps_++);
}

void HandMiniweather::read(std::span<double> state) const { load<double>(levels_[0], state); }

}  // namespace lapwing::bench
