#include "plain_step.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/plan/halo_plan.hpp"

namespace lapwing_simulate {

using lapwing::AnyField;
using lapwing::Box;
using lapwing::Extent;
using lapwing::Stage;

namespace {

bool contains(const std::vector<AnyField*>& fields, const AnyField* field) {
    return std::ranges::find(fields, field) != fields.end();
}

// The cells of `owned` whose reads stay in it.
Box shrunk(Box owned, const Extent& extent) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        owned.lo[axis] += extent.lo[axis];
        owned.hi[axis] -= extent.hi[axis];
    }
    return owned.empty() ? Box{owned.lo, owned.lo} : owned;
}

}  // namespace

PlainStep::PlainStep(lapwing::Domain& domain, std::vector<lapwing::Stages> cycle)
    : domain_(domain), cycle_(std::move(cycle)), tag_(domain.next_tag()) {
    const auto& periodic = domain.partition().grid().periodic;
    if (periodic[0] || periodic[1] || domain.partition().subdomains_of(domain.rank()).size() != 1) {
        lapwing::user_error("plain step", "a periodic grid or several boxes per rank", "neither",
                            "choose another work to simulate");
    }
    std::vector<AnyField*> stale;
    for (const auto& stages : cycle_)
        for (const Stage& stage : stages) {
            if (stage.collective || stage.reduction) {
                lapwing::user_error("plain step", "stage " + stage.name + ", which ends with work of all ranks",
                                    "stages of kernels alone", "simulate strategies only, or choose another kernel");
            }
            for (const lapwing::FieldRead& read : stage.reads)
                if (!contains(stale, read.field)) stale.push_back(read.field);
        }
    for (int round = 0; round < 2; ++round)
        for (const auto& stages : cycle_) {
            plans_.emplace_back();
            for (const Stage& stage : stages) plans_.back().push_back(planned(stage, stale));
        }
}

// Returns how far any stage reads the field: its halos are always brought whole.
Extent PlainStep::widest(const AnyField* field) const {
    Extent extent;
    extent.corners = false;
    for (const auto& stages : cycle_)
        for (const Stage& stage : stages)
            for (const lapwing::FieldRead& read : stage.reads)
                if (read.field == field) extent = unite(extent, sum(read.extent, stage.rim_extent));
    return extent;
}

PlainStep::StagePlan PlainStep::planned(const Stage& stage, std::vector<AnyField*>& stale) {
    const Box owned = domain_.partition().subdomain(domain_.partition().subdomains_of(domain_.rank())[0]).box;
    const Box wanted = intersect(grow(owned, stage.rim_extent), domain_.partition().grid().box());
    const Box computed = stage.region ? intersect(wanted, *stage.region) : wanted;
    std::vector<AnyField*> needed;
    Extent reach;
    for (const lapwing::FieldRead& read : stage.reads) {
        if (read.extent.empty() || !contains(stale, read.field)) continue;
        needed.push_back(read.field);
        reach = unite(reach, read.extent);
    }
    std::erase_if(stale, [&](const AnyField* field) { return contains(needed, field); });
    for (AnyField* field : stage.writes)
        if (!contains(stale, field) && !covers(stage.rim_extent, widest(field))) stale.push_back(field);
    StagePlan plan{stage, needed.empty() ? nullptr : halos_of(needed), intersect(computed, shrunk(owned, reach)), {}};
    plan.edges = subtract(computed, plan.interior);
    return plan;
}

std::unique_ptr<PlainStep::Halos> PlainStep::halos_of(const std::vector<AnyField*>& fields) {
    std::vector<lapwing::FieldSpec> specs;
    for (const AnyField* field : fields) {
        specs.push_back(field->spec());
        if (specs.back().extents.size() <= 1) specs.back().extents = {widest(field)};  // else those of its components
    }
    const std::vector<const AnyField*> memory(fields.begin(), fields.end());
    const auto plan = lapwing::halo_plan(domain_.partition(), domain_.rank(), specs, lapwing::Corners::direct);
    auto halos = std::make_unique<Halos>();
    halos->plan = lapwing::bind(plan, memory, memory);
    halos->sends = lapwing::packed(halos->plan.phases.at(0).sends);
    halos->receives = lapwing::packed(halos->plan.phases.at(0).receives);
    halos->send_buffers = std::make_unique<lapwing::MessageBuffers>(halos->sends);
    halos->receive_buffers = std::make_unique<lapwing::MessageBuffers>(halos->receives);
    halos->requests.resize(halos->sends.size() + halos->receives.size());
    return halos;
}

void PlainStep::start(Halos& halos) {
    MPI_Request* request = halos.requests.data();
    for (std::size_t m = 0; m < halos.receives.size(); ++m)
        MPI_Irecv((*halos.receive_buffers)[m], static_cast<int>(halos.receives[m].bytes()), MPI_BYTE,
                  halos.receives[m].peer(), tag_.number(), domain_.comm(), request++);
    for (std::size_t m = 0; m < halos.sends.size(); ++m) {
        halos.sends[m].pack((*halos.send_buffers)[m]);
        MPI_Isend((*halos.send_buffers)[m], static_cast<int>(halos.sends[m].bytes()), MPI_BYTE, halos.sends[m].peer(),
                  tag_.number(), domain_.comm(), request++);
    }
}

void PlainStep::finish(Halos& halos) {
    MPI_Waitall(static_cast<int>(halos.requests.size()), halos.requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t m = 0; m < halos.receives.size(); ++m)
        halos.receives[m].unpack((*halos.receive_buffers)[m], lapwing::Arrival::replace);
}

void PlainStep::run() {
    for (StagePlan& plan : plans_[next_]) {
        const auto compute = [&](const Box& box) {
            if (!box.empty()) plan.stage.kernel(plan.stage.contexts[0], box);
        };
        if (plan.halos) start(*plan.halos);
        compute(plan.interior);
        if (plan.halos) finish(*plan.halos);
        for (const Box& edge : plan.edges) compute(edge);
    }
    next_ = next_ + 1 < plans_.size() ? next_ + 1 : cycle_.size();
}

}  // namespace lapwing_simulate
