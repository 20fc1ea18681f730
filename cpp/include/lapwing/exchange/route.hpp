#pragma once
// The route of an exchange: the messages that travel, and the transport that moves them.

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/halo_plan.hpp"
#include "lapwing/plan/wet_plan.hpp"

namespace lapwing {

class DeviceArrays;

// The direction in which values travel.
enum class Direction {
    fill,       // from owners to halos
    copy_back,  // from halos to owners, over the values there
    add_back    // from halos to owners, added to the values there
};

// The options of a halo exchange.
struct ExchangeOptions {
    // A name from `transport_names`, or `auto`: the fastest available one, measured on copies of the fields while the
    // exchange is made; p2p if the machine lacks what that transport needs (open files, memory). Between nodes `auto`
    // tries messages of 32 KiB too.
    std::string transport = "auto";
    Corners corners = Corners::cheapest;
    Direction direction = Direction::fill;
    const Mask* wet = nullptr;  // leaves land out of the messages, see wet_only; needed while it is made only
    WetRules wet_rules{};       // how fields leave land out; `automatic` compares the bytes that all ranks send
};

// The plan of a halo exchange with these options. Local; throws what halo_plan and wet_only throw.
MessagePlan exchange_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields,
                          const ExchangeOptions& options = {});

// A plan, and the transport for it.
struct Route {
    MessagePlan plan;
    std::string transport = "p2p";  // a transport's name; `auto` is p2p here
    bool in_place = true;           // true if `shared` may read fields where they lie instead of packing
    bool may_change = false;        // true if p2p replaces a transport that this machine cannot make after all
    bool leaves_land_out = false;   // true if messages may lack land, the same on all ranks
    std::string choice{};  // readable: what `auto` found, what measuring took, and after how many exchanges it has paid
    std::shared_ptr<DeviceArrays> device{};  // the arrays that it moves, of a device; null: of the host
};

// Returns the plan of the halos of `fields` and its transport, which `auto` measures: some hundred exchanges of scratch
// memory. `specs[f]` replaces the spec of field f: other extents, no wider than the field's memory. Collective: ranks
// compare options and specs before the first message. Throws UserError on all ranks when they differ, and what
// `exchange_plan` throws.
Route halo_route(Domain& domain, std::span<const AnyField* const> fields, std::span<const FieldSpec> specs,
                 const ExchangeOptions& options);

// Returns the fields of a domain, each with memory, which it gets here with a halo of one cell unless it has some.
// Collective; throws UserError on all ranks for a field of another domain, or a field that is listed twice.
std::vector<const AnyField*> with_memory(Domain& domain, std::initializer_list<std::shared_ptr<AnyField>> fields);

}  // namespace lapwing
