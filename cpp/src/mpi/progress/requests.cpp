#include "mpi/progress/requests.hpp"

#include <array>

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
    return count;
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

// Intel MPI's MPI_Testsome of requests of MPI_Rget calls an invalid address once requests of other kinds were made and
// freed.
std::string_view trouble_of_gets() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
    if (std::string_view(text.data(), static_cast<std::size_t>(length)).find("Intel(R) MPI") == std::string_view::npos)
        return {};
    return "requests of MPI_Rget end the program in Intel MPI, where others were freed before";
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
