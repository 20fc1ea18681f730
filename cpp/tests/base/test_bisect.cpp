// The first number that holds, found by halving, and by doubling steps first.
#include "base/bisect.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace lapwing;

TEST_CASE("doubling steps find what halving finds, and look at a small answer only a few times") {
    for (std::int64_t last = 0; last < 40; ++last) {
        for (std::int64_t answer = 0; answer <= last + 1; ++answer) {
            int looked = 0;
            const auto holds = [&](std::int64_t number) {
                REQUIRE(number < last);
                ++looked;
                return number >= answer;
            };
            const std::int64_t near = near_first_that(last, holds);
            const int near_looks = looked;
            REQUIRE(near == first_that(0, last, holds));
            REQUIRE(near == std::min(answer, last));
            if (answer == 0 && last > 0) REQUIRE(near_looks == 1);
        }
    }
}
