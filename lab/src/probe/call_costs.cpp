#include "probe/call_costs.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/base/ticks.hpp"
#include "lapwing/memory/copy_list.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing::probe {

namespace {

using Clock = std::chrono::steady_clock;
using Costs = std::map<std::string, double>;

constexpr int tag = 1;
constexpr int batch = 32;         // messages in flight at once
constexpr std::size_t line = 64;  // bytes
constexpr const char* waited = "the small calls that are timed";

template <class Call>
double seconds_of_calls(int count, Call&& call) {
    const auto begin = Clock::now();
    for (int n = 0; n < count; ++n) call(n);
    return std::chrono::duration<double>(Clock::now() - begin).count() / count;
}

// A barrier that lets others run.
void meet(MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ibarrier(comm, &request), "MPI_Ibarrier");
    wait_for(request, comm, waited);
}

void time_local(Costs& costs, int rounds) {
    static volatile double kept = 0.0;
    std::int64_t sum = 0;
    costs["clock_ticks"] = seconds_of_calls(rounds, [&](int) { sum += ticks(); });
    costs["clock_steady"] = seconds_of_calls(rounds, [&](int) { sum += Clock::now().time_since_epoch().count(); });
    costs["clock_mpi"] = seconds_of_calls(rounds, [&](int) { sum += static_cast<std::int64_t>(MPI_Wtime()); });
    alignas(64) std::array<char, 128 * line> from{}, to{};
    costs["memcpy_line"] = seconds_of_calls(rounds, [&](int n) {
        const std::size_t at = n % 128 * line;
        std::memcpy(to.data() + at, from.data() + at, line);
        asm volatile("" : : "r"(to.data()) : "memory");  // the copy is made
    });
    kept = static_cast<double>(sum) + to[0];
    static_cast<void>(kept);
}

// Posting, looking in vain, and completing, each over a batch of messages around the ring.
class Ring {
  public:
    Ring(const Domain& domain, MPI_Comm comm) : comm_(comm), ranks_(domain.ranks()), rank_(domain.rank()) {}

    void time_batch(Costs& costs, double share) {
        meet(comm_);
        costs["irecv"] += share * seconds_of_calls(batch, [&](int n) { receive(n, 1); });
        int done = 0;
        costs["test_pending"] += share * seconds_of_calls(batch, [&](int n) {
                                     check_mpi(MPI_Test(&receives_[n], &done, MPI_STATUS_IGNORE), "MPI_Test");
                                 });
        meet(comm_);
        costs["isend"] += share * seconds_of_calls(batch, [&](int n) { send(n, 1); });
        meet(comm_);
        costs["wait"] += share * seconds_of_calls(batch, [&](int n) { wait(receives_[n]); });
        for (MPI_Request& request : sends_) wait(request);
    }

    // Empty messages to both neighbours and from both.
    void shake_hands() {
        for (const int n : {0, 1}) {
            const int step = n == 0 ? 1 : ranks_ - 1;
            receive(n, step);
            send(n, step);
        }
        for (MPI_Request* request : {&receives_[0], &receives_[1], &sends_[0], &sends_[1]}) wait(*request);
    }

  private:
    void receive(int n, int step) {
        const int from = (rank_ + ranks_ - step) % ranks_;
        check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, from, tag, comm_, &receives_[n]), "MPI_Irecv");
    }
    void send(int n, int step) {
        check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, (rank_ + step) % ranks_, tag, comm_, &sends_[n]), "MPI_Isend");
    }
    void wait(MPI_Request& request) {
        wait_for(request, comm_, waited);
        request = MPI_REQUEST_NULL;
    }

    MPI_Comm comm_;
    int ranks_, rank_;
    std::array<MPI_Request, batch> receives_{}, sends_{};
};

// On a communicator of its own: no other message may meet these.
void time_messages(const Domain& domain, Costs& costs, int rounds) {
    MPI_Comm comm = MPI_COMM_NULL;
    check_mpi(MPI_Comm_dup(domain.comm(), &comm), "MPI_Comm_dup");
    int found = 0;
    costs["iprobe"] = seconds_of_calls(rounds, [&](int) {
        check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
    });
    Ring ring(domain, comm);
    const int batches = (rounds + batch - 1) / batch;
    for (const char* name : {"irecv", "test_pending", "isend", "wait"}) costs[name] = 0.0;
    for (int n = 0; n < batches; ++n) ring.time_batch(costs, 1.0 / batches);
    meet(comm);
    costs["handshake"] = seconds_of_calls(rounds, [&](int) { ring.shake_hands(); });
    meet(comm);
    costs["barrier"] = seconds_of_calls(rounds, [&](int) { meet(comm); });
    check_mpi(MPI_Comm_free(&comm), "MPI_Comm_free");
}

}  // namespace

std::map<std::string, double> call_costs(const Domain& domain, int rounds) {
    const MPI_Comm comm = domain.comm();
    require_same(comm, "rounds of small calls", std::to_string(rounds));
    if (rounds < 1) user_error("rounds of small calls", rounds, "1 or more", "change it");
    Costs costs;
    time_local(costs, rounds);
    if (domain.ranks() > 1) time_messages(domain, costs, rounds);
    for (auto& [name, seconds] : costs) seconds = reduced(comm, seconds, MPI_MAX, waited);
    return costs;
}

PackingCosts packing_costs(int rounds) {
    if (rounds < 1) user_error("rounds of packing", rounds, "1 or more", "measure more of them");
    constexpr Index values = 1 << 13, in_row = 2, apart = 64, size = 8;  // bytes of a value
    std::vector<std::byte> field(values / in_row * apart * size), buffer(values * size);
    const auto least = [&](const StridedBlock& piece) {
        const PackList list(std::span(&piece, 1));
        double seconds = std::numeric_limits<double>::infinity();
        for (int n = 0; n <= rounds; ++n)  // the first one warms up
            seconds = std::min(seconds, seconds_of_calls(8, [&](int) { list.pack(buffer.data()); }));
        return seconds;
    };
    const StridedBlock whole{.data = field.data(), .count = {values, 1, 1, 1}, .stride = {size, 0, 0, 0}};
    const StridedBlock rows{
        .data = field.data(), .count = {in_row, values / in_row, 1, 1}, .stride = {size, apart * size, 0, 0}};
    const double contiguous = least(whole), strided = least(rows);
    const auto bytes = static_cast<double>(values * size), pieces = static_cast<double>(values / in_row);
    return {contiguous / bytes, std::max(strided - contiguous, 0.0) / pieces};
}

}  // namespace lapwing::probe
