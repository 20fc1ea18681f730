#include "lapwing/transport/transport.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "lapwing/base/error.hpp"
#include "lapwing/base/host.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "mpi/progress/requests.hpp"
#include "transport/collective/graph.hpp"
#include "transport/collective/packed_collective.hpp"
#include "transport/collective/typed_collective.hpp"
#include "transport/on_device/staged.hpp"
#include "transport/one_sided/direct.hpp"
#include "transport/one_sided/onesided.hpp"
#include "transport/shared/shared.hpp"
#include "transport/two_sided/p2p.hpp"
#include "transport/two_sided/persistent.hpp"

namespace lapwing {

namespace {

template <class SomeLeg>
std::unique_ptr<Leg> make(LegRequest request) {
    return std::make_unique<SomeLeg>(std::move(request));
}

std::string everywhere(const Domain&) { return {}; }
template <Host::Facility facility>
std::string with(const Domain&) {
    return std::string(Host::lacks(facility));
}
std::string with_graphs(const Domain& domain) {
    const std::string why = with<Host::Facility::graphs>(domain);
    return why.empty() ? domain.leases().trouble<Graph>() : why;
}
constexpr auto with_windows = with<Host::Facility::windows>;
std::string with_gets(const Domain& domain) {
    const std::string why = with_windows(domain);
    return why.empty() ? std::string(trouble_of_gets()) : why;
}
constexpr auto with_groups = with<Host::Facility::background_collectives>;

// Throws UserError for a transport that moves arrays of the other kind of memory.
void require_kind(const Transport& transport, bool on_device) {
    if (transport.on_device == on_device) return;
    auto others = transports() | std::views::filter([&](const Transport& one) { return one.on_device == on_device; });
    user_error("transport", concat(transport.name, ", which moves arrays ", on_device ? "of the host" : "of a device"),
               concat("for arrays ", on_device ? "of a device" : "of the host",
                      " one of: ", listed(others, ", ", &Transport::name)),
               on_device ? "choose one of these, or auto" : "choose one of these, or make a DeviceExchange");
}

const Transport& find(std::string_view name, const Domain& domain) {
    const auto found = std::ranges::find(transports(), name, &Transport::name);
    if (found == transports().end())
        user_error("transport", name, "one of: " + listed(transport_names()),
                   "choose a transport by its name, or auto");
    const std::string reason = found->unavailable(domain);
    if (reason.empty()) return *found;
    auto here = transports() | std::views::filter([&](const Transport& one) {
                    return one.for_halos && one.unavailable(domain).empty();
                });
    user_error("transport", concat(name, ", which is not available: ", reason),
               "one of: " + listed(here, ", ", &Transport::name), "choose one of these, or auto");
}

// The messages of a phase that one leg takes: messages for which `mine(peer)` is true.
template <class Mine>
PhaseLegs::Part part_of(const BoundPhase& phase, LegRequest request, const Transport& transport, Mine&& mine) {
    PhaseLegs::Part part;
    for (std::size_t s = 0; s < phase.sends.size(); ++s) {
        if (!mine(phase.sends[s].peer)) continue;
        request.sends.push_back(phase.sends[s]);
        part.sends.push_back(static_cast<int>(s));
    }
    for (std::size_t r = 0; r < phase.receives.size(); ++r) {
        if (!mine(phase.receives[r].peer)) continue;
        request.receives.push_back(phase.receives[r]);
        part.receives.push_back(static_cast<int>(r));
    }
    part.leg = transport.make(std::move(request));
    return part;
}

PhaseLegs legs_of(const BoundPhase& phase, const LegRequest& request, const Transport& transport) {
    PhaseLegs legs;
    const Domain& domain = request.domain;
    if (!transport.on_node) {
        legs.parts.push_back(part_of(phase, request, transport, [](int) { return true; }));
        return legs;
    }
    const auto here = [&](int peer) { return domain.node().holds(peer); };
    legs.parts.push_back(part_of(phase, request, transport, here));
    const bool all_here = domain.node().ranks() == domain.ranks();
    if (!all_here) {
        legs.parts.push_back(part_of(phase, request, find("p2p", domain), [&](int peer) { return !here(peer); }));
    }
    return legs;
}

// Phases in which any rank has messages: others need no legs. Collective, one reduction.
std::vector<int> busy_phases(Domain& domain, const BoundPlan& plan) {
    std::vector<int> busy;
    for (const BoundPhase& phase : plan.phases) busy.push_back(phase.sends.empty() && phase.receives.empty() ? 0 : 1);
    return reduced(domain.comm(), std::move(busy), MPI_MAX, "the phases of an exchange");
}

}  // namespace

const std::vector<Transport>& transports() {
    static const std::vector<Transport> all{
        {"p2p", everywhere, make<P2pLeg>},
        {"persistent", everywhere, make<PersistentLeg>},
        {"neighbor", with_graphs, make<NeighborLeg>},
        {"datatype", with_graphs, make<DatatypeLeg>, false, true, false},
        {"onesided", with_windows, make<OneSidedLeg>},
        {"direct", with_windows, make<DirectLeg>, false, true, false},
        {"pull", with_gets, make<PullLeg>, false, true, false},
        {"shared", [](const Domain& domain) { return domain.node().no_shared_memory(); }, make<SharedLeg>, true},
        // all ranks connected through others take part: in halos mostly all ranks
        {"alltoallv", with_groups, make<AlltoallvLeg>, false, false},
        {"alltoallw", with_groups, make<AlltoallwLeg>, false, false, false},
        {"staged", everywhere, make<StagedLeg>, false, false, true, true},
    };
    return all;
}

std::vector<std::string> transport_names() {
    std::vector<std::string> names;
    for (const Transport& one : transports()) {
        if (one.for_halos) names.emplace_back(one.name);
    }
    return names;
}

void require_packing(std::string_view transport) {
    const auto found = std::ranges::find(transports(), transport, &Transport::name);
    if (found == transports().end() || found->packs) return;  // unknown names are refused where legs are made
    auto others = transports() | std::views::filter([](const Transport& one) { return one.for_halos && one.packs; });
    user_error("transport", concat(transport, ", which needs to know the memory of fields beforehand"),
               "for arrays that come and go one of: " + listed(others, ", ", &Transport::name),
               "choose one of these, or auto");
}

std::vector<PhaseLegs> make_legs(std::string_view name, Domain& domain, int tag, const BoundPlan& plan, bool in_place,
                                 const std::shared_ptr<DeviceArrays>& device) {
    const std::vector<int> busy = busy_phases(domain, plan);
    std::vector<PhaseLegs> legs(plan.phases.size());
    together(domain.comm(), [&] {
        const Transport& transport = find(name, domain);
        require_kind(transport, device != nullptr);
        for (std::size_t p = 0; p < legs.size(); ++p) {
            if (busy[p] == 0) continue;
            const LegRequest request{domain,       tag,           static_cast<int>(p), {},        {},
                                     plan.arrival, plan.in_order, plan.shared,         plan.keep, plan.memory,
                                     in_place,     device};
            legs[p] = legs_of(plan.phases[p], request, transport);
        }
    });
    for (const PhaseLegs& phase : legs) {
        for (const PhaseLegs::Part& part : phase.parts) {
            together(domain.comm(), [&] { part.leg->connect(); });
            part.leg->connected();
        }
    }
    return legs;
}

}  // namespace lapwing
