#include "mpi/handshake.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<int> peers_of(const MessagePlan& plan) {
    std::set<int> peers;
    for (const Phase& phase : plan.phases) {
        for (const Message& message : phase.sends) peers.insert(message.peer);
        for (const Message& message : phase.receives) peers.insert(message.peer);
    }
    return {peers.begin(), peers.end()};
}

}  // namespace

Handshake::Handshake(Domain& domain, const MessagePlan& plan)
    : domain_(domain),
      tag_(domain.next_tag()),
      peers_(peers_of(plan)),
      requests_(2 * peers_.size(), MPI_REQUEST_NULL) {}

Handshake::~Handshake() {
    if (std::ranges::count(requests_, MPI_REQUEST_NULL) < std::ssize(requests_)) tag_.spoil();
}

void Handshake::start() {
    const MPI_Comm comm = domain_.comm();
    const std::size_t n = peers_.size();
    for (std::size_t p = 0; p < n; ++p) {
        check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, peers_[p], tag_.number(), comm, &requests_[p]), "MPI_Irecv");
    }
    for (std::size_t p = 0; p < n; ++p) {
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, peers_[p], tag_.number(), comm, &requests_[n + p]), "MPI_Isend");
    }
}

bool Handshake::test() {
    bool all = true;
    for (MPI_Request& request : requests_) {  // one by one, so that it is known who is missing
        if (request == MPI_REQUEST_NULL) continue;
        int done = 0;
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        all &= done != 0;
    }
    return all;
}

void Handshake::wait() {
    wait_or_end([this] { return test(); }, [this] { return describe(); }, domain_.comm(), domain_.node().polls());
}

void Handshake::calibrate(int rounds) {
    double least = std::numeric_limits<double>::infinity();
    for (int n = 0; n < rounds; ++n) {
        const auto begin = Clock::now();
        start();
        wait();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    least_seconds_ = rounds > 0 ? least : 0.0;
}

std::vector<int> Handshake::missing() const {
    std::vector<int> ranks;
    for (std::size_t p = 0; p < peers_.size(); ++p) {
        if (requests_[p] != MPI_REQUEST_NULL) ranks.push_back(peers_[p]);
    }
    return ranks;
}

std::string Handshake::describe() const {
    return concat("rank ", domain_.rank(), " waits for ranks ", listed(missing(), " "), " to reach an exchange");
}

}  // namespace lapwing
