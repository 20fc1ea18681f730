#pragma once
// The host: what the library needs of the machine that MPI runs on. A simulator of machines links definitions of its
// own (lab/simulate/src/host.cpp) in the place of cpp/src/base/host.cpp; nothing else in the library knows of it.

#include <cstdint>
#include <string_view>

namespace lapwing {

// The questions that the library asks the machine under its ranks, and what it tells the machine. All are local.
struct Host {
    Host() = delete;

    // A feature that MPI may offer on a machine.
    enum class Facility { shared_memory, windows, graphs, background_collectives };
    // Returns why ranks here lack it whatever their MPI and their rights; empty: they have it. Local.
    static std::string_view lacks(Facility facility);

    // Called when a wait begins. Local.
    static void begin_wait();
    // Returns the number of polls of a wait before it lets others run, where ranks have a core each. Local.
    static int polls();
    // Called between polls without result: ranks may share cores. Returns true if time has passed for certain, so that
    // MPI needs no call of its own. Local.
    static bool let_others_run();

    // Called for each copy between fields and messages, of `bytes` bytes in contiguous rows. Local.
    static void note_copy(std::int64_t bytes, std::int64_t rows);
    // Called for work outside kernels on rows of that many cells, which costs what a stage of that name does. Local.
    static void note_work(const char* stage, std::int64_t rows, std::int64_t cells);
};

}  // namespace lapwing
