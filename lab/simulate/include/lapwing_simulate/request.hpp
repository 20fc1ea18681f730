#pragma once
// The request to the driver: a JSON document, written by `lapwing simulate`.

#include <map>
#include <string>
#include <vector>

#include "lapwing_simulate/costs.hpp"
#include "lapwing_simulate/json.hpp"

namespace lapwing_simulate {

struct Request {
    std::string work;
    lapwing::Grid grid;
    lapwing::Index3 blocks{1, 1, 1};
    std::vector<lapwing::Subdomain> subdomains;
    int ranks_per_node = 1;
    bool in_line = false;
    bool nodes_share = false;
    std::vector<std::string> methods;
    std::string transport = "p2p";
    int warm_up = 4;
    int samples = 3;
    bool alone = true;
    int steps = 12;
    std::map<std::string, StageCost> stages;
    MessageCosts messages;
    PackingCost packing;
    std::vector<int> groups;
    std::vector<double> speeds;
    bool weighted = false;
    std::map<std::string, std::string> state;
    int state_step = 0;
    std::string out;

    nlohmann::json settings;  // of the work: what the document has under its name

    static constexpr std::tuple declared{
        lapwing::Setting{"work", &Request::work, "a name that is registered"},
        lapwing::Setting{"grid", &Request::grid, "of all ranks together"},
        lapwing::Setting{"blocks", &Request::blocks, "along each axis, one per rank"},
        lapwing::Setting{"subdomains", &Request::subdomains, "boxes of ranks, instead of blocks"},
        lapwing::Setting{"ranks_per_node", &Request::ranks_per_node, ""},
        lapwing::Setting{"in_line", &Request::in_line,
                         "ranks in the order of their blocks, x fastest; else those of a node close together"},
        lapwing::Setting{"nodes_share", &Request::nodes_share,
                         "the ranks of a node share the bandwidth within it; else each message has it"},
        lapwing::Setting{"methods", &Request::methods, "strategies, and `plain`"},
        lapwing::Setting{"transport", &Request::transport, ""},
        lapwing::Setting{"warm_up", &Request::warm_up, "steps before the first sample"},
        lapwing::Setting{"samples", &Request::samples, ""},
        lapwing::Setting{"alone", &Request::alone, "also with computing that takes no time"},
        lapwing::Setting{"steps", &Request::steps, "per sample"},
        lapwing::Setting{"stages", &Request::stages, "what computing costs, by name of the stage"},
        lapwing::Setting{"messages", &Request::messages, "what they cost, by link; none: nothing besides the network"},
        lapwing::Setting{"packing", &Request::packing, "what copies to and from messages cost"},
        lapwing::Setting{"groups", &Request::groups, "of each node"},
        lapwing::Setting{"speeds", &Request::speeds, "of each rank: costs of computing are those of 1"},
        lapwing::Setting{"weighted", &Request::weighted, "blocks are as large as their ranks are fast"},
        lapwing::Setting{"state", &Request::state, "files of float64 values, x fastest, by name of the field"},
        lapwing::Setting{"state_step", &Request::state_step, "steps of the case before it"},
        lapwing::Setting{"out", &Request::out, "file for the results"}};
};

// Throws UserError for a file that cannot be read and for a name that is not known. Local.
Request read_request(const std::string& path);

}  // namespace lapwing_simulate
