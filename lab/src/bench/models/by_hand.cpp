// The stages of a step with communication written by hand, as a model does that owns its exchanges (GETM does): after
// a stage the halos of each field that it wrote are updated, a message per field and neighbour, and waited for.

#include <nanobind/stl/function.h>
#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/plan/halo_plan.hpp"
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

namespace {

// Extents over all stages, of the fields that any reads around its cells.
std::map<AnyField*, Extent> widest_reads(const std::vector<Stages>& cycle) {
    std::map<AnyField*, Extent> widest;
    for (const auto& stages : cycle) {
        for (const Stage& stage : stages) {
            for (const FieldRead& read : stage.reads) {
                if (read.extent.empty()) continue;
                const auto [found, fresh] = widest.try_emplace(read.field, read.extent);
                if (!fresh) found->second = unite(found->second, read.extent);
            }
        }
    }
    return widest;
}

const Block& block_of(const AnyField& field, int subdomain) {
    return *std::ranges::find(field.blocks(), subdomain, &Block::subdomain);
}

// Copies the cells of a box to a buffer, or from it, along the contiguous axis in the inner loop.
template <bool to_buffer>
std::byte* move_cells(const Block& block, const Box& box, int component, Index bytes, std::byte* buffer) {
    std::array<std::size_t, 3> axes{0, 1, 2};
    std::ranges::sort(axes, std::greater{}, [&](std::size_t axis) { return block.strides[axis]; });
    const auto [outer, middle, inner] = axes;
    const Index run = box.hi[inner] - box.lo[inner];
    const bool whole = block.strides[inner] == bytes;
    Index3 cell = box.lo;
    for (cell[outer] = box.lo[outer]; cell[outer] < box.hi[outer]; ++cell[outer]) {
        for (cell[middle] = box.lo[middle]; cell[middle] < box.hi[middle]; ++cell[middle]) {
            std::byte* values = block.at(cell, component);
            const Index pieces = whole ? 1 : run, size = whole ? run * bytes : bytes;
            for (Index n = 0; n < pieces; ++n, buffer += size, values += block.strides[inner]) {
                to_buffer ? std::memcpy(buffer, values, size) : std::memcpy(values, buffer, size);
            }
        }
    }
    return buffer;
}

void pack(const AnyField& field, const std::vector<Piece>& pieces, std::byte* buffer) {
    const Index bytes = size_of(field.spec().type);
    for (const Piece& piece : pieces) {
        const Block& block = block_of(field, piece.source);
        for (int c = piece.component_lo; c < piece.component_hi; ++c)
            buffer = move_cells<true>(block, piece.source_box, c, bytes, buffer);
    }
}

void unpack(const AnyField& field, const std::vector<Piece>& pieces, std::byte* buffer) {
    const Index bytes = size_of(field.spec().type);
    for (const Piece& piece : pieces) {
        const Block& block = block_of(field, piece.target);
        for (int c = piece.component_lo; c < piece.component_hi; ++c)
            buffer = move_cells<false>(block, piece.target_box, c, bytes, buffer);
    }
}

Index bytes_of(const AnyField& field, const std::vector<Piece>& pieces) {
    const Index size = size_of(field.spec().type);
    return std::accumulate(pieces.begin(), pieces.end(), Index{0},
                           [&](Index sum, const Piece& piece) { return sum + size * values(piece); });
}

}  // namespace

HandStep::HandStep(Domain& domain, const Step& step) : domain_(domain) {
    const auto& cycle = step.report().cycle();
    int tag = 0;
    const auto widest = widest_reads(cycle);
    for (AnyField* field : step.report().fields()) {  // in one order on all ranks
        if (const auto found = widest.find(field); found != widest.end())
            halos_.push_back(halo_of(*field, found->second, tag++));
    }
    for (const auto& stages : cycle) cycle_.push_back(loops_of(stages));
    for (Halo& halo : halos_) update(halo);
}

