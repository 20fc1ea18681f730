#include "mpi/open_leases.hpp"

#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// Ordered as domains were made, which is the same on all ranks.
std::vector<std::shared_ptr<Leases>>& open_leases() {
    static std::vector<std::shared_ptr<Leases>> all;
    return all;
}

int close_all(MPI_Comm /*self*/, int /*key*/, void* /*value*/, void* /*extra*/) {
    try {
        for (const auto& leases : open_leases()) leases->close();
    } catch (const OutsideError&) {  // errors of MPI, through which nothing may be thrown
        return MPI_ERR_OTHER;
    }
    open_leases().clear();
    return MPI_SUCCESS;
}

// MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else.
void call_at_finalize() {
    int key = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_all, &key, nullptr), "MPI_Comm_create_keyval");
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

}  // namespace

void add_open_leases(const std::shared_ptr<Leases>& leases) {
    static bool called = false;
    if (!called) call_at_finalize();
    called = true;
    open_leases().push_back(leases);
}

void remove_open_leases(const Leases& leases) {
    std::erase_if(open_leases(), [&](const auto& one) { return one.get() == &leases; });
}

void leave_leases_open() { open_leases().clear(); }

}  // namespace lapwing
