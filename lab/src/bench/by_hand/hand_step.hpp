#pragma once
// The stages of a step with communication written by hand, as a model does that owns its exchanges (GETM does): after
// a stage the halos of each field that it wrote are updated, a message per field and neighbour, and waited for.

#include <functional>
#include <vector>

#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/message_plan.hpp"
#include "lapwing/step/step.hpp"

namespace lapwing::bench {

class HandStep {
  public:
    // Takes over a step whose fields have memory, and which no longer runs. Fills all halos. Collective; throws
    // UserError for stages that write into halos.
    HandStep(Domain& domain, const Step& step);
    // Runs so many steps, each after a call of `before_each`. Collective.
    void run(int steps, const std::function<void()>& before_each);

  private:
    // The messages to, or from, one rank.
    struct Message {
        int peer = 0;
        std::vector<Piece> pieces;
        std::vector<std::byte> buffer;
    };
    // The halo of one field, as wide as any stage reads it.
    struct Halo {
        AnyField* field = nullptr;
        int tag = 0;
        std::vector<Message> sends, receives;
        std::vector<Piece> copies;  // within the rank
        std::vector<MPI_Request> requests;
    };
    // A stage, and the halos that are updated after it.
    struct Loop {
        const Stage* stage = nullptr;
        std::vector<std::size_t> halos;
    };

    [[nodiscard]] Halo halo_of(AnyField& field, const Extent& extent, int tag) const;
    [[nodiscard]] std::vector<Loop> loops_of(const Stages& stages) const;
    void run_once();
    void run_stage(const Stage& stage) const;
    void update(Halo& halo);

    Domain& domain_;
    std::vector<Halo> halos_;
    std::vector<std::vector<Loop>> cycle_;
    std::size_t position_ = 0;
};

}  // namespace lapwing::bench
