#pragma once
// Exchange: a plan, a transport and its buffers, ready to be started again and again.

#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lapwing/base/ticks.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/memory/copy_list.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/timeline.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/plan/regroup.hpp"
#include "lapwing/plan/wet_plan.hpp"

namespace lapwing {

class ArraysOfCalls;
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

// The options of an exchange.
struct ExchangeOptions {
    // A name from `transport_names`, or `auto`: the fastest available one, measured on copies of the fields while the
    // exchange is made; p2p if the machine lacks what that transport needs (open files, memory).
    std::string transport = "auto";
    std::optional<Corners> corners{};    // best_corners where not given
    bool reverse = false;                // from halos back to owners
    Arrival arrival = Arrival::replace;  // of a reverse exchange
    // Messages per neighbour: one with everything in it unless said otherwise; `auto` tries a message per field too,
    // and between nodes messages of 32 KiB.
    Grouping grouping{};
    const Mask* wet = nullptr;  // leaves land out of the messages, see wet_only; needed while it is made only
    WetRules wet_rules{};       // how fields leave land out; `automatic` compares the bytes that all ranks send
};

// The plan of a halo exchange with these options. Local; throws what halo_plan, wet_only and regrouped throw.
MessagePlan exchange_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields,
                          const ExchangeOptions& options = {});

// The options of memory of an exchange of a plan.
struct MemoryUse {
    bool in_place = true;  // true if `shared` may read fields where they lie instead of packing
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
class Exchange final : private Moving {
  public:
    // The halo exchange of `fields` with the extents in their specs, all in one message per
    // neighbour rank. Collective over the domain: ranks compare names, types, shapes and extents
    // before the first message. Throws UserError on all ranks when they differ. With `auto`, some hundred
    // exchanges of scratch memory of the fields' size.
    Exchange(Domain& domain, std::span<const AnyField* const> fields, const ExchangeOptions& options = {});

    // The same for fields as a model declares them: Exchange(domain, {u, v}). A field without memory gets it here, with
    // a halo of one cell. Collective; throws UserError on all ranks for a field of another domain, or a field that is
    // listed twice.
    Exchange(Domain& domain, std::initializer_list<std::shared_ptr<AnyField>> fields,
             const ExchangeOptions& options = {});

    // The same with other extents, no wider than the fields' memory: `specs[f]` replaces the spec of field f.
    // Collective.
    Exchange(Domain& domain, std::span<const AnyField* const> fields, std::span<const FieldSpec> specs,
             const ExchangeOptions& options);

    // The halo exchange of arrays that come and go: made for their specs, it moves what `take` gives it. It uses
    // transports that pack: not datatype, direct or pull; `shared` reads nothing in place. `auto` measures on memory in
    // the order of the specs. Collective; throws as above.
    Exchange(Domain& domain, std::span<const FieldSpec> specs, const ExchangeOptions& options = {});

    // Any plan between any memory (gather, scatter, transpose), by a transport's name; `auto` is p2p here.
    // Collective.
    Exchange(Domain& domain, MessagePlan plan, std::span<const AnyField* const> sources,
             std::span<const AnyField* const> targets, const std::string& transport = "p2p", const MemoryUse& use = {});

    // Handles keep its address. The domain must outlive it. The buffers of an unfinished exchange stay with MPI.
    ~Exchange() override;
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    // Says where array `number` lies from the next start on, until the next call for it: `memory` says where (data),
    // which cells it holds (allocated), and its strides in bytes; its other members are not looked at. Arrays are
    // numbered in the order of the specs; if a rank owns several boxes, the arrays of one spec follow each other. They
    // must live until the exchange has been waited for. Only for an exchange that was made for specs. Throws UserError
    // while it is active, for another number, no data, cells that do not hold the box and its halo, or strides that are
    // no multiples of the value size. Cost: some additions per message; microseconds if cells or strides have changed.
    // Local.
    void take(int number, const Block& memory);
    // Returns where array `number` lies; before one was given, the box and the cells that it has to hold. Throws as
    // `take`. Local.
    [[nodiscard]] const Block& array(int number) const;
    // Returns the number of arrays; 0 where it was made for fields. Local.
    [[nodiscard]] int arrays() const;

    // Packs and posts; never blocks. Throws UserError while a former start is unfinished, after the domain was closed,
    // and, if it was made for specs, before all arrays were given. Every neighbour must start it too; any number of
    // exchanges may be in flight. Local.
    Pending start();
    // start and wait in one.
    void run() { start().wait(); }
    // The same for these arrays, one for each number: `take` each, start and wait.
    void run(std::span<const Block> arrays);

    [[nodiscard]] bool active() const { return active_; }
    // Returns the handle of a start that has not been waited for, for a caller other than the one that started it.
    // Local.
    Pending pending() { return Pending(*this); }
    // Returns a description of what it waits for, for the watchdog. Local.
    [[nodiscard]] std::string describe() const;
    [[nodiscard]] const MessagePlan& plan() const { return plan_; }
    [[nodiscard]] const std::string& transport() const { return transport_; }
    // True if messages may lack land, the same on all ranks. Local.
    [[nodiscard]] bool leaves_land_out() const { return leaves_land_out_; }
    // Returns, as text, what `auto` found, what measuring took and after how many exchanges it has paid; empty where
    // the transport was given. Local.
    [[nodiscard]] const std::string& choice() const { return choice_; }
    // Bytes of message buffers held. Local.
    [[nodiscard]] Index buffer_bytes() const;
    [[nodiscard]] const ExchangeCount& count() const { return count_; }
    // Notes from now on when it packs and unpacks; the timeline outlives that. Local.
    void draw(TimelineEntry entry) { drawn_ = entry; }

  private:
    friend class Pending;
    struct Chosen {
        MessagePlan plan;
        std::string transport;
        bool in_place = true;
        bool may_change = false;  // switches to p2p if this machine cannot make the transport after all
        bool leaves_land_out = false;
        std::string why{};
    };
    struct Scratch;
    Exchange(Domain& domain, const Scratch& like, const ExchangeOptions& options);
    Exchange(Domain& domain, Chosen chosen, std::span<const AnyField* const> sources,
             std::span<const AnyField* const> targets);
    static Chosen choose(Domain& domain, std::span<const AnyField* const> fields, std::span<const FieldSpec> specs,
                         const ExchangeOptions& options);
    void connect(const BoundPlan& bound, const Chosen& chosen);
    bool finished();
    bool timed_test();
    void wait(int phase);

    // ---- its phases

    // Advances whatever can advance; true when everything has arrived and all memory is free again.
    [[nodiscard]] bool test() override;
    // Returns the number of phases that are over: their halos are filled, and the memory they sent is free. All phases
    // when it has finished.
    [[nodiscard]] int phases_done() const { return static_cast<int>(phase_); }
    void require_idle(const char* call) const;
    void require_array(int number) const;
    void move_to_arrays();
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
    MessagePlan plan_;
    std::string transport_, choice_;
    bool leaves_land_out_ = false;
    Tag tag_;
    std::vector<PhaseOnItsWay> phases_;
    bool in_order_ = false;                    // see MessagePlan
    std::vector<std::shared_ptr<void>> keep_;  // the memory that the legs move
    std::unique_ptr<ArraysOfCalls> arrays_;    // replaces the memory
    std::size_t phase_ = 0;                    // the phase on its way; all: finished
    bool active_ = false;
    ExchangeCount count_;
    TimelineEntry drawn_;
};

}  // namespace lapwing
