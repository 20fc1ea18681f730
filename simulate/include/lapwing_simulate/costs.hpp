#pragma once
// What the processor of the simulated machine spends on computing, packing and messages: the numbers of a machine file
// (docs/guide/machine-files.md), in s and bytes.

#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "lapwing_simulate/json.hpp"

namespace lapwing_simulate {

struct StageCost {
    double cell = 0;
    double row = 0;
    double call = 0;
    double crowded = 1;

    static constexpr std::tuple declared{
        lapwing::Setting{"cell", &StageCost::cell, "s per cell"},
        lapwing::Setting{"row", &StageCost::row, "s per row of cells along x"},
        lapwing::Setting{"call", &StageCost::call, "s per box"},
        lapwing::Setting{"crowded", &StageCost::crowded, "times as long while all cores of the node compute"}};
};

struct PackingCost {
    double byte = 0;
    double row = 0;

    static constexpr std::tuple declared{
        lapwing::Setting{"byte", &PackingCost::byte, "s"},
        lapwing::Setting{"row", &PackingCost::row, "s per piece that lies in a row in memory"}};
};

struct MessageCost {
    double latency = 0;
    double bandwidth = 0;
    double send = 0;
    double receive = 0;
    double send_byte = 0;
    double receive_byte = 0;
    double poll = 0;
    double eager_limit = std::numeric_limits<double>::infinity();
    bool calls = false;
    double rate = std::numeric_limits<double>::infinity();
    double noise = 0;
    std::vector<std::array<double, 2>> bandwidth_by_size;

    static constexpr std::tuple declared{
        lapwing::Setting{"latency", &MessageCost::latency, "of the link, s"},
        lapwing::Setting{"bandwidth", &MessageCost::bandwidth, "of the link, bytes/s"},
        lapwing::Setting{"send", &MessageCost::send, "s of the processor per message"},
        lapwing::Setting{"receive", &MessageCost::receive, "likewise"},
        lapwing::Setting{"send_byte", &MessageCost::send_byte, "s of the processor per byte"},
        lapwing::Setting{"receive_byte", &MessageCost::receive_byte, "likewise"},
        lapwing::Setting{"poll", &MessageCost::poll, "s per call that asks what has arrived"},
        lapwing::Setting{"eager_limit", &MessageCost::eager_limit, "bytes: longer messages ask the receiver first"},
        lapwing::Setting{"calls", &MessageCost::calls, "ranks answer that in calls of MPI only"},
        lapwing::Setting{"rate", &MessageCost::rate, "messages/s of a node"},
        lapwing::Setting{"noise", &MessageCost::noise, "s, mean of what a message is late"},
        lapwing::Setting{"bandwidth_by_size", &MessageCost::bandwidth_by_size, "bytes and bytes/s, ascending"}};
};

// By link: network, node.
using MessageCosts = std::map<std::string, MessageCost>;

}  // namespace lapwing_simulate
