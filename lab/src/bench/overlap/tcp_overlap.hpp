#pragma once
// The ceiling: the same messages through plain TCP sockets, moved by the kernel alone while the interior is computed.

#include "overlap/overlap_faces.hpp"

namespace lapwing::bench {

// A connection to another rank. What is sent goes on in the kernel, while this process computes, as far as the
// kernel's buffers reach.
class TcpLink {
  public:
    // Takes a connected socket that does not block.
    explicit TcpLink(int socket) : socket_(socket) {}
    ~TcpLink();
    TcpLink(TcpLink&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
    TcpLink& operator=(TcpLink&&) = delete;

    // Begins to send and to receive; the memory must stay. Local, does not block; throws OutsideError.
    void start(Face& face);
    // Moves on what the kernel takes and has; true when all is sent and has arrived. Local, does not block.
    bool move();

  private:
    int socket_;
    const std::byte* out_ = nullptr;
    std::byte* in_ = nullptr;
    std::size_t to_send_ = 0, to_receive_ = 0;
};

class TcpOverlap final : public FaceOverlap {
  public:
    // Takes connected sockets to the rank before and the one after, as far as there are such. Local.
    TcpOverlap(const Domain& domain, const OverlapWork& work, const std::vector<int>& sockets)
        : FaceOverlap(domain, work), links_(sockets.begin(), sockets.end()) {}

  private:
    void send(std::size_t face) override { links_[face].start(faces()[face]); }
    // It looks again and again, as MPI libraries do: a process that sleeps may wake on the core of another rank. Throws
    // OutsideError when nothing comes.
    void wait() override;

    std::vector<TcpLink> links_;  // of the faces
};

}  // namespace lapwing::bench
