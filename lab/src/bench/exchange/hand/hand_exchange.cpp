#include "exchange/hand/hand_exchange.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

namespace {

bool cut(const ExchangeWork& work, int axis) { return work.blocks[axis] > 1; }

// Returns the axis of a strip along which its layers lie farthest apart in memory.
int outermost(const ExchangeWork& work) { return work.levels_fastest || work.levels == 0 ? 1 : 2; }

// Along one axis, the cells sent in a direction, or those where they arrive.
std::pair<Index, Index> range(const ExchangeWork& work, int axis, int direction, bool arrive) {
    const Index n = work.size(axis), w = work.width;
    if (direction == 0) return cut(work, axis) ? std::pair{Index{0}, n} : std::pair{-w, n + w};
    if (arrive) return direction < 0 ? std::pair{n, n + w} : std::pair{-w, Index{0}};
    return direction < 0 ? std::pair{Index{0}, w} : std::pair{n - w, n};
}

}  // namespace

Index padded(Index values) { return (values + line_values - 1) / line_values * line_values; }

HandPlan::HandPlan(const WorkArrays& arrays, int rank, bool combined)
    : arrays_(arrays), rank_(rank), combined_(combined) {
    plan_wraps();
}

// Rows that are sent need their halos first. Columns are packed from where their halos come from, so that nothing
// has to wait for wraps in y.
void HandPlan::plan_wraps() {
    const ExchangeWork& work = arrays_.work();
    const Index nx = work.nx, ny = work.ny, w = work.width, levels = work.layers();
    for (int f = 0; f < work.fields; ++f) {
        const auto wrap = [&](std::vector<StridedCopy>& list, int axis, const Box& box) {
            if (!box.empty()) list.push_back(wrap_cells(arrays_, f, box, axis));
        };
        if (!cut(work, 0) && cut(work, 1)) {
            wrap(wraps_before, 0, {{0, 0, 0}, {nx, w, levels}});
            wrap(wraps_before, 0, {{0, std::max(w, ny - w), 0}, {nx, ny, levels}});
            wrap(wraps_meanwhile, 0, {{0, w, 0}, {nx, ny - w, levels}});
        } else if (!cut(work, 0)) {
            wrap(wraps_before, 0, {{0, 0, 0}, {nx, ny, levels}});
            wrap(wraps_meanwhile, 1, {{-w, 0, 0}, {nx + w, ny, levels}});
        } else if (!cut(work, 1)) {
            wrap(wraps_meanwhile, 1, {{0, 0, 0}, {nx, ny, levels}});
        }
    }
}

Groups HandPlan::groups(End end) const {
    const ExchangeWork& work = arrays_.work();
    const int reach_x = cut(work, 0) ? 1 : 0, reach_y = cut(work, 1) ? 1 : 0, sign = end == End::send ? 1 : -1;
    Groups groups;
    for (int f = 0; f < work.fields; ++f) {
        for (int dy = -reach_y; dy <= reach_y; ++dy) {
            for (int dx = -reach_x; dx <= reach_x; ++dx) {
                if (dx == 0 && dy == 0) continue;
                const int tag = combined_ ? 0 : 9 * f + 3 * (dy + 1) + dx + 1;
                groups[{work.neighbour_of(rank_, sign * dx, sign * dy), tag}].push_back({f, dx, dy});
            }
        }
    }
    return groups;
}

Box HandPlan::strip_box(const Strip& strip, End end) const {
    const ExchangeWork& work = arrays_.work();
    const auto [x0, x1] = range(work, 0, strip.dx, end == End::receive);
    const auto [y0, y1] = range(work, 1, strip.dy, end == End::receive);
    Box box{{x0, y0, 0}, {x1, y1, work.layers()}};
    if (strip.count > 0) {
        const int axis = outermost(work);
        box.lo[axis] += strip.first;
        box.hi[axis] = box.lo[axis] + strip.count;
    }
    return box;
}

Groups HandPlan::chunks(const Groups& groups, Index most) const {
    const int axis = outermost(arrays_.work());
    Groups result;
    for (const auto& [key, strips] : groups) {
        int tag = 0;
        Index room = most;
        for (const Strip& strip : strips) {
            const Box box = strip_box(strip, End::receive);
            const Index layers = box.size(axis), layer = box.volume() / layers;
            for (Index first = 0; first < layers;) {
                if (room < layer) {
                    room = std::max(most, layer);
                    ++tag;
                }
                const Index count = std::min(layers - first, room / layer);
                result[{key.first, tag}].push_back({strip.field, strip.dx, strip.dy, first, count});
                room -= count * layer;
                first += count;
            }
        }
    }
    return result;
}

Index HandPlan::volume(const Groups& groups) const {
    Index values = 0;
    for (const auto& [key, strips] : groups) {
        for (const Strip& strip : strips) values += padded(strip_box(strip, End::send).volume());
    }
    return values;
}

Message HandPlan::message(const Groups::value_type& group, End end, double* buffer) const {
    const auto& [key, strips] = group;
    Message message{key.first, key.second, 0, buffer, {}};
    for (const Strip& strip : strips) add_copies(message, strip, end);
    return message;
}

