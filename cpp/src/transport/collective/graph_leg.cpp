#include "transport/collective/graph_leg.hpp"

#include <algorithm>
#include <numeric>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "mpi/requests.hpp"
#include "transport/collective/graph.hpp"

namespace lapwing {

ByPeer::ByPeer(std::vector<BoundMessage> unsorted) : place(unsorted.size()) {
    std::vector<std::size_t> order(unsorted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t n) { return unsorted[n].peer; });
    for (std::size_t n : order) {
        place[n] = messages.size();
        if (peers.empty() || peers.back() != unsorted[n].peer) {
            peers.push_back(unsorted[n].peer);
            begins.push_back(messages.size());
        }
        messages.push_back(std::move(unsorted[n]));
    }
    begins.push_back(messages.size());
}

void GraphLeg::connect() {
    joined_ = join(domain_);
    if (joined_.comm != MPI_COMM_NULL && LAPWING_MPI_FOUR != 0) call(joined_.comm, request_);
}

GraphLeg::Joined GraphLeg::join(Domain& domain) {
    auto graph = lease_graph(domain, sources(), destinations());
    return {graph == nullptr ? MPI_COMM_NULL : graph->comm, graph};
}

GraphLeg::~GraphLeg() {
    if (!active_) free_requests({&request_, 1});
}

void GraphLeg::start() {
    told_ = false;
    if (joined_.comm == MPI_COMM_NULL) return;
    pack();
    if (LAPWING_MPI_FOUR != 0) {
        check_mpi(MPI_Start(&request_), "MPI_Start");
    } else {
        call(joined_.comm, request_);
    }
    active_ = true;
}

bool GraphLeg::completed() {
    if (!active_) return true;
    int done = 0;
    check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    active_ = done == 0;
    return !active_;
}

std::size_t GraphLeg::poll(std::span<int> arrived) {
    if (told_ || !completed()) return 0;
    told_ = true;
    const std::size_t count = receives();
    std::iota(arrived.begin(), arrived.begin() + count, 0);
    return count;
}

bool GraphLeg::sent() { return completed(); }

// The collective stays on its way: nobody may use this communicator again.
void GraphLeg::abandon() {
    if (active_) static_cast<void>(new std::shared_ptr<void>(joined_.lease));
}

}  // namespace lapwing
