// A domain belongs to the thread that made it.
#include <catch2/catch.hpp>

#include <string>
#include <thread>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/domain.hpp"

using namespace lapwing;

namespace {

// The error that `act` throws in another thread; empty: none.
template <class Act>
std::string thrown_elsewhere(const Act& act) {
    std::string text;
    std::thread([&] {
        try {
            act();
        } catch (const UserError& error) {
            text = error.what();
        }
    }).join();
    return text;
}

}  // namespace

TEST_CASE("another thread is refused, and so is a domain that it makes without MPI's consent") {
    Domain domain(MPI_COMM_WORLD, {8, 6});
    CHECK_THAT(thrown_elsewhere([&] { static_cast<void>(domain.comm()); }),
               Catch::Contains("domain: got a call in another thread; expected calls in the thread that made it"));
    CHECK_THAT(thrown_elsewhere([&] { domain.close(); }), Catch::Contains("a call in another thread"));
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_SERIALIZED) {
        CHECK_THAT(thrown_elsewhere([&] { Domain other(MPI_COMM_SELF, {8, 6}); }),
                   Catch::Contains("thread of the domain: got one that did not initialise MPI"));
    }
    domain.close();
}
