// A team calls its work once in each thread, as often as it is told to, whether threads sleep in between or not.
#include "base/thread_team.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace lapwing;

TEST_CASE("each thread of a team works once in each run, and all have ended before the next") {
    for (const int threads : {1, 2, 4}) {
        for (const int spins : {0, 200}) {
            ThreadTeam team(threads, spins);
            REQUIRE(team.threads() == threads);
            std::vector<int> calls(threads, 0);  // each thread writes its own alone
            int all = 0;
            for (int run = 0; run < 500; ++run) {
                team.run([&](int thread) { ++calls[thread]; });
                for (const int count : calls) all += count == run + 1 ? 1 : 0;
                if (run % 100 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            REQUIRE(all == 500 * threads);
        }
    }
}

TEST_CASE("a signal that rises between the look and the wait is not missed") {
    ThreadTeam team(2, 0);
    Signal there, back;
    std::atomic<int> number{0};
    team.run([&](int thread) {
        for (int n = 0; n < 2000; ++n) {
            const std::uint32_t seen = (thread == 0 ? back : there).seen();
            if (thread == 0) {
                number = n + 1;
                there.raise();
                while (number > 0) back.wait(seen), std::this_thread::yield();
            } else {
                if (number == 0) there.wait(seen);
                while (number == 0) std::this_thread::yield();
                number = 0;
                back.raise();
            }
        }
    });
    REQUIRE(there.seen() == 2000);
    REQUIRE(back.seen() == 2000);
}
