// A program in which one MPI call fails: failing_call RANK NAME N lets the N-th call of MPI_NAME on that rank return an
// error instead of doing anything. Without them none fails, and the calls of rank 0 are counted by name. Run on several
// ranks, by tests/faults/mpi_calls.py.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "lapwing/lapwing.hpp"
#include "transport_under_test.hpp"

namespace {

std::map<std::string, long> calls;
std::string failing;  // the name
long number = -1;     // that fails; 0: none; negative: none is counted

bool fails(const char* name) {
    if (number < 0 || ++calls[name] != number || failing != name) return false;
    // in one piece, as the other rank may print too
    std::fputs(("\nfailed: MPI_" + std::string(name) + "\n").c_str(), stderr);
    return true;
}

}  // namespace

// The tools interface of MPI: a program may put itself between the library and its callers.
#define FAILING(name, parameters, arguments) \
    extern "C" int MPI_##name parameters { return fails(#name) ? MPI_ERR_OTHER : PMPI_##name arguments; }

FAILING(Isend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g), (a, b, c, d, e, f, g))
FAILING(Irecv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g), (a, b, c, d, e, f, g))
FAILING(Send_init, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
        (a, b, c, d, e, f, g))
FAILING(Recv_init, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g), (a, b, c, d, e, f, g))
FAILING(Start, (MPI_Request * a), (a))
FAILING(Startall, (int a, MPI_Request b[]), (a, b))
FAILING(Test, (MPI_Request * a, int* b, MPI_Status* c), (a, b, c))
FAILING(Testall, (int a, MPI_Request b[], int* c, MPI_Status d[]), (a, b, c, d))
FAILING(Testsome, (int a, MPI_Request b[], int* c, int d[], MPI_Status e[]), (a, b, c, d, e))
FAILING(Iprobe, (int a, int b, MPI_Comm c, int* d, MPI_Status* e), (a, b, c, d, e))
FAILING(Ibarrier, (MPI_Comm a, MPI_Request* b), (a, b))
FAILING(Ibcast, (void* a, int b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request* f), (a, b, c, d, e, f))
FAILING(Iallreduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f, MPI_Request* g),
        (a, b, c, d, e, f, g))
FAILING(Iallgather, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, MPI_Comm g, MPI_Request* h),
        (a, b, c, d, e, f, g, h))
FAILING(Ineighbor_alltoallv,
        (const void* a, const int b[], const int c[], MPI_Datatype d, void* e, const int f[], const int g[],
         MPI_Datatype h, MPI_Comm i, MPI_Request* j),
        (a, b, c, d, e, f, g, h, i, j))
FAILING(Ineighbor_alltoallw,
        (const void* a, const int b[], const MPI_Aint c[], const MPI_Datatype d[], void* e, const int f[],
         const MPI_Aint g[], const MPI_Datatype h[], MPI_Comm i, MPI_Request* j),
        (a, b, c, d, e, f, g, h, i, j))
FAILING(Comm_dup, (MPI_Comm a, MPI_Comm* b), (a, b))
FAILING(Comm_split, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d))
FAILING(Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm* e), (a, b, c, d, e))
FAILING(Comm_free, (MPI_Comm * a), (a))
FAILING(Win_allocate, (MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void* e, MPI_Win* f), (a, b, c, d, e, f))
FAILING(Win_create_dynamic, (MPI_Info a, MPI_Comm b, MPI_Win* c), (a, b, c))
FAILING(Win_attach, (MPI_Win a, void* b, MPI_Aint c), (a, b, c))
FAILING(Win_lock_all, (int a, MPI_Win b), (a, b))
FAILING(Win_flush, (int a, MPI_Win b), (a, b))
FAILING(Put, (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h),
        (a, b, c, d, e, f, g, h))
FAILING(Rget, (void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h, MPI_Request* i),
        (a, b, c, d, e, f, g, h, i))

using namespace lapwing;

namespace {

// The actions of a model: fields, a step, a plain exchange, a gather.
void work() {
    Domain domain(MPI_COMM_WORLD, {12, 8}, periodic_x);
    Field<double> u(domain, "u"), v(domain, "v");
    const auto spread = [](Box box, View<double> to, View<const double> from) {
        for (Index j = box.lo[1]; j < box.hi[1]; ++j)
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) to(i, j) = from(i - 1, j) + from(i + 1, j) + 1.0;
    };
    Step step(
        domain,
        {stage("there", spread, writes(v), reads(u, cross(1))), stage("back", spread, writes(u), reads(v, cross(1)))},
        {.strategy = "dataflow", .transport = testing::transport()});
    step.run(4);
    const AnyField* const fields[] = {u.field().get(), v.field().get()};
    Exchange exchange(domain, fields, {.transport = testing::transport()});
    for (int n = 0; n < 3; ++n) exchange.run();
    static_cast<void>(u.gather());
    domain.close();
}

}  // namespace

int main(int count, char** words) {
    const int rank = count > 3 ? std::atoi(words[1]) : 0;
    const long asked = count > 3 ? std::atol(words[3]) : 0;
    if (count > 3) failing = words[2];
    return run_main(count, words, [&] {
        static_cast<void>(testing::transport());
        int here = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &here);
        number = here == rank ? asked : 0;
        work();
        number = -1;
        if (here != 0) return;
        for (const auto& [name, times] : calls) std::cout << "calls: " << name << ' ' << times << '\n';
    });
}
