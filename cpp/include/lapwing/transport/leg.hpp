#pragma once
// The form that a transport gives one phase of a plan.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/memory/bound_plan.hpp"

namespace lapwing {

class DeviceArrays;
class Domain;
class PackedMessage;

// The messages of a leg that packs them, in the order of its request.
struct PackedMessages {
    std::vector<PackedMessage*> sends, receives;
};

// The messages of one phase by one transport, on the way again and again: constructed by all ranks, connected by
// all ranks, then started, polled and delivered, each a local call.
class Leg {
  public:
    virtual ~Leg() = default;
    Leg() = default;
    Leg(const Leg&) = delete;
    Leg& operator=(const Leg&) = delete;

    // Meets the other ends. Collective; every rank does its part even if it then throws.
    virtual void connect() {}
    // All ranks have connected. Local.
    virtual void connected() {}
    // Packs and posts, never blocks; messages without room yet leave with a later `poll`.
    virtual void start() = 0;
    // Advances messages. Writes the numbers of the receives that have arrived since the last call to the begin of
    // `arrived`, which has room for all, and returns their number.
    virtual std::size_t poll(std::span<int> arrived) = 0;
    // Puts a receive that has come where it belongs; once for each, after which its buffer is free.
    virtual void deliver(int receive) = 0;
    // Advances sends; returns true if every one has left and its memory is free. Asked once all receives were
    // delivered.
    virtual bool sent() = 0;
    // Abandons an unfinished exchange that will not be waited for: MPI may still write to the buffers.
    virtual void abandon() {}
    // Peers that have not taken what was sent, as far as known; for the message of a watchdog.
    [[nodiscard]] virtual std::vector<int> unsent() { return {}; }
    // The lists that it packs and unpacks, so that an exchange of arrays can give it other memory between two starts;
    // nothing if it does not pack.
    virtual PackedMessages packed_messages() { return {}; }
    // Moves the same messages between memory that is laid out otherwise from the next start on.
    virtual void rebind(std::span<const BoundMessage> sends, std::span<const BoundMessage> receives);
    // Bytes of message buffers held.
    [[nodiscard]] virtual Index buffer_bytes() const = 0;
};

// Legs of one phase, and which receives of the phase each of them brings.
struct PhaseLegs {
    struct Part {
        std::unique_ptr<Leg> leg;
        std::vector<int> receives;  // number in the leg -> number in the phase
        std::vector<int> sends{};   // likewise
    };
    std::vector<Part> parts;
};

// All a transport needs to know to make a leg.
struct LegRequest {
    Domain& domain;
    int tag = 0;    // tells exchanges in flight on one communicator apart
    int phase = 0;  // number of the phase in its plan
    std::vector<BoundMessage> sends, receives;
    Arrival arrival = Arrival::replace;
    bool in_order = false;                              // see MessagePlan
    std::vector<std::shared_ptr<SharedMemory>> shared;  // memory of fields that other ranks of the node can read
    std::vector<std::shared_ptr<void>> keep;            // the memory of fields
    std::vector<std::span<std::byte>> memory;           // memory that the fields lie in: disjoint
    bool in_place = true;                               // true if `shared` may read fields where they lie
    std::shared_ptr<DeviceArrays> device{};             // the arrays that it moves, of a device; null: of the host
};

}  // namespace lapwing
