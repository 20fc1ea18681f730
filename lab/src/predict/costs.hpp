#pragma once
// The costs of the processor and the links of a machine: the numbers of a machine file (docs/guide/machine-files.md)
// and what follows from them, in s and bytes. The simulator and the forecast charge by these functions.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "lapwing/base/settings.hpp"

namespace lapwing {

// The time of a kernel, s: per cell, per row of cells along x, per call, per byte that no cache holds, and how many
// times as long on a busy node.
struct KernelCost {
    double cell = 0;
    double row = 0;
    double call = 0;
    double byte = 0;
    double crowded = 1;

    // The time of some calls, together for these cells. `crowd`: the share of the other cores of the node that compute
    // too; `speed`: of the processor, 1 as the costs say. Local.
    [[nodiscard]] double seconds(double cells, double rows, double crowd, double speed, double calls = 1) const {
        return (cells * cell + rows * row + calls * call) * (1 + crowd * (crowded - 1)) / speed;
    }

    static constexpr std::tuple declared{
        Setting{"cell", &KernelCost::cell, "s per cell"},
        Setting{"row", &KernelCost::row, "s per row of cells along x"}, Setting{"call", &KernelCost::call, "s per box"},
        Setting{"byte", &KernelCost::byte, "s per byte from memory and to it; 0: at the bandwidth of a core"},
        Setting{"crowded", &KernelCost::crowded, "times as long while all cores of the node compute"}};
};

// The name of the cost of all that a model does between two steps, outside its stages. Only messages that leave ahead
// of their step travel meanwhile.
inline constexpr const char* between_steps = "between_steps";

// The memory of a node: what a cache holds, and how fast the rest comes.
struct MemoryCost {
    double cache = 0;
    double core = std::numeric_limits<double>::infinity();
    double node = std::numeric_limits<double>::infinity();
    double cores = 1;

    // The time that a kernel waits for bytes that the cache does not hold: longer where the cores that compute, `crowd`
    // of the other ones of the node, want more than the node gives. Local.
    [[nodiscard]] double seconds(double bytes, const KernelCost& kernel, double crowd) const {
        const double alone = kernel.byte > 0 ? kernel.byte : 1 / core;
        const double wanted = core * (1 + crowd * (cores - 1));
        return bytes * alone * (wanted > node ? wanted / node : 1.0);
    }

    static constexpr std::tuple declared{
        Setting{"cache", &MemoryCost::cache, "bytes that a rank's data can stay in; 0: costs of kernels say all"},
        Setting{"core", &MemoryCost::core, "bytes/s that a core gets at most"},
        Setting{"node", &MemoryCost::node, "bytes/s that all cores of a node share"},
        Setting{"cores", &MemoryCost::cores, "of a node"}};
};

// The time of copying between fields and messages, s: per byte, and per piece that lies in a row in memory.
struct PackingCost {
    double byte = 0;
    double row = 0;

    // The time of a copy between fields and a message. Local.
    [[nodiscard]] double seconds(double bytes, double rows) const { return bytes * byte + rows * row; }

    static constexpr std::tuple declared{Setting{"byte", &PackingCost::byte, "s"},
                                         Setting{"row", &PackingCost::row, "s per piece that lies in a row in memory"}};
};

// The time of a message on its link: `declared` below says what each number is, and its unit.
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
    double burst = 0;
    double burst_bandwidth = 0;
    double noise = 0;
    std::vector<std::array<double, 2>> bandwidth_by_size;

    // The time of the processor to send and to receive a message. Local.
    [[nodiscard]] double send_seconds(double bytes) const { return send + bytes * send_byte; }
    [[nodiscard]] double receive_seconds(double bytes) const { return receive + bytes * receive_byte; }
    // The largest bandwidth that a message can get, bytes/s. Local.
    [[nodiscard]] double peak() const { return burst > 0 ? burst_bandwidth : bandwidth; }
    // The share of that which a message gets alone: between sizes in logarithms, beyond them as at the nearest.
    // Local.
    [[nodiscard]] double bandwidth_share(double bytes) const {
        const auto& known = bandwidth_by_size;
        if (known.empty()) return 1;
        return std::min(1.0, speed_of(std::max(bytes, 1.0)) / peak());
    }
    // The delay of a message, s, where a random number is `share`, 0 to below 1. Local.
    [[nodiscard]] double late(double share) const { return noise > 0 ? -noise * std::log1p(-share) : 0; }

    static constexpr std::tuple declared{
        Setting{"latency", &MessageCost::latency, "of the link, s"},
        Setting{"bandwidth", &MessageCost::bandwidth, "of the link in the long run, bytes/s"},
        Setting{"send", &MessageCost::send, "s of the processor per message"},
        Setting{"receive", &MessageCost::receive, "likewise"},
        Setting{"send_byte", &MessageCost::send_byte, "s of the processor per byte"},
        Setting{"receive_byte", &MessageCost::receive_byte, "likewise"},
        Setting{"poll", &MessageCost::poll, "s per call that asks what has arrived"},
        Setting{"eager_limit", &MessageCost::eager_limit, "bytes: longer messages ask the receiver first"},
        Setting{"calls", &MessageCost::calls, "ranks answer that in calls of MPI only"},
        Setting{"rate", &MessageCost::rate, "messages/s of a node"},
        Setting{"burst", &MessageCost::burst, "bytes that a node sends at burst_bandwidth after a pause; 0: none"},
        Setting{"burst_bandwidth", &MessageCost::burst_bandwidth, "bytes/s"},
        Setting{"noise", &MessageCost::noise, "s, mean of what a message is late"},
        Setting{"bandwidth_by_size", &MessageCost::bandwidth_by_size, "bytes and bytes/s, ascending"}};

  private:
    [[nodiscard]] double speed_of(double bytes) const {
        const auto& known = bandwidth_by_size;
        const auto above = std::ranges::lower_bound(known, bytes, {}, [](const auto& row) { return row[0]; });
        if (above == known.end()) return known.back()[1];
        if (above == known.begin()) return known.front()[1];
        const auto& [size, of_size] = *std::prev(above);
        const double share = std::log(bytes / size) / std::log((*above)[0] / size);
        return of_size * std::pow((*above)[1] / of_size, share);
    }
};

// When the way out of a node is free again: for its next message, and for bytes beyond its burst. At 0 s the burst is
// spent, as it is in a long run that sends more than the bandwidth lets through.
class Outlet {
  public:
    // At `now`, whatever was idle before. Local.
    void spend(double now) { end_ = std::max(end_, now); }
    // Returns the wait of a message that leaves at `now`, s, and takes its share of both. Local.
    [[nodiscard]] double wait(const MessageCost& cost, double bytes, double now) {
        return std::max(turn(cost, now), shaped(cost, bytes, now));
    }

  private:
    [[nodiscard]] double turn(const MessageCost& cost, double now) {
        if (std::isinf(cost.rate)) return 0;
        const double begin = std::max(now, next_);
        next_ = begin + 1 / cost.rate;
        return begin - now;
    }
    // A token bucket as a queue: one that was idle for long is ahead by its burst.
    [[nodiscard]] double shaped(const MessageCost& cost, double bytes, double now) {
        if (cost.burst == 0) return 0;
        end_ = std::max(end_, now - cost.burst / cost.bandwidth) + bytes / cost.bandwidth;
        return std::max(0.0, end_ - now - bytes / cost.peak());
    }

    double next_ = 0;  // s
    double end_ = 0;   // s, when the last byte has left
};

}  // namespace lapwing
