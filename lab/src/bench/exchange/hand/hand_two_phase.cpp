#include "exchange/hand/hand_two_phase.hpp"

#include <thread>

#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

HandTwoPhase::HandTwoPhase(MPI_Comm comm, const ExchangeWork& work) : ArrayMethod(comm), arrays_(work) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    polls_ = static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency();
    for (int axis = 0; axis < 2; ++axis) {
        if (work.blocks[axis] > 1) {
            add_messages(phases_[axis], axis);
        } else {
            for (int f = 0; f < work.fields; ++f) {
                phases_[axis].wraps.push_back(wrap_cells(arrays_, f, across(axis), axis));
            }
        }
    }
}

// All owned cells; along y with the halos in x, which have arrived by then.
Box HandTwoPhase::across(int axis) const {
    const ExchangeWork& work = arrays_.work();
    const Index w = axis == 1 ? work.width : 0;
    return {{-w, 0, 0}, {work.nx + w, work.ny, work.layers()}};
}

// One message for each neighbour rank, with the strips of all fields; both sides in it where they are the same rank.
void HandTwoPhase::add_messages(Phase& phase, int axis) {
    const ExchangeWork& work = arrays_.work();
    const Index n = work.size(axis), w = work.width;
    const auto peer_of = [&](int side) {
        return axis == 0 ? work.neighbour_of(rank(), side, 0) : work.neighbour_of(rank(), 0, side);
    };
    const bool one_peer = peer_of(-1) == peer_of(1);
    const Index strip = w * across(axis).volume() / n;
    const auto make = [&](End end, std::vector<int> sides) {
        const auto bytes = static_cast<int>(strip * work.fields * static_cast<Index>(sides.size()));
        // the side from which it is seen by the receiver tells messages of two sides apart
        const int tag = one_peer ? 2 * axis : 2 * axis + ((end == End::send) == (sides[0] > 0) ? 1 : 0);
        Message message{peer_of(sides[0]), tag, bytes, nullptr, {}};
        buffers_.push_back(aligned_doubles(bytes));
        message.buffer = buffers_.back().get();
        double* buffer = message.buffer;
        for (const int side : sides) {
            Box box = across(axis);
            box.lo[axis] = end == End::send ? (side < 0 ? 0 : n - w) : (side < 0 ? -w : n);
            box.hi[axis] = box.lo[axis] + w;
            const Index3 dense = dense_strides(work, box);
            for (int f = 0; f < work.fields; ++f, buffer += strip) {
                double* cells = arrays_.at(f, box.lo);
                message.copies.push_back(end == End::send
                                             ? copy_cells(work, box, cells, arrays_.strides(), buffer, dense)
                                             : copy_cells(work, box, buffer, dense, cells, arrays_.strides()));
            }
        }
        return message;
    };
    if (one_peer) {
        phase.sends.push_back(make(End::send, {-1, 1}));
        phase.receives.push_back(make(End::receive, {1, -1}));
        return;
    }
    for (const int side : {-1, 1}) {
        phase.sends.push_back(make(End::send, {side}));
        phase.receives.push_back(make(End::receive, {side}));
    }
}

void HandTwoPhase::run_phase(Phase& phase) {
    run(phase.wraps);
    requests_.clear();
    const auto next = [&] { return &requests_.emplace_back(MPI_REQUEST_NULL); };
    requests_.reserve(phase.sends.size() + phase.receives.size());
    for (Message& m : phase.receives) MPI_Irecv(m.buffer, m.values, MPI_DOUBLE, m.peer, m.tag, comm(), next());
    for (Message& m : phase.sends) {
        run(m.copies);
        MPI_Isend(m.buffer, m.values, MPI_DOUBLE, m.peer, m.tag, comm(), next());
    }
    const int count = static_cast<int>(requests_.size());
    if (!polls_) MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    for (int done = polls_ ? 0 : 1; done == 0;) MPI_Testall(count, requests_.data(), &done, MPI_STATUSES_IGNORE);
    for (const Message& m : phase.receives) run(m.copies);
}

void HandTwoPhase::exchange() {
    for (Phase& phase : phases_) run_phase(phase);
}

}  // namespace lapwing::bench
