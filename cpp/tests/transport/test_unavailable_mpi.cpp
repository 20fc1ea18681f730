// A transport that the machine or the MPI lacks: an error on all ranks by its name, and `auto` takes another one.
#include "lapwing/exchange/exchange.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "lapwing/mpi/agreement.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;
using Catch::Contains;

namespace {

bool broken = false;      // true if this MPI moves wrong numbers, or refuses what it declares
bool of_intel = false;    // true if it says that it is Intel's
bool two_copies = false;  // true if it keeps two copies of a window
int windows = 0;          // that have been made and not freed
std::vector<const std::byte*> attached;

// A process may open few more files, on one rank only, until the end of a block. The limit binds root too.
class FewFiles {
  public:
    FewFiles(bool here, rlim_t limit) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit low = before_;
        if (here) low.rlim_cur = limit;
        ::setrlimit(RLIMIT_NOFILE, &low);
    }
    ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

// The first number that the next file would get.
rlim_t next_file() {
    const int descriptor = ::open("/dev/null", O_RDONLY);
    ::close(descriptor);
    return static_cast<rlim_t>(descriptor);
}

bool last_rank(const World& world) { return world.rank() == world_size() - 1; }

// Everyone reads from the west; the last rank sends nothing.
World eastward() {
    return World(block_partition({{4 * world_size(), 4, 1}, {}}, {world_size(), 1, 1}),
                 std::vector{spec_of("u", Extent{{1, 0, 0}, {}})});
}

// Libraries open connections, which may be files, with the first messages.
void meet(World& world) {
    Exchange exchange(world.domain, pointers(world.fields), {.transport = "p2p"});
    run_and_check(world, world.fields, exchange);
}

// Returns the names of transports that this MPI has.
std::vector<std::string> those_here(const World& world, std::vector<std::string> names) {
    for (const Transport& one : transports()) {
        if (!one.unavailable(world.domain).empty()) std::erase(names, one.name);
    }
    return names;
}

// All ranks get the same text.
std::string refused(World& world, const std::string& transport) {
    try {
        Exchange exchange(world.domain, pointers(world.fields), {.transport = transport});
    } catch (const std::exception& error) {
        require_same(MPI_COMM_WORLD, "errors of the ranks", error.what());
        return error.what();
    }
    require_same(MPI_COMM_WORLD, "errors of the ranks", "none");
    return {};
}

void auto_takes_another(World& world, const std::string& than) {
    Exchange exchange(world.domain, pointers(world.fields), {.transport = "auto"});
    REQUIRE(exchange.transport() != than);
    for (int again = 0; again < 2; ++again) run_and_check(world, world.fields, exchange);
}

}  // namespace

// The tools interface of MPI: a program may put itself between the library and its callers.
extern "C" int MPI_Ineighbor_alltoallv(const void* sent, const int counts[], const int places[], MPI_Datatype type,
                                       void* got, const int got_counts[], const int got_places[], MPI_Datatype got_type,
                                       MPI_Comm comm, MPI_Request* request) {
    if (broken && type == MPI_INT) ++*static_cast<int*>(const_cast<void*>(sent));
    return PMPI_Ineighbor_alltoallv(sent, counts, places, type, got, got_counts, got_places, got_type, comm, request);
}

extern "C" int MPI_Get_library_version(char* text, int* length) {
    const int code = PMPI_Get_library_version(text, length);
    if (of_intel) *length = std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "Intel(R) MPI Library 2021.18.1");
    return code;
}

extern "C" int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win* window) {
    if (broken) return MPI_ERR_OTHER;
    ++windows;
    return PMPI_Win_create_dynamic(info, comm, window);
}

extern "C" int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* memory, MPI_Win* window) {
    ++windows;
    return PMPI_Win_allocate(bytes, unit, info, comm, memory, window);
}

extern "C" int MPI_Win_free(MPI_Win* window) {
    --windows;
    return PMPI_Win_free(window);
}

extern "C" int MPI_Win_get_attr(MPI_Win window, int key, void* value, int* found) {
    static int separate = MPI_WIN_SEPARATE;
    const int code = PMPI_Win_get_attr(window, key, value, found);
    if (two_copies && key == MPI_WIN_MODEL) *static_cast<int**>(value) = &separate;
    return code;
}

extern "C" int MPI_Win_attach(MPI_Win window, void* memory, MPI_Aint bytes) {
    attached.push_back(static_cast<const std::byte*>(memory));
    return broken ? MPI_ERR_OTHER : PMPI_Win_attach(window, memory, bytes);
}

TEST_CASE("ranks that cannot share memory have no transport shared") {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    FewFiles limit(rank == world_size() - 1, 200);
    World world = eastward();
    REQUIRE_THAT(world.domain.node().no_shared_memory(), Contains("may not map the memory of another"));
    REQUIRE_THAT(refused(world, "shared"),
                 Contains("transport: got shared, which is not available: a process may not map") &&
                     Contains("expected one of: p2p, persistent") && Contains("choose one of these, or auto"));
    auto_takes_another(world, "shared");
}

