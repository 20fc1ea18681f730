#pragma once
// The messages of a step that is written by hand, by MPI.

#include "overlap/overlap_faces.hpp"

namespace lapwing::bench {

class HandOverlap final : public FaceOverlap {
  public:
    // Local. `buffered` takes MPI_Ibsend instead of MPI_Isend, and attaches MPI's buffer, of which a process may have
    // only one, until `close`. `tiles` are tiles of the interior. Messages longer than `chunk_bytes` are sent as
    // several of at most that size; 0: never.
    HandOverlap(const Domain& domain, const OverlapWork& work, bool buffered, int tiles, Index chunk_bytes);
    void close() override;

  private:
    void receive() override;
    void send(std::size_t face) override;
    void poll() override;
    void wait() override;
    void post(const Face& face, double* buffer, bool sends);

    MPI_Comm comm_;
    bool buffered_;
    Index chunk_bytes_;
    std::vector<MPI_Request> requests_;
    std::vector<std::byte> attached_;
};

}  // namespace lapwing::bench
