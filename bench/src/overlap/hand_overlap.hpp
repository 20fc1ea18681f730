#pragma once
// What a modeller writes by hand: messages posted, the interior computed, messages awaited, the edges computed.

#include <mpi.h>

#include "overlap/overlap_faces.hpp"
#include "overlap/overlap_method.hpp"

namespace lapwing::bench {

struct HandOverlapOptions {
    bool buffered = false;  // MPI_Ibsend instead of MPI_Isend
    int tiles = 1;          // of the interior; progress is polled between them
    Index chunk_bytes = 0;  // longer messages are sent as several of at most so many bytes; 0: never
};

class HandOverlap final : public OverlapMethod {
  public:
    // Local. `buffered`: attaches MPI's buffer, which there may be one of in a process, until `close`.
    HandOverlap(const Domain& domain, const OverlapWork& work, const HandOverlapOptions& options);
    void step(bool another_follows) override;
    void communicate() override;
    void close() override;

  private:
    void post(Field& field);
    void post(Face& face, double* buffer, bool sends);
    void finish(Field& field);

    MPI_Comm comm_;
    HandOverlapOptions options_;
    std::vector<Face> faces_;
    Split parts_;
    std::vector<Box> tiles_;
    std::vector<MPI_Request> requests_;
    std::vector<std::byte> attached_;
};

}  // namespace lapwing::bench
