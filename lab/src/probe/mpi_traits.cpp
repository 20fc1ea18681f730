#include "probe/mpi_traits.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing::probe {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double patience = 5.0;  // s
constexpr int behind = 0, front = 1;

enum Outcome { right, swapped, wrong, incomplete };  // in order of badness
constexpr std::array outcomes{"right", "swapped", "wrong", "does not complete"};

MPI_Comm ring_of(MPI_Comm comm, NeighborGraph graph, int ranks) {
    MPI_Comm made = MPI_COMM_NULL;
    const int periodic = 1, rank = rank_in(comm);
    if (graph == NeighborGraph::cart) {
        check_mpi(MPI_Cart_create(comm, 1, &ranks, &periodic, 0, &made), "MPI_Cart_create");
    } else {
        const std::array peers{(rank + ranks - 1) % ranks, (rank + 1) % ranks};
        check_mpi(MPI_Dist_graph_create_adjacent(comm, 2, peers.data(), MPI_UNWEIGHTED, 2, peers.data(), MPI_UNWEIGHTED,
                                                 MPI_INFO_NULL, 0, &made),
                  "MPI_Dist_graph_create_adjacent");
    }
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

// The buffers that a rank sends to its neighbour behind or in front.
int sent(int rank, int side) { return 10 * rank + side + 7; }

// The standard's: on a Cartesian ring what is sent behind arrives from the front. On a graph, messages between the same
// two ranks are matched in the order in which both list them: two ranks give theirs to the same side, one to itself.
Outcome judged(const std::array<int, 2>& got, NeighborGraph graph, int rank, int ranks) {
    const int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks;
    const std::array crossing{sent(before, front), sent(after, behind)};
    const std::array in_order{sent(before, behind), sent(after, front)};
    const bool ordered = graph == NeighborGraph::graph && ranks <= 2;
    if (got == (ordered ? in_order : crossing)) return right;
    return got == (ordered ? crossing : in_order) ? swapped : wrong;
}

Outcome tried(MPI_Comm ring, NeighborGraph graph, int ranks) {
    const int rank = rank_in(ring);
    // a call that never completes goes on writing here
    static std::array<int, 2> out, in;
    out = {sent(rank, behind), sent(rank, front)};
    in = {-1, -1};
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Ineighbor_alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, ring, &request),
              "MPI_Ineighbor_alltoall");
    int done = 0;
    for (const auto begin = Clock::now(); done == 0; sched_yield()) {
        check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
        if (std::chrono::duration<double>(Clock::now() - begin).count() > patience) return incomplete;
    }
    return judged(in, graph, rank, ranks);
}

}  // namespace

bool cart_reorders(const Domain& domain, int axes) {
    const MPI_Comm comm = domain.comm();
    bool moved = false;
    together(comm, [&] {
        std::vector<int> sizes(axes, 0), periodic(sizes.size(), 1);
        check_mpi(MPI_Dims_create(domain.ranks(), axes, sizes.data()), "MPI_Dims_create");
        MPI_Comm cart = MPI_COMM_NULL;
        check_mpi(MPI_Cart_create(comm, axes, sizes.data(), periodic.data(), 1, &cart), "MPI_Cart_create");
        moved = rank_in(cart) != domain.rank();
        check_mpi(MPI_Comm_free(&cart), "MPI_Comm_free");
    });
    return reduced(comm, moved ? 1 : 0, MPI_MAX, "the numbers of ranks") != 0;
}

std::string neighbor_collectives(const Domain& domain, NeighborGraph graph, int ranks) {
    const MPI_Comm all = domain.comm();
    require_same(all, "ranks of a ring", std::to_string(ranks));
    if (ranks < 1 || ranks > domain.ranks())
        user_error("ranks of a ring", ranks, concat("1 to ", domain.ranks()), "change it");
    const bool member = domain.rank() < ranks;
    MPI_Comm part = MPI_COMM_NULL, ring = MPI_COMM_NULL;
    int outcome = right;
    together(all, [&] {
        check_mpi(MPI_Comm_split(all, member ? 0 : MPI_UNDEFINED, domain.rank(), &part), "MPI_Comm_split");
        if (!member) return;
        MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN);
        ring = ring_of(part, graph, ranks);
        outcome = tried(ring, graph, ranks);
    });
    outcome = reduced(all, outcome, MPI_MAX, "the outcome of a neighbourhood collective");
    together(all, [&] {  // freeing is collective, and a call that is pending on any rank keeps the ring
        if (!member) return;
        check_mpi(MPI_Comm_free(&part), "MPI_Comm_free");
        if (outcome != incomplete) check_mpi(MPI_Comm_free(&ring), "MPI_Comm_free");
    });
    return outcomes[static_cast<std::size_t>(outcome)];
}

std::string cuda_awareness() {
    void* found = ::dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    if (found == nullptr) return "unknown";
    return reinterpret_cast<int (*)()>(found)() != 0 ? "yes" : "no";
}

std::string thread_level() {
    int level = 0;
    check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
    if (level == MPI_THREAD_SINGLE) return "single";
    if (level == MPI_THREAD_FUNNELED) return "funneled";
    return level == MPI_THREAD_SERIALIZED ? "serialized" : "multiple";
}

}  // namespace lapwing::probe