TEST_CASE("memory that cannot be shared when an exchange is made") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    World world = eastward();
    meet(world);
    FewFiles limit(world.rank() == 0, 200);
    REQUIRE(world.domain.node().no_shared_memory().empty());
    REQUIRE_THAT(refused(world, "shared"), Contains("rank 0: transport shared: got no memory; expected") &&
                                               Contains("that the ranks of a node can share; use the transport p2p"));
    auto_takes_another(world, "shared");
}

TEST_CASE("memory of a neighbour that cannot be mapped when an exchange is made") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    World world = eastward();
    meet(world);
    FewFiles limit(last_rank(world), next_file());
    const int last = world_size() - 1;
    REQUIRE_THAT(refused(world, "shared"),
                 Contains("rank " + std::to_string(last) + ": transport shared: cannot map") &&
                     Contains("of rank " + std::to_string(last - 1)) && Contains("use the transport p2p"));
    auto_takes_another(world, "shared");
}

TEST_CASE("neighbourhood collectives that move wrong numbers are found out when first used") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    World world = eastward();
    broken = world.rank() == 0;
    const std::string said = refused(world, "neighbor");
    broken = false;
    REQUIRE_THAT(
        said, Contains("neighbourhood collectives of this MPI give wrong numbers") && Contains("choose p2p, or auto"));
    for (const char* name : {"neighbor", "datatype"}) {  // for good, without another trial
        REQUIRE_THAT(refused(world, name), Contains(std::string(name) + ", which is not available: neighbourhood") &&
                                               Contains("one of: p2p, persistent, onesided"));
    }
    auto_takes_another(world, "neighbor");
    REQUIRE(refused(world, "onesided").empty());
}

TEST_CASE("Intel MPI has no transport pull, as requests of its gets end the program") {
    World world = eastward();
    of_intel = true;
    const std::string said = refused(world, "pull");
    const std::string others = refused(world, "direct") + refused(world, "onesided");
    of_intel = false;
    REQUIRE_THAT(said, Contains("pull, which is not available: requests of MPI_Rget end the program in Intel MPI") &&
                           Contains("one of: p2p, persistent") && !Contains("direct, pull"));
    REQUIRE(others.empty());
}

TEST_CASE("windows over fields that cannot be made, or take no memory on one rank") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;  // nothing to send, no window
    World world = eastward();
    for (const std::string& name : those_here(world, {"direct", "pull"})) {
        broken = true;
        Domain fresh(world.partition(), MPI_COMM_WORLD);
        const auto make = [&] { Exchange(fresh, pointers(world.fields), {.transport = name}); };
        REQUIRE_THROWS_WITH(make(), Contains("MPI_Win_create_dynamic fails") && Contains("choose p2p, or auto"));
        broken = false;
        make();                                          // not for good
        broken = world.rank() == 0 || last_rank(world);  // who sends and who receives
        REQUIRE_THROWS_WITH(make(), Contains("MPI_Win_attach fails for range 1 of 1") && Contains("choose p2p"));
        broken = false;
        Exchange exchange(fresh, pointers(world.fields), {.transport = name});
        for (int again = 0; again < 2; ++again) run_and_check(world, world.fields, exchange);
    }
}

TEST_CASE("windows of two copies are refused by all ranks, and freed") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;  // nothing to send, no window
    for (const std::string& name : those_here(eastward(), {"onesided", "direct", "pull"})) {
        const int before = windows;
        {
            World world = eastward();
            two_copies = last_rank(world);
            REQUIRE_THAT(refused(world, name),
                         Contains("rank " + std::to_string(world_size() - 1) + ": transport: got") &&
                             Contains("this MPI keeps two copies of a window"));
            two_copies = false;
            REQUIRE(windows == before + 1);
            REQUIRE(refused(world, name).empty());
        }
        REQUIRE(windows == before);
    }
}

TEST_CASE("windows hold what other ranks reach, and nothing else") {
    if (skipped_unless(world_size() > 1, "several ranks")) return;
    World world = eastward();
    const AnyField& from = world.fields[0];
    const AnyField to = world.field(from.spec());
    const AnyField *const sources[] = {&from}, *const targets[] = {&to};
    const MessagePlan plan = halo_plan(world.partition(), world.rank(), specs_of(sources));
    for (const std::string& name : those_here(world, {"direct", "pull"})) {
        const bool put = name == "direct";
        attached.clear();
        const Exchange exchange(world.domain, {plan, name}, sources, targets);
        const bool reached = put ? world.rank() > 0 : !last_rank(world);
        REQUIRE(attached.size() == (reached ? 1 : 0));
        if (reached) REQUIRE(attached[0] == (put ? to : from).blocks()[0].data);
    }
}

TEST_CASE("a name that no transport has") {
    World world = eastward();
    REQUIRE_THAT(refused(world, "pigeon"), Contains("transport: got pigeon; expected one of: p2p, persistent"));
}
