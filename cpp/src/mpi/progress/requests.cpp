#include "mpi/progress/requests.hpp"

#include "lapwing/base/simulated.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

std::size_t MessageRequests::note(int request, std::span<int> arrived, std::size_t count) {
    if (static_cast<std::size_t>(request) < receives_) {
        arrived[count++] = request;
    } else {
        --sending_;
        left_[request - receives_] = 1;
    }
    return count;
}

std::size_t MessageRequests::poll(std::span<int> arrived) {
    if (requests_.empty()) return 0;
    int completed = 0;
    check_mpi(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &completed, numbers_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
    std::size_t count = 0;
    for (int n = 0; n < completed; ++n) {  // none when it is MPI_UNDEFINED, which is negative
        count = note(numbers_[n], arrived, count);
    }
    if constexpr (simulated) {
        for (const int request : ended_) count = note(request, arrived, count);
        ended_.clear();
        AwaitedRequests::add(*this);
    }
    return count;
}

// One for the process, as waits are.
AwaitedRequests& AwaitedRequests::here() {
    static AwaitedRequests awaited;
    return awaited;
}

void AwaitedRequests::forget() { here().all_.clear(); }
void AwaitedRequests::add(MessageRequests& requests) { here().all_.push_back(&requests); }
void AwaitedRequests::add_others() { here().none_of_own_ = here().all_.empty(); }

bool AwaitedRequests::wait_for_one() {
    struct Owner {
        MessageRequests* requests;
        std::size_t number;
    };
    if (here().none_of_own_) return false;
    std::vector<MessageRequests*>& all = here().all_;
    std::ranges::sort(all);
    const auto twice = std::ranges::unique(all);
    all.erase(twice.begin(), twice.end());
    std::vector<MPI_Request> requests;
    std::vector<Owner> owners;
    for (MessageRequests* one : all) {
        for (std::size_t n = 0; n < one->requests_.size(); ++n) {
            requests.push_back(one->requests_[n]);
            owners.push_back({one, n});
        }
    }
    int number = MPI_UNDEFINED;
    check_mpi(MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &number, MPI_STATUS_IGNORE),
              "MPI_Waitany");
    if (number == MPI_UNDEFINED) return false;
    const Owner owner = owners[number];
    owner.requests->requests_[owner.number] = requests[number];
    owner.requests->ended_.push_back(static_cast<int>(owner.number));
    return true;
}

bool MessageRequests::sent() {
    if (sending_ > 0) static_cast<void>(poll({}));
    return sending_ == 0;
}

std::size_t completed(std::vector<MPI_Request>& requests, std::span<int> numbers) {
    if (requests.empty()) return 0;
    int count = 0;
    check_mpi(
        MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, numbers.data(), MPI_STATUSES_IGNORE),
        "MPI_Testsome");
    return count == MPI_UNDEFINED ? 0 : count;
}

void start_all(std::span<MPI_Request> requests) {
    if (requests.empty()) return;
    check_mpi(MPI_Startall(static_cast<int>(requests.size()), requests.data()), "MPI_Startall");
}

void free_requests(std::span<MPI_Request> requests) {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    for (MPI_Request& request : requests) {
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
}

}  // namespace lapwing
