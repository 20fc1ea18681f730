#include "lapwing/transport/channel.hpp"

#include "lapwing/error.hpp"
#include "lapwing/transport/p2p.hpp"

namespace lapwing {

std::vector<std::string> transport_names() { return {"p2p"}; }

std::unique_ptr<Channel> make_channel(std::string_view transport, MPI_Comm comm, int tag, BoundPlan plan) {
    if (transport == "p2p") return std::make_unique<P2pChannel>(comm, tag, std::move(plan));
    std::string known;
    for (const std::string& name : transport_names()) known += (known.empty() ? "" : ", ") + name;
    user_error("transport", transport, "one of: " + known, "choose a transport by its name");
}

}  // namespace lapwing
