// Times an MPI on messages of the size of halos, also with more ranks than cores.
// Every rank swaps one message with both ring neighbours, as a 1D halo exchange does; nothing is computed.
// Behind docs/decisions/0002-mpi-delivery.md; run by `make mpi-trial`.
//
// usage: mpiexec -n N mpi_trial [bytes per message = 2880] [seconds per way of waiting = 1]
// 2880 bytes = three float64 fields, 60 cells long, halo width 2.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Ring {
    int left = 0;
    int right = 0;
    std::array<std::vector<char>, 2> outgoing;
    std::array<std::vector<char>, 2> incoming;
};

using Requests = std::array<MPI_Request, 4>;

Requests post(Ring& ring) {
    Requests requests{};
    const int bytes = static_cast<int>(ring.outgoing[0].size());
    MPI_Irecv(ring.incoming[0].data(), bytes, MPI_BYTE, ring.left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(ring.incoming[1].data(), bytes, MPI_BYTE, ring.right, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(ring.outgoing[0].data(), bytes, MPI_BYTE, ring.right, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(ring.outgoing[1].data(), bytes, MPI_BYTE, ring.left, 1, MPI_COMM_WORLD, &requests[3]);
    return requests;
}

void wait_blocking(Requests& requests) { MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE); }

// `patience` empty tests before the core is given to another process.
template <int patience>
void wait_yielding(Requests& requests) {
    int done = 0;
    for (int tests = 1;; ++tests) {
        MPI_Testall(4, requests.data(), &done, MPI_STATUSES_IGNORE);
        if (done != 0) return;
        if (tests % patience == 0) sched_yield();
    }
}

// Microseconds per exchange, of blocks of 20 exchanges, slowest rank of each. The mean is printed next to the median
// because a rank that loses its core loses a whole scheduler slice: rare, and most of the time of an oversubscribed
// run.
void measure(Ring& ring, const char* name, void (*wait)(Requests&), double seconds) {
    constexpr int per_block = 20;
    std::vector<double> blocks;
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    int go_on = 1;
    while (go_on != 0) {
        const double start = MPI_Wtime();
        for (int i = 0; i < per_block; ++i) {
            Requests requests = post(ring);
            wait(requests);
        }
        const double now = MPI_Wtime();
        blocks.push_back((now - start) / per_block * 1e6);
        // agreed through the ring's own kind of waiting, so that a busy collective does not hide the difference
        go_on = static_cast<int>(now - began < seconds);
        MPI_Request request{};
        MPI_Ibcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
        Requests one = {request, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        wait(one);
    }
    const double mean = (MPI_Wtime() - began) / static_cast<double>(blocks.size() * per_block) * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, blocks.data(), static_cast<int>(blocks.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::sort(blocks.begin(), blocks.end());
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        std::printf("  %-10s mean %9.2f us   median %9.2f us   p90 %9.2f us\n", name, mean, blocks[blocks.size() / 2],
                    blocks[blocks.size() * 9 / 10]);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    const std::size_t bytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2880;
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 1.0;
    int rank = 0;
    int size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    Ring ring{.left = (rank + size - 1) % size, .right = (rank + 1) % size, .outgoing = {}, .incoming = {}};
    for (auto* side : {&ring.outgoing, &ring.incoming})
        for (auto& buffer : *side) buffer.assign(bytes, 'x');
    if (rank == 0) std::printf("%d ranks, %zu bytes\n", size, bytes);
    measure(ring, "waitall", wait_blocking, seconds);
    measure(ring, "yield", wait_yielding<1>, seconds);
    measure(ring, "yield/100", wait_yielding<100>, seconds);
    MPI_Finalize();
    return 0;
}
