// The protocol of shared memory between two ranks, with threads as ranks: also run under the thread sanitizer,
// which no MPI survives.
#include "transport/shared/edge.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace lapwing;

namespace {

// Zeroed memory of an edge, as a new window has it.
struct Memory {
    int slots;
    Index slot_bytes;
    std::vector<EdgeMemory> lines;  // of 128 bytes

    Memory(int slots_, Index slot_bytes_)
        : slots(slots_), slot_bytes(slot_bytes_), lines((edge_bytes(slots, slot_bytes) + 127) / 128) {}
    std::byte* data() { return reinterpret_cast<std::byte*>(lines.data()); }
    SendingEnd sender() { return {data(), slots, slot_bytes}; }
    ReceivingEnd receiver() { return {data(), slots, slot_bytes}; }
};

template <class Ready>
void wait_for(Ready&& ready) {
    while (!ready()) std::this_thread::yield();
}

// A message that shows when part of it belongs to another: one number throughout.
void fill(std::byte* slot, Index bytes, std::uint64_t number) {
    for (Index at = 0; at < bytes; at += 8) std::memcpy(slot + at, &number, 8);
}

bool holds(const std::byte* slot, Index bytes, std::uint64_t number) {
    for (Index at = 0; at < bytes; at += 8) {
        std::uint64_t value = 0;
        std::memcpy(&value, slot + at, 8);
        if (value != number) return false;
    }
    return true;
}

constexpr std::uint64_t many = 200'000;

}  // namespace

TEST_CASE("a new edge is empty, and credit ends with the slots") {
    Memory memory(2, 64);
    SendingEnd sender = memory.sender();
    ReceivingEnd receiver = memory.receiver();
    REQUIRE(!receiver.arrived());
    REQUIRE(sender.drained());
    for (int n = 0; n < 2; ++n) {
        REQUIRE(sender.credit());
        fill(sender.slot(), 64, static_cast<std::uint64_t>(n));
        sender.publish();
    }
    REQUIRE(!sender.credit());
    REQUIRE(!sender.drained());
    for (int n = 0; n < 2; ++n) {
        REQUIRE(receiver.arrived());
        REQUIRE(holds(receiver.slot(), 64, static_cast<std::uint64_t>(n)));
        receiver.consume();
        REQUIRE(sender.credit());
    }
    REQUIRE(!receiver.arrived());
    REQUIRE(sender.drained());
}

TEST_CASE("a sender that gets nothing back overwrites nothing") {
    for (int slots : {1, 2, 4}) {
        Memory memory(slots, 256);
        std::thread sending([&] {
            SendingEnd sender = memory.sender();
            for (std::uint64_t n = 1; n <= many; ++n) {
                wait_for([&] { return sender.credit(); });
                fill(sender.slot(), 256, n);
                sender.publish();
            }
        });
        ReceivingEnd receiver = memory.receiver();
        std::uint64_t wrong = 0;
        for (std::uint64_t n = 1; n <= many; ++n) {
            wait_for([&] { return receiver.arrived(); });
            wrong += holds(receiver.slot(), 256, n) ? 0 : 1;
            receiver.consume();
        }
        sending.join();
        REQUIRE(wrong == 0);
    }
}

TEST_CASE("memory that is read in place is written again only when it was read") {
    Memory memory(1, 0);
    std::vector<std::uint64_t> field(512);
    std::thread owner([&] {
        SendingEnd sender = memory.sender();
        for (std::uint64_t n = 1; n <= many / 10; ++n) {
            std::ranges::fill(field, n);
            sender.publish();
            wait_for([&] { return sender.drained(); });
        }
    });
    ReceivingEnd receiver = memory.receiver();
    std::uint64_t wrong = 0;
    for (std::uint64_t n = 1; n <= many / 10; ++n) {
        wait_for([&] { return receiver.arrived(); });
        wrong += static_cast<std::uint64_t>(std::ranges::count(field, n) == 512 ? 0 : 1);
        receiver.consume();
    }
    owner.join();
    REQUIRE(wrong == 0);
}

TEST_CASE("ranks in a ring exchange with both neighbours, round after round") {
    constexpr std::size_t ranks = 4;
    constexpr std::uint64_t rounds = 20'000;
    std::vector<std::unique_ptr<Memory>> up, down;  // edges from rank r to r + 1, and to r - 1
    for (std::size_t r = 0; r < ranks; ++r) {
        up.push_back(std::make_unique<Memory>(2, 128));
        down.push_back(std::make_unique<Memory>(2, 128));
    }
    std::vector<std::uint64_t> wrong(ranks);
    std::vector<std::thread> threads;
    for (std::size_t r = 0; r < ranks; ++r) {
        threads.emplace_back([&, r] {
            const std::size_t above = (r + 1) % ranks, below = (r + ranks - 1) % ranks;
            SendingEnd send[] = {up[r]->sender(), down[r]->sender()};
            ReceivingEnd receive[] = {up[below]->receiver(), down[above]->receiver()};
            const std::uint64_t from[] = {below, above};
            for (std::uint64_t n = 0; n < rounds; ++n) {
                for (SendingEnd& end : send) {
                    wait_for([&] { return end.credit(); });
                    fill(end.slot(), 128, n * ranks + r);
                    end.publish();
                }
                for (int side = 0; side < 2; ++side) {
                    wait_for([&] { return receive[side].arrived(); });
                    wrong[r] += holds(receive[side].slot(), 128, n * ranks + from[side]) ? 0 : 1;
                    receive[side].consume();
                }
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(wrong == std::vector<std::uint64_t>(ranks));
}
