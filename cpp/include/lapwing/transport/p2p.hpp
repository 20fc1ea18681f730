#pragma once
// Transport p2p: MPI_Isend and MPI_Irecv of packed messages, unpacked in order of arrival.

#include "lapwing/transport/channel.hpp"

namespace lapwing {

class P2pChannel final : public Channel {
  public:
    P2pChannel(MPI_Comm comm, int tag, BoundPlan plan);
    ~P2pChannel() override;  // of an unfinished exchange: leaves its buffers to MPI

    void start() override;
    [[nodiscard]] bool test() override;
    [[nodiscard]] std::vector<int> missing() const override;
    [[nodiscard]] Index buffer_bytes() const override;

  private:
    // Buffers and requests of one phase, made once.
    struct PhaseState {
        std::vector<std::byte*> send_buffers, receive_buffers;
        std::vector<MPI_Request> requests;  // receives first, then sends
        std::vector<int> arrived;           // scratch of MPI_Testsome
        std::size_t pending = 0;            // requests not completed yet
    };

    void start_phase();
    void unpack_message(std::size_t message);
    void finish_phase();

    MPI_Comm comm_;
    int tag_;
    BoundPlan plan_;
    std::vector<std::byte> buffer_;
    std::vector<PhaseState> state_;
    std::size_t phase_ = 0;
};

}  // namespace lapwing
