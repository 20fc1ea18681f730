#include "transport/collective/collective_leg.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "mpi/progress/requests.hpp"
#include "transport/collective/graph.hpp"
#include "transport/collective/peer_group.hpp"

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

void ByPeer::spread_over(const std::vector<int>& ranks) {
    slot_count = ranks.size();
    for (int peer : peers) slots.push_back(std::ranges::lower_bound(ranks, peer) - ranks.begin());
}

CollectiveLeg::CollectiveLeg(LegRequest& request, Among among)
    : domain_(request.domain),
      among_(among),
      arrival_(request.arrival),
      sends_(std::move(request.sends)),
      receives_(std::move(request.receives)) {}

void CollectiveLeg::connect() {
    if (among_ == Among::group) {
        const auto group = lease_peer_group(domain_, receives_.peers, sends_.peers);
        lease_ = group;
        if (group == nullptr || group->comm == MPI_COMM_NULL) return;
        comm_ = group->comm;
        for (ByPeer* side : {&sends_, &receives_}) side->spread_over(group->members);
    } else {
        // also where messages go one way only: an empty one back keeps the sender from running ahead
        std::vector<int> both;
        std::ranges::set_union(receives_.peers, sends_.peers, std::back_inserter(both));
        const auto graph = lease_graph(domain_, both, both);
        lease_ = graph;
        if (graph == nullptr) return;
        comm_ = graph->comm;
        for (ByPeer* side : {&sends_, &receives_}) side->spread_over(both);
    }
    lay_out();
    if (LAPWING_MPI_FOUR != 0) call(comm_, request_);
}

CollectiveLeg::~CollectiveLeg() {
    if (!active_) free_requests({&request_, 1});
}

void CollectiveLeg::start() {
    told_ = false;
    if (comm_ == MPI_COMM_NULL) return;
    pack();
    if (LAPWING_MPI_FOUR != 0) {
        check_mpi(MPI_Start(&request_), "MPI_Start");
    } else {
        call(comm_, request_);
    }
    active_ = true;
}

bool CollectiveLeg::completed() {
    if (!active_) return true;
    int done = 0;
    check_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    active_ = done == 0;
    return !active_;
}

std::size_t CollectiveLeg::poll(std::span<int> arrived) {
    if (told_ || !completed()) return 0;
    told_ = true;
    const std::size_t count = receives_.place.size();
    std::iota(arrived.begin(), arrived.begin() + count, 0);
    return count;
}

bool CollectiveLeg::sent() { return completed(); }

// The collective stays on its way: this communicator may not be used again.
void CollectiveLeg::abandon() {
    if (active_) static_cast<void>(new std::shared_ptr<void>(lease_));
}

}  // namespace lapwing
