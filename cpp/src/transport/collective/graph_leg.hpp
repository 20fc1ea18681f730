#pragma once
// What legs that move a phase in one collective, of neighbours unless they join others, have in common.

#include <memory>
#include <vector>

#include "lapwing/transport/leg.hpp"
#include "transport/collective/mpi_four.hpp"

namespace lapwing {

// Messages of one direction in ascending order of peers: those to one peer lie together, in the order of the plan.
struct ByPeer {
    explicit ByPeer(std::vector<BoundMessage> unsorted);

    std::vector<BoundMessage> messages;
    std::vector<std::size_t> place;   // number in the plan -> in `messages`
    std::vector<int> peers;           // each once
    std::vector<std::size_t> begins;  // peers[n] has messages begins[n] <= m < begins[n + 1]
};

class GraphLeg : public Leg {
  public:
    void connect() override;
    void start() override;
    std::size_t poll(std::span<int> arrived) override;
    bool sent() override;
    void abandon() override;

  protected:
    explicit GraphLeg(Domain& domain) : domain_(domain) {}
    ~GraphLeg() override;

    // Where the collective takes place, and what is leased for that; a null communicator: not on this rank.
    struct Joined {
        MPI_Comm comm = MPI_COMM_NULL;
        std::shared_ptr<void> lease{};
    };
    // A graph of the peers. Collective.
    virtual Joined join(Domain& domain);

    // The peers. The arrays of `call` are ready when `join` has returned.
    virtual const std::vector<int>& sources() const = 0;
    virtual const std::vector<int>& destinations() const = 0;
    virtual std::size_t receives() const = 0;
    virtual void pack() = 0;
    // Makes the persistent collective, or, where the MPI has none, starts one.
    virtual void call(MPI_Comm comm, MPI_Request& request) = 0;

  private:
    bool completed();

    Domain& domain_;
    Joined joined_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    bool active_ = false, told_ = true;
};

}  // namespace lapwing
