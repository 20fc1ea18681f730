#pragma once
// The step as a modeller writes it by hand: before each stage the halos it needs by MPI_Isend and MPI_Irecv, then the
// interior, MPI_Waitall, and the edges. What the strategies are compared with.

#include <memory>
#include <vector>

#include "lapwing/memory/bound_plan.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/transport/packed_messages.hpp"

namespace lapwing_simulate {

inline constexpr const char* plain_method = "plain";  // its name next to those of strategies

class PlainStep {
  public:
    // Collective. Throws UserError for a grid that closes on itself or a rank with several boxes.
    PlainStep(lapwing::Domain& domain, std::vector<lapwing::Stages> cycle);

    // Runs the next list of stages. Local calls, but all ranks must run it.
    void run();

  private:
    // The halos of some fields, in one message per neighbour.
    struct Halos {
        lapwing::BoundPlan plan;  // holds the memory
        std::vector<lapwing::PackedMessage> sends, receives;
        std::unique_ptr<lapwing::MessageBuffers> send_buffers, receive_buffers;
        std::vector<MPI_Request> requests;
    };
    struct StagePlan {
        lapwing::Stage stage;
        std::unique_ptr<Halos> halos;  // null: all are there
        lapwing::Box interior;         // cells that read none of these halos
        std::vector<lapwing::Box> edges;
    };
    [[nodiscard]] StagePlan planned(const lapwing::Stage& stage, std::vector<lapwing::AnyField*>& stale);
    [[nodiscard]] std::unique_ptr<Halos> halos_of(const std::vector<lapwing::AnyField*>& fields);
    [[nodiscard]] lapwing::Extent widest(const lapwing::AnyField* field) const;
    void start(Halos& halos);
    static void finish(Halos& halos);

    lapwing::Domain& domain_;
    std::vector<lapwing::Stages> cycle_;
    lapwing::Tag tag_;
    std::vector<std::vector<StagePlan>> plans_;  // of the first round of the cycle, then of all others
    std::size_t next_ = 0;
};

}  // namespace lapwing_simulate
