#pragma once
// Exchange: a plan, a transport and its buffers, ready to be started again and again.

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lapwing/base/ticks.hpp"
#include "lapwing/exchange/route.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

class Exchange;
class Leg;
struct BoundPlan;

// A started exchange. Until it has been waited for, owned cells that are sent must not be written
// and halo cells that are received must not be read. Dropping an unfinished handle finishes
// nothing: the next `start` of the exchange then throws.
class [[nodiscard]] Pending {
  public:
    // Advances messages; true when the exchange is complete. Local, does not block.
    bool test();
    // Blocks until the exchange is complete. Local.
    void wait();
    // Blocks until phase number `phase` of the plan is over, or the exchange is complete. Local.
    void wait_phase(int phase);
    // Phases of the plan that are over, all of them when it is complete. Local.
    [[nodiscard]] int phases_done() const;
    [[nodiscard]] bool complete() const;

  private:
    friend class Exchange;
    explicit Pending(Exchange& exchange) : exchange_(&exchange) {}
    Exchange* exchange_;
};

// Time and volume since construction.
struct ExchangeCount {
    Index exchanges = 0;
    std::int64_t start_ticks = 0, wait_ticks = 0;  // see ticks.hpp

    // Packing and posting; waiting and testing, unpacking included. Local.
    [[nodiscard]] double start_seconds() const { return seconds_of(start_ticks); }
    [[nodiscard]] double wait_seconds() const { return seconds_of(wait_ticks); }
};

// Moves the phases of its plan one after the other, each by the legs of a transport.
class Exchange : private Moving {
  public:
    // Moves what a route says, from sources[f] to targets[f] for field f of its plan. Collective over the domain: ranks
    // compare fields and transport. Throws UserError on all ranks when they differ or a field is not the plan's,
    // OutsideError when the machine lacks memory.
    Exchange(Domain& domain, Route route, std::span<const AnyField* const> sources,
             std::span<const AnyField* const> targets);

    // The halo exchange of `fields` with the extents in their specs, all in one message per neighbour rank: by
    // `halo_route`, whose errors and cost it has. Collective.
    Exchange(Domain& domain, std::span<const AnyField* const> fields, const ExchangeOptions& options = {})
        : Exchange(domain, halo_route(domain, fields, specs_of(fields), options), fields, fields) {}

    // The same for fields as a model declares them: Exchange(domain, {u, v}), see `with_memory`. Collective.
    Exchange(Domain& domain, std::initializer_list<std::shared_ptr<AnyField>> fields,
             const ExchangeOptions& options = {})
        : Exchange(domain, with_memory(domain, fields), options) {}

    // Handles keep its address. The domain must outlive it. The buffers of an unfinished exchange stay with MPI.
    ~Exchange() override;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Packs and posts; never blocks. Throws UserError while a former start is unfinished, and after the domain was
    // closed. Every neighbour must start it too; any number of exchanges may be in flight. Local.
    Pending start();
    // start and wait in one.
    void run() { start().wait(); }

    [[nodiscard]] bool active() const { return active_; }
    // Returns the handle of a start that has not been waited for, for a caller other than the one that started it.
    // Local.
    Pending pending() { return Pending(*this); }
    // Returns a description of what it waits for, for the watchdog. Local.
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] const MessagePlan& plan() const { return route_.plan; }
    [[nodiscard]] const std::string& transport() const { return route_.transport; }
    // True if messages may lack land, the same on all ranks. Local.
    [[nodiscard]] bool leaves_land_out() const { return route_.leaves_land_out; }
    // Returns, as text, what `auto` found, what measuring took and after how many exchanges it has paid; empty where
    // the transport was given. Local.
    [[nodiscard]] const std::string& choice() const { return route_.choice; }
    // Bytes of message buffers held. Local.
    [[nodiscard]] Index buffer_bytes() const;
    [[nodiscard]] const ExchangeCount& count() const { return count_; }
    // Notes from now on when it packs and unpacks; the timeline outlives that. Local.
    void draw(TimelineEntry entry) { drawn_ = entry; }

  protected:
    // Called at each start before anything is packed. Local.
    virtual void prepare() {}
    void require_idle(const char* call) const;
    [[nodiscard]] const Domain& domain() const { return domain_; }
    // Says that the blocks of memory have moved by these numbers of bytes. Only for transports that pack. Local.
    void move(std::span<const Index> by);
    // Moves between the memory of other fields from now on. Only for transports that pack. Local.
    void rebind(std::span<const AnyField* const> fields);
    // Releases the memory that it was made for. Local.
    void forget_memory() { keep_.clear(); }

  private:
    friend class Pending;
    void connect(const BoundPlan& bound);
    bool finished();
    bool timed_test();
    void wait(int phase);

    // ---- its phases

    // Advances whatever can advance; true when everything has arrived and all memory is free again.
    [[nodiscard]] bool test() override;
    // Returns the number of phases that are over: their halos are filled, and the memory they sent is free. All phases
    // when it has finished.
    [[nodiscard]] int phases_done() const { return static_cast<int>(phase_); }
    void start_phases();
    void start_phase();
    void deliver(Leg& leg, int number);
    bool finish_phase();
    [[nodiscard]] bool receive();
    void deliver_in_order();
    // Ranks whose messages are still missing, and ranks that have not taken what was sent to them.
    [[nodiscard]] std::vector<int> missing() const;
    [[nodiscard]] std::vector<int> unsent() const;

    struct PhaseOnItsWay;
    Domain& domain_;
    Route route_;
    Tag tag_;
    std::vector<PhaseOnItsWay> phases_;
    bool in_order_ = false;                    // see MessagePlan
    std::vector<std::shared_ptr<void>> keep_;  // the memory that the legs move
    std::size_t phase_ = 0;                    // the phase on its way; all: finished
    bool active_ = false;
    ExchangeCount count_;
    TimelineEntry drawn_;
};

}  // namespace lapwing
