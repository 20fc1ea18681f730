#pragma once
// The exchange with messages as a modeller who knows MPI writes it by hand: lists of copies, buffers and requests are
// worked out beforehand.

#include <memory>
#include <vector>

#include "exchange/hand/hand_plan.hpp"
#include "exchange/method.hpp"

namespace lapwing::bench {

class HandExchange final : public ArrayMethod {
  public:
    // Combined: one message per neighbour rank, all fields and sides in it. Separate: one per field and direction, the
    // usual way. Chunked: the combined one in pieces below the size from which an MPI asks the receiver first; a piece
    // travels while the next is packed. Local.
    enum class Kind { combined, separate, chunked };
    HandExchange(MPI_Comm comm, const ExchangeWork& work, Kind kind);
    void exchange() override;

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }
    void finish(int requests);
    void unpack_as_they_arrive();

    WorkArrays arrays_;
    HandPlan plan_;
    bool chunked_, polls_ = false;
    std::shared_ptr<double> buffer_;
    std::vector<Message> sends_, receives_;
    std::vector<MPI_Request> requests_;
};

}  // namespace lapwing::bench
