// Message tags: as many as MPI promises, given back by those that are gone.
#include "lapwing/mpi/tags.hpp"

#include <catch2/catch.hpp>

#include <set>
#include <vector>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "world.hpp"

using namespace lapwing;
using namespace lapwing::testing;

TEST_CASE("tags are the same on all ranks and come back, those that any rank still holds do not") {
    Domain domain(MPI_COMM_WORLD, {8, 6});
    std::vector<Tag> kept;
    std::set<int> held;
    for (int n = 0; n < 70000; ++n) {
        Tag tag = domain.next_tag();
        if (n % 1000 == 0) require_same(domain.comm(), "tag", std::to_string(tag.number()));
        REQUIRE(tag.number() < Tags::most);
        REQUIRE(held.count(tag.number()) == 0);
        if (n % 700 != 0) continue;
        held.insert(tag.number());
        // one rank alone drops late, and one message may still come
        if (n % 1400 == 0 || domain.rank() == 0) kept.push_back(std::move(tag));
    }
    domain.close();
}

TEST_CASE("a spoiled tag is never given again, and more than there are is refused") {
    Domain domain(MPI_COMM_WORLD, {8, 6});
    Tag lost = domain.next_tag();
    const int number = lost.number();
    if (domain.rank() == 0) lost.spoil();
    lost = Tag();
    std::vector<Tag> all;
    for (int n = 0; n < Tags::most - 1; ++n) {
        all.push_back(domain.next_tag());
        REQUIRE(all.back().number() != number);
    }
    REQUIRE_THROWS_WITH(domain.next_tag(), Catch::Contains("exchanges on one domain: got more than 32766"));
    all.clear();
    for (int n = 0; n < 40000; ++n) REQUIRE(domain.next_tag().number() != number);
    domain.close();
}
