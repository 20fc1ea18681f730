#include "lapwing/transport/p2p.hpp"

#include <limits>

#include "lapwing/agreement.hpp"
#include "lapwing/error.hpp"

namespace lapwing {

namespace {

constexpr Index line = 64;  // bytes: messages start on cache lines of their own
Index padded(Index bytes) { return (bytes + line - 1) / line * line; }

// MPI counts are int: larger messages travel as 8-byte words (every buffer is padded to them).
struct Count {
    int count;
    MPI_Datatype type;
};

Count count_of(Index bytes) {
    if (bytes <= std::numeric_limits<int>::max()) return {static_cast<int>(bytes), MPI_BYTE};
    const Index words = (bytes + 7) / 8;
    if (words > std::numeric_limits<int>::max()) {
        user_error("message", std::to_string(bytes) + " bytes", "at most 16 GiB",
                   "use more ranks or exchange fewer fields at once");
    }
    return {static_cast<int>(words), MPI_INT64_T};
}

void copy_or_add(const BoundCopy& copy, Arrival arrival, std::byte* scratch) {
    if (arrival == Arrival::replace) return lapwing::copy(copy.from, copy.to);
    pack(copy.from, scratch);
    unpack_add(copy.to, scratch, copy.integer);
}

}  // namespace

P2pChannel::P2pChannel(MPI_Comm comm, int tag, BoundPlan plan)
    : comm_(comm), tag_(tag), plan_(std::move(plan)), phase_(plan_.phases.size()) {
    Index total = 0, scratch = 0;
    for (const BoundPhase& phase : plan_.phases) {
        for (const auto& m : phase.sends) total += padded(m.bytes);
        for (const auto& m : phase.receives) total += padded(m.bytes);
        if (plan_.arrival == Arrival::add) {
            for (const auto& c : phase.copies) scratch = std::max(scratch, c.from.bytes());
        }
    }
    buffer_.resize(static_cast<std::size_t>(total + padded(scratch)));
    std::byte* next = buffer_.data() + padded(scratch);
    for (const BoundPhase& phase : plan_.phases) {
        PhaseState state;
        for (const auto& m : phase.receives) {
            state.receive_buffers.push_back(next);
            next += padded(m.bytes);
        }
        for (const auto& m : phase.sends) {
            state.send_buffers.push_back(next);
            next += padded(m.bytes);
        }
        state.requests.assign(phase.receives.size() + phase.sends.size(), MPI_REQUEST_NULL);
        state.arrived.resize(state.requests.size());
        state_.push_back(std::move(state));
    }
}

// MPI may still write to the buffers of requests that nobody waited for. Waiting here could block for
// ever (a neighbour may never start), so they are given up: the program has a mistake, its memory stays whole.
P2pChannel::~P2pChannel() {
    if (phase_ < plan_.phases.size()) (void)new std::vector<std::byte>(std::move(buffer_));
}

void P2pChannel::start() {
    phase_ = 0;
    if (!plan_.phases.empty()) start_phase();
}

void P2pChannel::start_phase() {
    const BoundPhase& phase = plan_.phases[phase_];
    PhaseState& state = state_[phase_];
    const std::size_t receives = phase.receives.size();
    for (std::size_t m = 0; m < receives; ++m) {
        const auto [count, type] = count_of(phase.receives[m].bytes);
        check_mpi(
            MPI_Irecv(state.receive_buffers[m], count, type, phase.receives[m].peer, tag_, comm_, &state.requests[m]),
            "MPI_Irecv");
    }
    for (std::size_t m = 0; m < phase.sends.size(); ++m) {
        const BoundMessage& message = phase.sends[m];
        std::byte* buffer = state.send_buffers[m];
        for (const StridedBlock& piece : message.pieces) {
            pack(piece, buffer);
            buffer += piece.bytes();
        }
        const auto [count, type] = count_of(message.bytes);
        check_mpi(
            MPI_Isend(state.send_buffers[m], count, type, message.peer, tag_, comm_, &state.requests[receives + m]),
            "MPI_Isend");
    }
    state.pending = state.requests.size();
    // In order: nothing is applied before everything is there.
    if (!plan_.in_order) {
        for (const BoundCopy& copy : phase.copies) copy_or_add(copy, plan_.arrival, nullptr);
    }
}

void P2pChannel::unpack_message(std::size_t message) {
    const BoundMessage& received = plan_.phases[phase_].receives[message];
    const std::byte* buffer = state_[phase_].receive_buffers[message];
    for (std::size_t p = 0; p < received.pieces.size(); ++p) {
        const StridedBlock& piece = received.pieces[p];
        if (plan_.arrival == Arrival::replace) {
            unpack(piece, buffer);
        } else {
            unpack_add(piece, buffer, received.integer[p]);
        }
        buffer += piece.bytes();
    }
}

void P2pChannel::finish_phase() {
    const BoundPhase& phase = plan_.phases[phase_];
    if (plan_.in_order) {
        for (const BoundCopy& copy : phase.copies) copy_or_add(copy, plan_.arrival, buffer_.data());
        for (std::size_t m = 0; m < phase.receives.size(); ++m) unpack_message(m);
    }
    ++phase_;
    if (phase_ < plan_.phases.size()) start_phase();
}

bool P2pChannel::test() {
    while (phase_ < plan_.phases.size()) {
        PhaseState& state = state_[phase_];
        if (state.pending > 0) {
            int completed = 0;
            check_mpi(MPI_Testsome(static_cast<int>(state.requests.size()), state.requests.data(), &completed,
                                   state.arrived.data(), MPI_STATUSES_IGNORE),
                      "MPI_Testsome");
            if (completed == MPI_UNDEFINED) completed = 0;
            const auto receives = static_cast<int>(plan_.phases[phase_].receives.size());
            for (int n = 0; n < completed; ++n) {
                const int request = state.arrived[static_cast<std::size_t>(n)];
                if (request < receives && !plan_.in_order) {
                    unpack_message(static_cast<std::size_t>(request));
                }
            }
            state.pending -= static_cast<std::size_t>(completed);
        }
        if (state.pending > 0) return false;
        finish_phase();
    }
    return true;
}

std::vector<int> P2pChannel::missing() const {
    std::vector<int> peers;
    if (phase_ >= plan_.phases.size()) return peers;
    const auto& receives = plan_.phases[phase_].receives;
    for (std::size_t m = 0; m < receives.size(); ++m) {
        if (state_[phase_].requests[m] != MPI_REQUEST_NULL) peers.push_back(receives[m].peer);
    }
    return peers;
}

Index P2pChannel::buffer_bytes() const { return static_cast<Index>(buffer_.size()); }

}  // namespace lapwing
