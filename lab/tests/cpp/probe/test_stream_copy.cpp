// Copies that are measured: every value arrives, by every loop, and what is counted is what moves.
#include "probe/stream_copy.hpp"

#include <catch2/catch.hpp>

#include "lapwing/base/error.hpp"

using namespace lapwing;
using namespace lapwing::probe;

TEST_CASE("every loop copies every value") {
    for (const int arrays : {1, 19}) {
        for (const Index values : {1, 1000, 12345}) {
            for (const bool huge : {false, true}) {
                StreamCopy copy(arrays, values, huge);
                for (const CopyLoop loop :
                     {CopyLoop::literal, CopyLoop::blocked, CopyLoop::pieces, CopyLoop::nontemporal}) {
                    if (loop == CopyLoop::nontemporal && !has_nontemporal_stores()) continue;
                    CAPTURE(arrays, values, huge, static_cast<int>(loop));
                    REQUIRE(copy.wrong_values() == arrays * copy.values());  // of what was forgotten
                    REQUIRE(copy.run(loop) >= 0.0);
                    REQUIRE(copy.wrong_values() == 0);
                }
            }
        }
    }
}

TEST_CASE("arrays lie in different sets of a cache") {
    const StreamCopy copy(19, 4096, false);
    REQUIRE(copy.values() >= 4096);
    REQUIRE(copy.values() % 8 == 0);
    REQUIRE(copy.values() / 8 % 2 == 1);
    REQUIRE(copy.bytes() == 8 * copy.values());
}

TEST_CASE("what is written is read first, except for stores that pass the caches") {
    REQUIRE(StreamCopy::moved_arrays(CopyLoop::literal, 1) == 3.0);
    REQUIRE(StreamCopy::moved_arrays(CopyLoop::blocked, 19) == 57.0);
    REQUIRE(StreamCopy::moved_arrays(CopyLoop::nontemporal, 19) == 38.0);
}

TEST_CASE("what cannot be copied is refused") {
    REQUIRE_THROWS_AS(StreamCopy(2, 100, false), UserError);
    REQUIRE_THROWS_AS(StreamCopy(1, 0, false), UserError);
    REQUIRE_THROWS_AS(StreamCopy(1, Index{1} << 40, false), UserError);
    REQUIRE_THROWS_AS(copy_loop_of("fast"), UserError);
}
