#pragma once
// The moving end of one exchange: its phases one after the other, each by the legs of a transport.

#include <memory>
#include <vector>

#include "lapwing/memory/bound_plan.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/transport/leg.hpp"
#include "lapwing/transport/own_copies.hpp"

namespace lapwing {

// Legs of one phase, and which receives of the phase each of them brings.
struct PhaseLegs {
    struct Part {
        std::unique_ptr<Leg> leg;
        std::vector<int> receives;  // number in the leg -> number in the phase
    };
    std::vector<Part> parts;
};

// Runs the phases of a plan. Local calls; every neighbour must make them too.
class Channel final : public Moving {
  public:
    // `legs[p]` move the messages of phase p of the plan; they are connected. Local.
    Channel(const BoundPlan& plan, std::vector<PhaseLegs> legs);
    ~Channel() override;  // of an unfinished exchange: leaves its buffers to MPI

    // Posts what may travel now and never blocks. Not to be called again before `test` was true.
    void start();
    // Moves on whatever can move; true when everything has arrived and all memory is free again.
    [[nodiscard]] bool test() override;
    // Phases that are over: their halos are filled, and what they sent is free. All of them when it has finished.
    // Local.
    [[nodiscard]] int phases_done() const { return static_cast<int>(phase_); }
    // Ranks whose messages are still missing, for the message of a watchdog.
    [[nodiscard]] std::vector<int> missing() const;
    // Ranks that have not taken what was sent to them, likewise.
    [[nodiscard]] std::vector<int> unsent() const;
    // Bytes of message buffers held.
    [[nodiscard]] Index buffer_bytes() const;
    // Notes from now on when it packs and unpacks; the timeline outlives that. Local.
    void draw(TimelineEntry entry) { drawn_ = entry; }

  private:
    struct PhaseState {
        PhaseLegs legs;
        std::vector<int> peers;  // of each receive
        OwnCopies copies;
        std::vector<Leg*> leg_of;        // of each receive
        std::vector<int> number_in_leg;  // of each receive
        std::vector<char> arrived;       // of each receive
        std::vector<int> news;           // scratch of poll
        int waiting_for = 0;             // receives that have not come
        bool received = false;           // whether all have come and are where they belong
    };

    void start_phase();
    void deliver(Leg& leg, int number);
    bool finish_phase();
    [[nodiscard]] bool receive();
    void deliver_in_order();

    std::vector<PhaseState> phases_;
    bool in_order_;
    std::vector<std::shared_ptr<void>> keep_;  // the memory that the legs move
    std::size_t phase_;                        // the one on its way; all: finished
    TimelineEntry drawn_;
};

}  // namespace lapwing
