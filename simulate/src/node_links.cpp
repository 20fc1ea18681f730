#include "node_links.hpp"

#include <simgrid/s4u/Engine.hpp>
#include <simgrid/s4u/Link.hpp>

namespace lapwing_simulate {

void share_nodes() {
    const auto within = [](simgrid::s4u::Link* link) { return link->get_name().ends_with("_loopback"); };
    for (simgrid::s4u::Link* link : simgrid::s4u::Engine::get_instance()->get_filtered_links(within)) {
        using Policy = simgrid::s4u::Link::SharingPolicy;
        if (link->get_sharing_policy() != Policy::SHARED) link->set_sharing_policy(Policy::SHARED);
    }
}

}  // namespace lapwing_simulate
