#include "exchange/copy_limit.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "lapwing/memory/line_stores.hpp"
#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

namespace {

// Values that `to` gets from `from`: its halos and corners on the sides where that rank is.
Index values_between(const ExchangeWork& work, int from, int to) {
    const Index w = work.width;
    Index values = 0;
    for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
            const bool from_there = (dx != 0 || dy != 0) && work.neighbour_of(to, dx, dy) == from;
            if (from_there) values += (dx == 0 ? work.nx : w) * (dy == 0 ? work.ny : w);
        }
    }
    return values * work.layers() * work.fields;
}

Index in_lines(Index values) { return (values + line_values - 1) / line_values * line_values; }

// Where, among the blocks that a rank sends or gets, the one of another rank begins; for the number of ranks: how much
// all of them take.
Index place(const ExchangeWork& work, int from, int to, bool among_sent) {
    Index values = 0;
    for (int rank = 0; rank < (among_sent ? to : from); ++rank) {
        values += in_lines(among_sent ? values_between(work, from, rank) : values_between(work, rank, to));
    }
    return values;
}

void stream(const double* from, double* to, Index values) {
    Index n = 0;
    for (; n + line_values <= values; n += line_values) store_line(from + n, to + n);
    std::copy(from + n, from + values, to + n);
    order_line_stores();
}

}  // namespace

CopyLimit::CopyLimit(MPI_Comm comm, const ExchangeWork& work, Means means)
    : Method(comm),
      means_(means),
      values_(place(work, rank(), work.blocks[0] * work.blocks[1], true)),
      segments_(comm, 2 * values_) {
    const auto part = [&](int from, int to) -> Part {
        return {from == rank() ? to : from, segments_.of(from) + place(work, from, to, true),
                segments_.of(to) + values_ + place(work, from, to, false), values_between(work, from, to)};
    };
    for (int other = 0; other < work.blocks[0] * work.blocks[1]; ++other) {
        if (values_between(work, other, rank()) == 0) continue;
        got_.push_back(part(other, rank()));
        if (other == rank()) {
            own_.push_back(got_.back());
        } else {
            others_.push_back(other);
            copied_.push_back(means == Means::pull ? got_.back() : part(rank(), other));
        }
    }
}

void CopyLimit::copy(const Part& part) const {
    if (means_ == Means::stream) return stream(part.from, part.to, part.values);
    std::memcpy(part.to, part.from, part.values * sizeof(double));
}

void CopyLimit::exchange() {
    ++round_;
    if (means_ != Means::pull) {
        for (const Part& part : copied_) copy(part);
    }
    segments_.sent(rank()).store(round_, std::memory_order_release);
    if (means_ != Means::pull) {
        for (const Part& part : own_) copy(part);
        for (const int other : others_) segments_.wait_for(segments_.sent(other), round_);
        return;
    }
    for (const Part& part : copied_) {
        segments_.wait_for(segments_.sent(part.peer), round_);
        copy(part);
    }
    segments_.read(rank()).store(round_, std::memory_order_release);
    for (const Part& part : own_) copy(part);
    for (const int other : others_) segments_.wait_for(segments_.read(other), round_);
}

void CopyLimit::touch() {
    double* values = segments_.of(rank());
    std::uint64_t read = 0;
    for (Index n = 0; n < values_; n += line_values) read |= std::bit_cast<std::uint64_t>(values[values_ + n]);
    keep_read(read);
    for (Index n = 0; n < values_; ++n) values[n] += 1.0;
}

double CopyLimit::number(int rank, Index place) const { return static_cast<double>(rank * values_ + place); }

void CopyLimit::fill() {
    double* values = segments_.of(rank());
    for (Index n = 0; n < values_; ++n) values[n] = number(rank(), n);
    std::fill_n(values + values_, values_, std::numeric_limits<double>::quiet_NaN());
}

Index CopyLimit::wrong(Index touches) const {
    Index wrong = 0;
    for (const Part& part : got_) {
        const Index first = part.from - segments_.of(part.peer);
        for (Index n = 0; n < part.values; ++n) {
            wrong += !(part.to[n] == number(part.peer, first + n) + static_cast<double>(touches));
        }
    }
    return wrong;
}

}  // namespace lapwing::bench
