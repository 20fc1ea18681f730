#pragma once
// The watchdog of a wait: LAPWING_WATCHDOG seconds without progress end the job, with a roll-call.

#include <mpi.h>

#include <chrono>
#include <string>

namespace lapwing {

// The answer of a rank to a roll-call.
enum class Occupation : char { waits = 'w', waits_for_server = 's', works = 'b' };

// Looks after one wait, from its construction on. When its time is over, it asks all ranks of the largest open domain
// what they are doing. Ranks that wait say for what and for whom; a rank that computes, is stopped or cut off says
// nothing. The job ends with the list of all ranks, unless a rank answers that it works, as a slow output server does:
// then the time begins again.
class Watchdog {
  public:
    explicit Watchdog(Occupation mine = Occupation::waits);

    // Looks once; call it again and again. `describe` says what this rank waits for, and for whom. Local, though it
    // sends and receives; does not return when the job ends.
    template <class Describe>
    void look(const Describe& describe) {
        look([](const void* object) -> std::string { return (*static_cast<const Describe*>(object))(); }, &describe);
    }
    void look(std::string (*call)(const void*), const void* describe);

  private:
    using Clock = std::chrono::steady_clock;
    [[nodiscard]] bool all_wait(const std::string& mine);

    Occupation mine_;
    Clock::time_point next_look_, due_;
};

// Answers ranks whose watchdogs ask; returns true if one did. For a rank that works between its waits. Local.
bool answer_roll_call(Occupation mine, const std::string& text);

// LAPWING_WATCHDOG, in seconds; 0: none. Throws UserError if it is no number. Local.
double watchdog_seconds();

// Communicators over which the roll is called: the communicators of the open domains. `close_roll` receives what is
// left of a former roll; `forget_roll` leaves MPI alone. Local.
void open_roll(MPI_Comm comm);
void close_roll(MPI_Comm comm);
void forget_roll(MPI_Comm comm);

}  // namespace lapwing
