// The protocol of shared memory under load: edge_stress EXCHANGES [SECONDS]. Two threads as ranks exchange messages of
// eight bytes over a pair of edges, with 1, 2 and 4 slots and in place; any number that comes wrong ends it. Run by
// `make stress`.
#include "transport/shared/edge.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace lapwing;

namespace {

using Clock = std::chrono::steady_clock;
using Number = std::uint64_t;

constexpr Index slot_bytes = 64;

// Spins first: whom it waits for runs on the other core, unless there is none.
template <class Ready>
void wait_for(const Ready& ready) {
    for (int spin = 0; !ready(); ++spin)
        if (spin > 2000) std::this_thread::yield(), spin = 0;
}

struct Edge {
    int slots;
    std::vector<EdgeMemory> lines;
    alignas(64) Number field = 0;  // what is read in place

    explicit Edge(int slots_) : slots(slots_), lines(1 + static_cast<std::size_t>(slots_)) {}
    std::byte* data() { return reinterpret_cast<std::byte*>(lines.data()); }
    SendingEnd sender() { return {data(), slots, slot_bytes}; }
    ReceivingEnd receiver() { return {data(), slots, slot_bytes}; }
};

void send(SendingEnd& end, Edge& edge, Number number) {
    if (edge.slots == 0) {  // in place
        wait_for([&] { return end.drained(); });
        edge.field = number;
    } else {
        wait_for([&] { return end.credit(); });
        std::memcpy(end.slot(), &number, sizeof number);
    }
    end.publish();
}

Number receive(ReceivingEnd& end, Edge& edge) {
    wait_for([&] { return end.arrived(); });
    Number number = edge.field;
    if (edge.slots != 0) std::memcpy(&number, end.slot(), sizeof number);
    end.consume();
    return number;
}

struct Outcome {
    Number exchanges = 0, wrong = 0;
};

// One rank: sends and receives until `stop` or the last exchange, which rank 0 names by a message of 0.
Outcome run(int rank, Edge& out, Edge& in, Number exchanges, Clock::time_point until) {
    SendingEnd sending = out.sender();
    ReceivingEnd receiving = in.receiver();
    Outcome outcome;
    for (Number n = 1;; ++n) {
        const bool last = rank == 0 && (n > exchanges || (n % 4096 == 0 && Clock::now() > until));
        send(sending, out, last ? 0 : 2 * n + static_cast<Number>(rank));
        const Number got = receive(receiving, in);
        if (last || (rank == 1 && got == 0)) return outcome;
        ++outcome.exchanges;
        outcome.wrong += got == 2 * n + static_cast<Number>(1 - rank) ? 0 : 1;
    }
}

}  // namespace

int main(int count, char** words) {
    const Number all = count > 1 ? static_cast<Number>(std::atof(words[1])) : 1'000'000;
    const double seconds = count > 2 ? std::atof(words[2]) : 1e6;
    Number done = 0, wrong = 0;
    const auto began = Clock::now();
    for (const int slots : {1, 2, 4, 0}) {
        Edge up(slots), down(slots);
        const auto from = Clock::now();
        const auto until =
            from + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds / 4));
        Outcome theirs;
        std::thread other([&] { theirs = run(1, down, up, all / 4, until); });
        const Outcome mine = run(0, up, down, all / 4, until);
        other.join();
        const double took = std::chrono::duration<double>(Clock::now() - from).count();
        std::cout << (slots == 0 ? std::string("in place") : std::to_string(slots) + " slots") << ": " << mine.exchanges
                  << " exchanges, " << mine.wrong + theirs.wrong << " wrong, " << took << " s" << std::endl;
        done += mine.exchanges;
        wrong += mine.wrong + theirs.wrong;
    }
    std::cout << "stress: " << done << " exchanges, " << wrong << " wrong, "
              << std::chrono::duration<double>(Clock::now() - began).count() << " s\n";
    return wrong == 0 && done > 0 ? 0 : 1;
}
