#pragma once
// The exchange by hand in two phases: along x, and then along y with the halos in x, so that corners need no messages.

#include <memory>
#include <vector>

#include "exchange/hand/hand_exchange.hpp"
#include "exchange/method.hpp"

namespace lapwing::bench {

class HandTwoPhase final : public ArrayMethod {
  public:
    HandTwoPhase(MPI_Comm comm, const ExchangeWork& work);  // local
    void exchange() override;

  private:
    struct Phase {
        std::vector<StridedCopy> wraps;  // where the axis is not cut
        std::vector<Message> sends, receives;
    };
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }
    [[nodiscard]] Box across(int axis) const;
    void add_messages(Phase& phase, int axis);
    void run_phase(Phase& phase);

    WorkArrays arrays_;
    bool polls_ = false;
    std::array<Phase, 2> phases_;
    std::vector<std::shared_ptr<double>> buffers_;
    std::vector<MPI_Request> requests_;
};

}  // namespace lapwing::bench
