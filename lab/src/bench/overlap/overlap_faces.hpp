#pragma once
// The faces of a rank in a row along y, packed and unpacked by hand, and a step that hides their way by hand.

#include <vector>

#include "overlap/overlap_method.hpp"

namespace lapwing::bench {

// One neighbour: the cells that it gets, and the place of the cells that it sends.
struct Face {
    int peer = 0;
    Box sent, received;
    std::vector<double> out, in;
};

// The overlap that a modeller writes by hand: messages posted, the interior computed, messages awaited, the edges
// computed.
class FaceOverlap : public OverlapMethod {
  public:
    // `tiles` of the interior, with progress polled between them. Local.
    FaceOverlap(const Domain& domain, const OverlapWork& work, int tiles = 1);

  protected:
    // The neighbours of the row, none beyond its ends.
    std::vector<Face>& faces() { return faces_; }

  private:
    void steps(int count, const BeforeEach& before_each) final;
    void step();
    void communicate() final;
    // Begins to receive into all faces, which comes first, and to send one.
    virtual void receive() {}
    virtual void send(std::size_t face) = 0;
    virtual void poll() {}
    virtual void wait() = 0;

    void start(AnyField& field);
    void finish(AnyField& field);

    std::vector<Face> faces_;
    std::vector<Box> tiles_;  // of the owned cells that no neighbour's cells are needed for
};

}  // namespace lapwing::bench
