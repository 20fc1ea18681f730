#pragma once
// Plain TCP between neighbouring ranks, with room in the kernel for whole messages.

#include <cstddef>
#include <vector>

#include "lapwing/mpi/domain.hpp"

namespace lapwing::bench {

// A connection to another rank. What is sent goes on in the kernel, while this process computes, as far as the
// kernel's buffers reach.
class TcpLink {
  public:
    // Takes a connected socket.
    explicit TcpLink(int socket) : socket_(socket) {}
    ~TcpLink();
    TcpLink(TcpLink&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
    TcpLink& operator=(TcpLink&&) = delete;

    // Begins to send and to receive; the memory must stay. Local, does not block; throws OutsideError.
    void start(const std::byte* out, std::byte* in, std::size_t bytes);
    // Moves on what the kernel takes and has; true when all is sent and has arrived. Local, does not block.
    bool move();

  private:
    int socket_;
    const std::byte* out_ = nullptr;
    std::byte* in_ = nullptr;
    std::size_t to_send_ = 0, to_receive_ = 0;
};

// Links to these ranks, in their order, by the first address of a rank's machine that is no loopback, else by
// loopback. Collective; OutsideError on all ranks where they cannot reach each other within some seconds.
std::vector<TcpLink> connected(const Domain& domain, const std::vector<int>& peers);

// Moves on all of them until they are done. It looks again and again, as MPI libraries do: a process that sleeps may
// wake on the core of another rank. Local; throws OutsideError when nothing comes.
void finish(std::vector<TcpLink>& links);

}  // namespace lapwing::bench
