#include "lapwing/step/threads.hpp"

#include <sched.h>

#include <algorithm>

#include "base/thread_team.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// Looks before a thread sleeps: some tens of microseconds, less than a system takes to wake it.
constexpr int usual_spins = 2000;

void require_cores(const Domain& domain, int threads) {
    const int cores = cores_of_process();
    if (threads >= 1 && threads <= cores) return;
    user_error("threads of a rank", threads,
               concat("1 to ", cores, ", the cores that the launcher gave rank ", domain.rank()),
               "use fewer threads, or let the launcher give a rank more cores (srun --cpus-per-task, mpiexec --bind-to "
               "none)");
}

void require_funneled_mpi() {
    int level = MPI_THREAD_SINGLE;
    check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
    if (level >= MPI_THREAD_FUNNELED) return;
    user_error("MPI of a rank with several threads", "MPI_THREAD_SINGLE",
               "MPI_THREAD_FUNNELED: kernels run in threads, while one of them calls MPI",
               "initialise MPI by MPI_Init_thread with that level, or by lapwing::run_main (C and Fortran: "
               "lapwing_run), or use one thread");
}

void require_possible(const Domain& domain, int threads) {
    together(domain.comm(), [&] {
        if (threads > 1) require_funneled_mpi();
        require_cores(domain, threads);
    });
    require_same(domain.comm(), "threads of a rank", concat(threads));
}

}  // namespace

int cores_of_process() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    return sched_getaffinity(0, sizeof(cores), &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

void set_threads(Domain& domain, int threads) {
    require_possible(domain, threads);
    domain.threads = threads;
}

std::shared_ptr<ThreadTeam> team_of(Domain& domain, int threads) {
    if (threads == 0) threads = domain.threads;
    std::shared_ptr<ThreadTeam> team = domain.team.lock();
    if (team != nullptr && team->threads() == threads) return team;
    require_possible(domain, threads);
    if (threads == 1) return nullptr;
    const Node& node = domain.node();
    const bool crowded = node.ranks() * threads > node.cores();
    together(domain.comm(), [&] { team = std::make_shared<ThreadTeam>(threads, crowded ? 0 : usual_spins); });
    domain.team = team;
    return team;
}

}  // namespace lapwing
