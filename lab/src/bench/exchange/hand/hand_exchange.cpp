#include "exchange/hand/hand_exchange.hpp"

#include <thread>

#include "memory/aligned_memory.hpp"

namespace lapwing::bench {

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
