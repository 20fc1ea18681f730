#pragma once
// Objects that are collective to make and to free, and are therefore leased to legs and reused: communicators and
// windows.

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

// True if it is true on all ranks. Collective, one reduction.
inline bool on_all_ranks(bool here, MPI_Comm comm) {
    return reduced(comm, here ? 1 : 0, MPI_MIN, "the ranks' agreement on what an exchange may use") != 0;
}

// A lease ends when its pointer is released, which a destructor may do at any time, on some ranks earlier than on
// others; the ranks agree on what is free when one needs it.
template <class Thing>
class Pool {
  public:
    // Returns the first thing that no lease holds and that fits, on all ranks; null: none. Collective, one reduction.
    template <class Fits>
    std::shared_ptr<Thing> lease(MPI_Comm comm, Fits&& fits) const {
        std::vector<int> free;
        for (const auto& thing : things_) free.push_back(thing.use_count() == 1 && fits(*thing) ? 1 : 0);
        free = reduced(comm, std::move(free), MPI_MIN, "the ranks' agreement on what is free");
        for (std::size_t n = 0; n < free.size(); ++n) {
            if (free[n] != 0) return things_[n];
        }
        return nullptr;
    }
    // Throws UserError if it holds `most` things; `what` names them in the message. The same on all ranks.
    void require_room(std::size_t most, const char* what) const {
        if (things_.size() < most) return;
        user_error(concat(what, " of one domain"), most + 1, concat("at most ", most),
                   "make fewer exchanges at a time, or choose p2p");
    }
    // Takes a thing that all ranks have just made.
    void add(std::shared_ptr<Thing> thing) { things_.push_back(std::move(thing)); }

    // Returns why such things do not work with this MPI, found by a trial; empty: no trial has failed.
    std::string trouble;

  private:
    std::vector<std::shared_ptr<Thing>> things_;
};

}  // namespace lapwing
