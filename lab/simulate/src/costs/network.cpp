#include "network.hpp"

#include <mpi.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <utility>

namespace lapwing_simulate {

namespace {

using simgrid::s4u::Host;

constexpr double envelope = 16;  // bytes that SMPI adds to every message

// The links that messages find on their way, and their load so far.
class Traffic {
  public:
    Traffic(const MessageCosts& costs, std::vector<int> groups) : costs_(costs), groups_(std::move(groups)) {}

    [[nodiscard]] double send_seconds(double bytes, const Host* from, const Host* to) const {
        return on(from, to).send_seconds(bytes);
    }
    [[nodiscard]] double receive_seconds(double bytes, const Host* from, const Host* to) const {
        return on(from, to).receive_seconds(bytes);
    }
    // The time by which the latency of a message grows: it queues in its node, and is late.
    double latency_factor(double bytes, const Host* from, const Host* to, const std::vector<simgrid::s4u::Link*>& way) {
        const MessageCost& cost = on(from, to);
        double latency = 0;  // s
        for (const simgrid::s4u::Link* link : way) latency += link->get_latency();
        return latency > 0 ? 1 + (queued(cost, bytes, from, to) + late(cost)) / latency : 1;
    }
    void spend_bursts() {
        for (auto& [way_out, outlet] : outlets_) outlet.spend(simgrid::s4u::Engine::get_clock());
    }
    // The share of the bandwidth that a message gets alone.
    [[nodiscard]] double bandwidth_factor(double bytes, const Host* from, const Host* to) const {
        return on(from, to).bandwidth_share(bytes - envelope);
    }

  private:
    [[nodiscard]] const MessageCost& on(const Host* from, const Host* to) const {
        static const MessageCost free{.latency = 1, .bandwidth = 1};
        const auto found = costs_.find(link_between(from->get_name(), to->get_name(), groups_));
        return found == costs_.end() ? free : found->second;
    }
    double queued(const MessageCost& cost, double bytes, const Host* from, const Host* to) {
        return outlets_[{from, from == to}].wait(cost, bytes, simgrid::s4u::Engine::get_clock());
    }
    double late(const MessageCost& cost) {
        if (cost.noise <= 0) return 0;
        // not std::exponential_distribution, whose numbers are those of a library
        return cost.late(static_cast<double>(random_() >> 11) * 0x1p-53);  // of a number in [0, 1)
    }

    MessageCosts costs_;
    std::vector<int> groups_;
    std::map<std::pair<const Host*, bool>, lapwing::Outlet> outlets_;
    std::mt19937_64 random_{1};  // the same in every simulation
};

// The state of the rank that charges messages: SMPI gives each its own.
std::shared_ptr<Traffic>& here() {
    static std::shared_ptr<Traffic> traffic;
    return traffic;
}

}  // namespace

void share_nodes() {
    const auto within = [](simgrid::s4u::Link* link) { return link->get_name().ends_with("_loopback"); };
    for (simgrid::s4u::Link* link : simgrid::s4u::Engine::get_instance()->get_filtered_links(within)) {
        using Policy = simgrid::s4u::Link::SharingPolicy;
        if (link->get_sharing_policy() != Policy::SHARED) link->set_sharing_policy(Policy::SHARED);
    }
}

std::string link_between(const std::string& from, const std::string& to, const std::vector<int>& groups) {
    if (from == to) return "node";
    const auto group = [&](const std::string& host) {
        const auto node = static_cast<std::size_t>(std::stoi(host.substr(host.rfind('-') + 1)));
        return node < groups.size() ? groups[node] : 0;
    };
    return group(from) == group(to) ? "network" : "joint";
}

void charge_messages(const MessageCosts& costs, const std::vector<int>& groups) {
    const auto traffic = here() = std::make_shared<Traffic>(costs, groups);
    const auto send = [traffic](std::size_t bytes, Host* from, Host* to) {
        return traffic->send_seconds(static_cast<double>(bytes), from, to);
    };
    smpi_register_op_cost_callback(SmpiOperation::ISEND, send);
    smpi_register_op_cost_callback(SmpiOperation::SEND, send);
    smpi_register_op_cost_callback(SmpiOperation::RECV, [traffic](std::size_t bytes, Host* from, Host* to) {
        return traffic->receive_seconds(static_cast<double>(bytes), from, to);
    });
    const auto* all = simgrid::s4u::Engine::get_instance()->get_netzone_root();
    all->set_latency_factor_cb([traffic](double bytes, const Host* from, const Host* to, const auto& way, const auto&) {
        return traffic->latency_factor(bytes, from, to, way);
    });
    all->set_bandwidth_factor_cb([traffic](double bytes, const Host* from, const Host* to, const auto&, const auto&) {
        return traffic->bandwidth_factor(bytes, from, to);
    });
}

void spend_bursts() {
    if (here() != nullptr) here()->spend_bursts();
}

}  // namespace lapwing_simulate
