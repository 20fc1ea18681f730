#pragma once
// The messages of a step that is written by hand, by MPI.

#include "overlap/overlap_faces.hpp"

namespace lapwing::bench {

struct HandOverlapOptions {
    bool buffered = false;  // MPI_Ibsend instead of MPI_Isend
    int tiles = 1;          // of the interior; progress is polled between them
    Index chunk_bytes = 0;  // longer messages are sent as several of at most so many bytes; 0: never
};

class HandOverlap final : public FaceOverlap {
  public:
    // Local. `buffered`: attaches MPI's buffer, which there may be one of in a process, until `close`.
    HandOverlap(const Domain& domain, const OverlapWork& work, const HandOverlapOptions& options);
    void close() override;

  private:
    void receive() override;
    void send(std::size_t face) override;
    void poll() override;
    void wait() override;
    void post(const Face& face, double* buffer, bool sends);

    MPI_Comm comm_;
    HandOverlapOptions options_;
    std::vector<MPI_Request> requests_;
    std::vector<std::byte> attached_;
};

}  // namespace lapwing::bench
