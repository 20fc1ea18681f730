// The host of the library where it is simulated, in the place of cpp/src/base/host.cpp.

#include "lapwing/base/host.hpp"

#include "costs/charge.hpp"
#include "costs/packing.hpp"
#include "costs/polled.hpp"

using lapwing_simulate::Meter;
using lapwing_simulate::Polled;

namespace lapwing {

std::string_view Host::lacks(Facility facility) {
    switch (facility) {
        case Facility::shared_memory:
            return "simulated ranks share no memory";
        case Facility::windows:
            return "SimGrid's SMPI has no MPI_Win_sync";
        case Facility::graphs:
            return "SimGrid's SMPI has no distributed graphs";
        case Facility::background_collectives:
            return "simulated ranks have no all-to-all in the background";
    }
    return {};
}

void Host::begin_wait() { Polled::here().forget(); }
int Host::polls() { return 1; }
bool Host::let_others_run() { return Polled::here().wait_for_one(); }

void Host::note_copy(std::int64_t bytes, std::int64_t rows) { lapwing_simulate::charge_copy(bytes, rows); }

void Host::note_work(const char* stage, std::int64_t rows, std::int64_t cells) {
    if (Meter* meter = Meter::of_this_rank(); meter != nullptr)
        meter->charge(stage, static_cast<double>(rows * cells), static_cast<double>(rows));
}

}  // namespace lapwing