std::vector<Message> HandPlan::messages(const Groups& groups, End end, double*& buffer) const {
    std::vector<Message> result;
    for (const auto& group : groups) {
        result.push_back(message(group, end, buffer));
        buffer += padded(result.back().values);
    }
    return result;
}

// A column is sent with its halos where y is not cut, each part from where the halo would have been copied from.
std::vector<Piece> HandPlan::pieces(const Strip& strip) const {
    const ExchangeWork& work = arrays_.work();
    const Box from = strip_box(strip, End::send), to = strip_box(strip, End::receive);
    if (cut(work, 1)) return {{from, to.lo}};
    const Index ny = work.ny, w = work.width;
    std::vector<Piece> result;
    for (const auto& [y0, y1, shift] : {std::array{-w, Index{0}, ny}, {Index{0}, ny, Index{0}}, {ny, ny + w, -ny}}) {
        const Index lo = std::max(y0, to.lo[1]), hi = std::min(y1, to.hi[1]);
        if (lo >= hi) continue;
        result.push_back(
            {{{from.lo[0], lo + shift, from.lo[2]}, {from.hi[0], hi + shift, from.hi[2]}}, {to.lo[0], lo, to.lo[2]}});
    }
    return result;
}

void HandPlan::add_copies(Message& message, const Strip& strip, End end) const {
    const ExchangeWork& work = arrays_.work();
    const Box box = strip_box(strip, end);
    const Index3 strides = dense_strides(work, box);
    double* buffer = message.buffer + message.values;
    message.values += static_cast<int>(box.volume());
    if (end == End::receive) {
        double* to = arrays_.at(strip.field, box.lo);
        message.copies.push_back(copy_cells(work, box, buffer, strides, to, arrays_.strides()));
        return;
    }
    for (const Piece& piece : pieces(strip)) {
        const double* from = arrays_.at(strip.field, piece.from.lo);
        message.copies.push_back(copy_cells(work, piece.from, from, arrays_.strides(), buffer, strides));
        buffer += piece.from.size(1) * strides[1];
    }
}

std::vector<StridedCopy> HandPlan::direct(const std::vector<Strip>& strips, const WorkArrays& of_peer) const {
    std::vector<StridedCopy> copies;
    for (const Strip& strip : strips) {
        for (const Piece& piece : pieces(strip)) {
            const double* from = of_peer.at(strip.field, piece.from.lo);
            double* to = arrays_.at(strip.field, piece.to);
            copies.push_back(copy_cells(arrays_.work(), piece.from, from, of_peer.strides(), to, arrays_.strides()));
        }
    }
    return copies;
}

namespace {

constexpr Index chunk_values = 32 * 1024 / static_cast<Index>(sizeof(double));

}  // namespace

HandExchange::HandExchange(MPI_Comm comm, const ExchangeWork& work, Kind kind)
    : ArrayMethod(comm),
      arrays_(work),
      plan_(arrays_, rank(), kind != Kind::separate),
      chunked_(kind == Kind::chunked) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    polls_ = kind != Kind::separate && static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency();
    const auto groups = [&](End end) {
        const Groups whole = plan_.groups(end);
        return chunked_ ? plan_.chunks(whole, chunk_values) : whole;
    };
    const Groups out = groups(End::send), in = groups(End::receive);
    buffer_ = aligned_doubles(plan_.volume(out) + plan_.volume(in));
    double* next = buffer_.get();
    receives_ = plan_.messages(in, End::receive, next);
    sends_ = plan_.messages(out, End::send, next);
    requests_.resize(sends_.size() + receives_.size());
}

// Asking again and again takes 1.1 us where MPICH's MPI_Waitall, which begins to yield, takes 1.9 (two ranks on two
// cores, 2d-60), but is worse where ranks share cores. The separate messages keep the call that is usual.
void HandExchange::finish(int requests) {
    if (!polls_) {
        MPI_Waitall(requests, requests_.data(), MPI_STATUSES_IGNORE);
        return;
    }
    for (int done = 0; done == 0;) MPI_Testall(requests, requests_.data(), &done, MPI_STATUSES_IGNORE);
}

// In chunks those that have arrived are unpacked while others are on their way.
void HandExchange::unpack_as_they_arrive() {
    const int count = static_cast<int>(receives_.size());
    for (int n = 0; n < count; ++n) {
        int which = MPI_UNDEFINED;
        for (int done = 0; done == 0;) MPI_Testany(count, requests_.data(), &which, &done, MPI_STATUS_IGNORE);
        run(receives_[which].copies);
    }
    MPI_Waitall(static_cast<int>(sends_.size()), requests_.data() + count, MPI_STATUSES_IGNORE);
}

void HandExchange::exchange() {
    std::size_t n = 0;
    for (Message& m : receives_) {
        MPI_Irecv(m.buffer, m.values, MPI_DOUBLE, m.peer, m.tag, comm(), &requests_[n++]);
    }
    run(plan_.wraps_before);
    for (Message& m : sends_) {
        run(m.copies);
        MPI_Isend(m.buffer, m.values, MPI_DOUBLE, m.peer, m.tag, comm(), &requests_[n++]);
    }
    run(plan_.wraps_meanwhile);
    if (chunked_) return unpack_as_they_arrive();
    finish(static_cast<int>(n));
    for (const Message& m : receives_) run(m.copies);
}

}  // namespace lapwing::bench
