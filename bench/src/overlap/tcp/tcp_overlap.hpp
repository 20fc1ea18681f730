#pragma once
// The ceiling: the same messages through plain TCP sockets, moved by the kernel alone while the interior is computed.

#include "overlap/overlap_faces.hpp"
#include "overlap/overlap_method.hpp"
#include "overlap/tcp/tcp_link.hpp"

namespace lapwing::bench {

class TcpOverlap final : public OverlapMethod {
  public:
    // Collective; OutsideError on all ranks where they cannot reach each other.
    TcpOverlap(const Domain& domain, const OverlapWork& work);
    void step(bool another_follows) override;
    void communicate() override;

  private:
    void start(Field& field);
    void finish(Field& field);

    std::vector<Face> faces_;
    Split parts_;
    std::vector<TcpLink> links_;  // of the faces
};

}  // namespace lapwing::bench
