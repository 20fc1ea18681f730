#include "lapwing/transport/pool.hpp"

#include "lapwing/agreement.hpp"
#include "lapwing/progress.hpp"

namespace lapwing {

std::vector<int> smallest(std::vector<int> values, MPI_Comm comm) {
    if (values.empty()) return values;
    std::vector<int> result(values.size());
    MPI_Request request;
    check_mpi(
        MPI_Iallreduce(values.data(), result.data(), static_cast<int>(values.size()), MPI_INT, MPI_MIN, comm, &request),
        "MPI_Iallreduce");
    wait_for(request, comm, "the ranks' agreement on what an exchange may use");
    return result;
}

}  // namespace lapwing