HandStep::Halo HandStep::halo_of(AnyField& field, const Extent& extent, int tag) const {
    FieldSpec spec = field.spec();
    spec.extents = {extent};
    MessagePlan plan = halo_plan(domain_.partition(), domain_.rank(), std::span(&spec, 1), Corners::direct);
    Halo halo{&field, tag, {}, {}, {}, {}};
    const auto taken = [&](const std::vector<lapwing::Message>& messages) {
        std::vector<Message> made;
        for (const lapwing::Message& message : messages) {
            const Index bytes = bytes_of(field, message.pieces);
            made.push_back({message.peer, message.pieces, std::vector<std::byte>(bytes)});
        }
        return made;
    };
    for (const Phase& phase : plan.phases) {  // one, as corners are direct
        halo.sends = taken(phase.sends);
        halo.receives = taken(phase.receives);
        halo.copies = phase.copies;
    }
    halo.requests.resize(halo.sends.size() + halo.receives.size());
    return halo;
}

// If stages of one name follow each other (open boundaries), halos are updated after the last of them.
std::vector<HandStep::Loop> HandStep::loops_of(const Stages& stages) const {
    std::vector<Loop> loops;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const Stage& stage = stages[s];
        if (!stage.scatters.empty())
            user_error("stage " + stage.name, "values written into halos", "stages that write their own cells", "");
        Loop loop{&stage, {}};
        const bool goes_on = s + 1 < stages.size() && stages[s + 1].name == stage.name;
        for (std::size_t h = 0; h < halos_.size() && !goes_on; ++h) {
            if (std::ranges::count(stage.writes, halos_[h].field) > 0) loop.halos.push_back(h);
        }
        loops.push_back(std::move(loop));
    }
    return loops;
}

void HandStep::run(int steps, const std::function<void()>& before_each) {
    for (int n = 0; n < steps; ++n) {
        if (before_each) before_each();
        run_once();
    }
}

void HandStep::run_once() {
    const std::vector<Loop>& loops = cycle_[position_];
    position_ = (position_ + 1) % cycle_.size();
    for (std::size_t s = 0; s < loops.size(); ++s) {
        const Stage& stage = *loops[s].stage;
        if (stage.reduction) begin_reduction(*stage.reduction);
        run_stage(stage);
        if (stage.reduction) end_reduction(domain_, *stage.reduction);
        if (stage.collective) stage.collective->work(stage.collective->context);
        for (const std::size_t halo : loops[s].halos) update(halos_[halo]);
        if (stage.repeats > 0 && *stage.reduction->value > stage.repeats_above)
            s -= static_cast<std::size_t>(stage.repeats);
    }
}

void HandStep::run_stage(const Stage& stage) const {
    const auto& mine = domain_.partition().subdomains_of(domain_.rank());
    for (std::size_t b = 0; b < mine.size(); ++b) {
        const Box& owned = domain_.partition().subdomain(mine[b]).box;
        const Box box = stage.region ? intersect(owned, *stage.region) : owned;
        if (!box.empty()) stage.kernel(stage.contexts[b], box);
    }
}

void HandStep::update(Halo& halo) {
    MPI_Request* request = halo.requests.data();
    for (Message& message : halo.receives) {
        MPI_Irecv(message.buffer.data(), static_cast<int>(message.buffer.size()), MPI_BYTE, message.peer, halo.tag,
                  domain_.comm(), request++);
    }
    for (Message& message : halo.sends) {
        pack(*halo.field, message.pieces, message.buffer.data());
        MPI_Isend(message.buffer.data(), static_cast<int>(message.buffer.size()), MPI_BYTE, message.peer, halo.tag,
                  domain_.comm(), request++);
    }
    if (!halo.copies.empty()) {
        std::vector<std::byte> own(bytes_of(*halo.field, halo.copies));
        pack(*halo.field, halo.copies, own.data());
        unpack(*halo.field, halo.copies, own.data());
    }
    MPI_Waitall(static_cast<int>(halo.requests.size()), halo.requests.data(), MPI_STATUSES_IGNORE);
    for (Message& message : halo.receives) unpack(*halo.field, message.pieces, message.buffer.data());
}

void bind_by_hand(nb::module_& module) {
    nb::class_<HandStep>(module, "HandStep", "The stages of a step with communication written by hand.")
        .def(nb::init<Domain&, const Step&>(), "domain"_a, "step"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             "Of a step that nobody runs any more. Fills all halos. Collective; raises UserError for stages that write "
             "into halos.")
        .def("run", &HandStep::run, "steps"_a, "before_each"_a,
             "Run so many steps, each after a call of `before_each`. Collective.");
}

}  // namespace lapwing::bench
