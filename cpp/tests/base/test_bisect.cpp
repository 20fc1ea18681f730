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

TEST_CASE("a search from any guess finds what halving finds, and looks little where the guess is right") {
    for (std::int64_t last = -1; last < 30; ++last) {
        for (std::int64_t answer = -2; answer <= last + 1; ++answer) {
            for (std::int64_t guess = -4; guess <= last + 3; ++guess) {
                int looked = 0;
                const auto holds = [&](std::int64_t number) {
                    REQUIRE(number >= -2);
                    REQUIRE(number < last);
                    ++looked;
                    return number >= answer;
                };
                REQUIRE(first_that_near(guess, -2, last, holds) ==
                        std::clamp<std::int64_t>(answer, -2, std::max<std::int64_t>(last, -2)));
                if (guess == answer) REQUIRE(looked <= 2);
            }
        }
    }
}
