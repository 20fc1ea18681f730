#pragma once
// One way to step the model of `lapwing bench overlap`, and what is measured of it.

#include <mpi.h>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/step/step.hpp"
#include "overlap/overlap_model.hpp"

namespace lapwing::bench {

enum class OverlapPart { step, communicate, compute };

using BeforeEach = std::function<void()>;

// A model, and how its halo travels while it is computed.
class OverlapMethod {
  public:
    OverlapMethod(const Domain& domain, const OverlapWork& work) : domain_(domain), model_(domain, work) {}
    virtual ~OverlapMethod() = default;

    // Seconds of a round on the slowest rank, and in its kernels as the mean of all ranks: the mean of `rounds` rounds
    // in the midst of others, of which one before and one after are not counted. Collective.
    std::pair<double, double> sample(OverlapPart part, int rounds);
    // A number for the state of all ranks after so many steps from the beginning. Collective.
    std::uint64_t fingerprint(int steps);
    // True if it steps as it always will from now on; steps until then are measurements of its own.
    [[nodiscard]] virtual bool settled() const { return true; }
    // Describes how it steps, if that was found while it stepped.
    [[nodiscard]] virtual std::string choice() const { return {}; }
    // Does what must precede its destruction. Collective.
    virtual void close() {}
    [[nodiscard]] OverlapModel& model() { return model_; }

  private:
    // Runs a number of steps, each after a call of `before_each`: halos, and the field computed once. Collective.
    virtual void steps(int count, const BeforeEach& before_each) = 0;
    // The halo of the first field alone, packed, moved and unpacked.
    virtual void communicate() = 0;
    // Seconds in the kernels of steps since the method was made.
    [[nodiscard]] virtual double kernel_seconds() const { return model_.seconds(); }
    // The next step is the first one.
    virtual void restart() {}
    void run(OverlapPart part, int count, const BeforeEach& before_each);

    const Domain& domain_;
    OverlapModel model_;
};

// ---- The faces of a rank in a row along y, packed and unpacked by hand, and a step that hides their way by hand.

// One neighbour: what it gets, and where what it sends goes.
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

// ---- The messages of a step that is written by hand, by MPI.

class HandOverlap final : public FaceOverlap {
  public:
    // Local. `buffered`: MPI_Ibsend instead of MPI_Isend, with MPI's buffer attached, which there may be one of in a
    // process, until `close`; `tiles`: of the interior; `chunk_bytes`: longer messages are sent as several of at most
    // so many bytes, 0: never.
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

// ---- The same model as stages of a lapwing::Step, in the order of a strategy.

class StepOverlap final : public OverlapMethod {
  public:
    // `chunk_bytes`: of a message at most where it communicates alone, 0: all. Collective; throws UserError where the
    // strategy does not fit the model or the transport is not to be had.
    StepOverlap(Domain& domain, const OverlapWork& work, const std::string& strategy, const std::string& transport,
                Index chunk_bytes);
    [[nodiscard]] bool settled() const override { return step_->report().strategy() != "auto"; }
    [[nodiscard]] std::string choice() const override { return step_->report().choice(); }

  private:
    void steps(int count, const BeforeEach& before_each) override;
    void communicate() override { exchange_->run(); }
    [[nodiscard]] double kernel_seconds() const override;
    void restart() override { step_->restart_at(0); }

    std::optional<Step> step_;
    std::optional<Exchange> exchange_;
};

// ---- The ceiling: the same messages through plain TCP sockets, moved by the kernel alone while the interior is
// computed.

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
