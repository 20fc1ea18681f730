#include "lapwing/mpi/node.hpp"

#include <sched.h>

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/base/host.hpp"
#include "lapwing/memory/shared_memory.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// Returns the number of cores that the processes of `node` may run on together: each may be bound to a core of its own.
// Quotas of containers are ignored. Collective.
int usable_cores(MPI_Comm node) {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof(cores), &cores) != 0) CPU_SET(0, &cores);
    reduce(node, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, "the cores of a node");
    return CPU_COUNT(&cores);
}

constexpr const char* newcomers = "the ranks of a new domain";

}  // namespace

Node::Node(MPI_Comm comm, int ranks_per_node) : rank_(rank_in(comm)) {
    MPI_Comm node = MPI_COMM_NULL;
    check_mpi(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
    int lowest = reduced(node, rank_, MPI_MIN, newcomers);
    const int size = size_of(node);
    cores_ = usable_cores(node);
    check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
    oversubscribed_ = reduced(comm, size > cores_ ? 1 : 0, MPI_MAX, newcomers) != 0;
    if (ranks_per_node > 0) lowest = std::max(lowest, rank_ / ranks_per_node * ranks_per_node);
    lowest_ = gathered(comm, lowest, newcomers);
    try_shared_memory(comm);
}

Node::Node(int rank, int ranks, int ranks_per_node)
    : rank_(rank), cores_(ranks_per_node), there_(false), no_shared_memory_("the ranks are not there") {
    for (int other = 0; other < ranks; ++other) lowest_.push_back(other / ranks_per_node * ranks_per_node);
}

// Each rank maps memory of the next rank of its node: containers and rights may forbid it.
void Node::try_shared_memory(MPI_Comm comm) {
    no_shared_memory_ = Host::lacks(Host::Facility::shared_memory);
    if (!no_shared_memory_.empty()) return;
    const auto memory = SharedMemory::create(64);
    const SharedMemoryName mine = memory != nullptr ? memory->name() : SharedMemoryName{};
    const std::vector<SharedMemoryName> names = gathered(comm, mine, newcomers);
    int next = rank_;
    do next = (next + 1) % static_cast<int>(lowest_.size());
    while (!holds(next));
    const bool works = SharedMemory::attach(names[next]) != nullptr;
    if (reduced(comm, works ? 1 : 0, MPI_MIN, newcomers) == 0)
        no_shared_memory_ = "a process may not map the memory of another (/proc/PID/fd)";
}

int Node::polls() const { return oversubscribed_ ? 1 : Host::polls(); }

int Node::ranks() const { return static_cast<int>(std::ranges::count(lowest_, lowest_[rank_])); }

}  // namespace lapwing
