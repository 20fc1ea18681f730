#pragma once
// The exchange by hand through a shared window of MPI-3, without messages: counters say what is there.

#include <memory>
#include <vector>

#include "exchange/hand/hand_exchange.hpp"
#include "exchange/method.hpp"
#include "exchange/shared_segments.hpp"

namespace lapwing::bench {

// Through slots: edges are packed into a slot of the sender's window, and unpacked from there. Slots alternate; as
// neighbours need each other in every round, the slot of the last but one has been read when a round begins.
class HandSlots final : public ArrayMethod {
  public:
    HandSlots(MPI_Comm comm, const ExchangeWork& work);  // collective; ranks must be on one node
    void exchange() override;
    void close() override { segments_.close(); }

  private:
    // The values that are read from the slots of one rank.
    struct Source {
        const std::atomic<Index>* sent;
        std::array<std::vector<StridedCopy>, 2> copies;  // of even and of odd rounds
    };
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }

    WorkArrays arrays_;
    HandPlan plan_;
    SharedSegments segments_;
    std::atomic<Index>* sent_;
    std::array<std::vector<Message>, 2> sends_;
    std::vector<Source> sources_;
    Index round_ = 0;
};

// In place: arrays lie in the window, and neighbours copy their edges straight into their own halos. Nobody goes on
// before all neighbours have read, as it may rewrite what they read.
class HandInPlace final : public ArrayMethod {
  public:
    HandInPlace(MPI_Comm comm, const ExchangeWork& work);  // collective; ranks must be on one node
    void exchange() override;
    void close() override { segments_.close(); }

  private:
    struct Source {
        const std::atomic<Index>*sent, *read;
        std::vector<StridedCopy> copies;
    };
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }

    SharedSegments segments_;
    WorkArrays arrays_;
    HandPlan plan_;
    std::atomic<Index>*sent_, *read_;
    std::vector<Source> sources_;
    Index round_ = 0;
};

}  // namespace lapwing::bench
