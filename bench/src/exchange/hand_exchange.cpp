#include "exchange/hand_exchange.hpp"

#include <thread>

#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

namespace {

Index padded(Index values) { return (values + line_values - 1) / line_values * line_values; }

bool cut(const ExchangeWork& work, int axis) { return work.blocks[axis] > 1; }

// Along one axis, the cells sent in a direction, or those where they arrive.
std::pair<Index, Index> range(const ExchangeWork& work, int axis, int direction, bool arrive) {
    const Index n = work.size(axis), w = work.width;
    if (direction == 0) return cut(work, axis) ? std::pair{Index{0}, n} : std::pair{-w, n + w};
    if (arrive) return direction < 0 ? std::pair{n, n + w} : std::pair{-w, Index{0}};
    return direction < 0 ? std::pair{Index{0}, w} : std::pair{n - w, n};
}

// A rank that is its own neighbour on all sides: its halos hold what one process can copy.
ExchangeWork alone(ExchangeWork work) {
    work.blocks = {1, 1};
    return work;
}

}  // namespace

HandExchange::HandExchange(MPI_Comm comm, const ExchangeWork& work, bool combined)
    : Method(comm), arrays_(work), combined_(combined) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    polls_ = combined && static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency();
    plan_wraps();
    const Groups out = grouped(End::send), in = grouped(End::receive);
    buffer_ = aligned_doubles(volume(out) + volume(in));
    double* next = buffer_.get();
    receives_ = messages(in, End::receive, next);
    sends_ = messages(out, End::send, next);
    requests_.resize(sends_.size() + receives_.size());
}

// Rows that are sent need their halos first. Columns are packed from where their halos come from, so that nothing
// has to wait for wraps in y.
void HandExchange::plan_wraps() {
    const ExchangeWork& work = arrays_.work();
    const Index nx = work.nx, ny = work.ny, w = work.width, levels = work.layers();
    for (int f = 0; f < work.fields; ++f) {
        const auto wrap = [&](std::vector<StridedCopy>& list, int axis, const Box& box) {
            if (!box.empty()) list.push_back(wrap_cells(arrays_, f, box, axis));
        };
        if (!cut(work, 0) && cut(work, 1)) {
            wrap(wraps_before_, 0, {{0, 0, 0}, {nx, w, levels}});
            wrap(wraps_before_, 0, {{0, std::max(w, ny - w), 0}, {nx, ny, levels}});
            wrap(wraps_meanwhile_, 0, {{0, w, 0}, {nx, ny - w, levels}});
        } else if (!cut(work, 0)) {
            wrap(wraps_before_, 0, {{0, 0, 0}, {nx, ny, levels}});
            wrap(wraps_meanwhile_, 1, {{-w, 0, 0}, {nx + w, ny, levels}});
        } else if (!cut(work, 1)) {
            wrap(wraps_meanwhile_, 1, {{0, 0, 0}, {nx, ny, levels}});
        }
    }
}

HandExchange::Groups HandExchange::grouped(End end) const {
    const ExchangeWork& work = arrays_.work();
    const int reach_x = cut(work, 0) ? 1 : 0, reach_y = cut(work, 1) ? 1 : 0, sign = end == End::send ? 1 : -1;
    Groups groups;
    for (int f = 0; f < work.fields; ++f) {
        for (int dy = -reach_y; dy <= reach_y; ++dy) {
            for (int dx = -reach_x; dx <= reach_x; ++dx) {
                if (dx == 0 && dy == 0) continue;
                const int tag = combined_ ? 0 : 9 * f + 3 * (dy + 1) + dx + 1;
                groups[{work.neighbour_of(rank(), sign * dx, sign * dy), tag}].push_back({f, dx, dy});
            }
        }
    }
    return groups;
}

Box HandExchange::strip_box(const Strip& strip, End end) const {
    const ExchangeWork& work = arrays_.work();
    const auto [x0, x1] = range(work, 0, strip.dx, end == End::receive);
    const auto [y0, y1] = range(work, 1, strip.dy, end == End::receive);
    return {{x0, y0, 0}, {x1, y1, work.layers()}};
}

Index HandExchange::volume(const Groups& groups) const {
    Index values = 0;
    for (const auto& [key, strips] : groups) {
        for (const Strip& strip : strips) values += padded(strip_box(strip, End::send).volume());
    }
    return values;
}

std::vector<HandExchange::Message> HandExchange::messages(const Groups& groups, End end, double*& buffer) const {
    std::vector<Message> result;
    for (const auto& [key, strips] : groups) {
        Message message{key.first, key.second, 0, buffer, {}};
        for (const Strip& strip : strips) add_copies(message, strip, end);
        buffer += padded(message.values);
        result.push_back(std::move(message));
    }
    return result;
}

void HandExchange::add_copies(Message& message, const Strip& strip, End end) const {
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
    const auto pack = [&](const Box& part) {
        const double* from = arrays_.at(strip.field, part.lo);
        message.copies.push_back(copy_cells(work, part, from, arrays_.strides(), buffer, strides));
    };
    if (cut(work, 1)) return pack(box);
    // a column with its halos, each part from where the halo would have been copied from
    const Index ny = work.ny, w = work.width;
    for (const auto& [y0, y1] : {std::pair{ny - w, ny}, std::pair{Index{0}, ny}, std::pair{Index{0}, w}}) {
        pack({{box.lo[0], y0, 0}, {box.hi[0], y1, box.hi[2]}});
        buffer += (y1 - y0) * strides[1];
    }
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

void HandExchange::exchange() {
    std::size_t n = 0;
    for (Message& m : receives_) {
        MPI_Irecv(m.buffer, m.values, MPI_DOUBLE, m.peer, m.tag, comm(), &requests_[n++]);
    }
    run(wraps_before_);
    for (Message& m : sends_) {
        run(m.copies);
        MPI_Isend(m.buffer, m.values, MPI_DOUBLE, m.peer, m.tag, comm(), &requests_[n++]);
    }
    run(wraps_meanwhile_);
    finish(static_cast<int>(n));
    for (const Message& m : receives_) run(m.copies);
}

CopyLimit::CopyLimit(MPI_Comm comm, const ExchangeWork& work) : Method(comm), from_(alone(work)), to_(alone(work)) {
    const Index nx = work.nx, ny = work.ny, w = work.width, levels = work.layers();
    for (int f = 0; f < work.fields; ++f) {
        const auto add = [&](const Box& box, Index x, Index y) {
            double* to = to_.at(f, box.lo[0] + x, box.lo[1] + y);
            copies_.push_back(copy_cells(work, box, from_.at(f, box.lo), from_.strides(), to, to_.strides()));
        };
        add({{-w, ny - w, 0}, {nx + w, ny, levels}}, 0, -ny);
        add({{-w, 0, 0}, {nx + w, w, levels}}, 0, ny);
        add({{nx - w, 0, 0}, {nx, ny, levels}}, -nx, 0);
        add({{0, 0, 0}, {w, ny, levels}}, nx, 0);
    }
}

void CopyLimit::fill() const {
    from_.fill_exchanged(rank());
    to_.fill(rank());
}

}  // namespace lapwing::bench
