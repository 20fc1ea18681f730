#include "lapwing/partition/cuts/ksection.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <tuple>

#include "base/side_by_side.hpp"
#include "partition/box_cost.hpp"

namespace lapwing {

KSection::KSection(const Grid& grid, const Mask& mask, int ranks, const CostModel& model, bool nodes_first)
    : cutter_(grid, mask, model, ranks, nodes_first),
      model_(checked(model, grid, ranks)),
      nodes_first_(nodes_first && model_.ranks_per_node > 1),
      node_orders_(nodes_first_ ? (ranks + model_.ranks_per_node - 1) / model_.ranks_per_node : 1),
      rank_orders_(nodes_first_ ? std::min(ranks, model_.ranks_per_node) : ranks) {}

namespace {

// The place of a branch in its list of cuts, and the node of the machine around it.
struct Place {
    std::size_t cut = 0;  // the part that is being made
    int parts = 1;        // parts that are still to be made here
    bool between_nodes = true;
    CutNode node;
};

struct NextCut {
    Division division;
    Place below, above;
};

// The cuts of one candidate.
struct Order {
    const Cutter& cutter;
    std::vector<Cut> between, inside;  // nodes

    [[nodiscard]] Place start() const { return {.node = cutter.root()}; }

    NextCut operator()(const CutNode& node, Place place) const {
        const int unit = cutter.unit(node.ranks);
        if (place.between_nodes && unit == 1) place = {.between_nodes = false, .node = node};
        const auto& cuts = place.between_nodes ? between : inside;
        if (place.parts == 1) {
            if (place.cut == cuts.size()) return {cutter.longest_side(node), place, place};
            place.parts = cuts[place.cut++].parts;
        }
        const int units = (node.ranks + unit - 1) / unit, first = place.parts / 2;
        const int left = std::clamp(units * first / place.parts, 1, units - 1) * unit;
        NextCut next{{.axis = cuts[place.cut - 1].axis, .left = left}, place, place};
        next.below.parts = first;
        next.above.parts = place.parts - first;
        return next;
    }
};

}  // namespace

template <class Keep>
bool KSection::grow_candidate(Index n, const Keep& keep, CutTree& tree) const {
    const Index inner = rank_orders_.count();
    const Order order{cutter_, node_orders_.at(n / inner), rank_orders_.at(n % inner)};
    tree.clear();
    return grow_tree(cutter_, cutter_.root(), order.start(), order, keep, tree);
}

CutTree KSection::candidate(Index n) const {
    CutTree tree;
    grow_candidate(n, [](const CutNode&, const Place&) { return true; }, tree);
    return tree;
}

double KSection::cost(Index n, double bound) const {
    const BoxCost box_cost(cutter_.grid(), cutter_.mask(), model_);
    const double latency = model_.coefficients.latency;
    bool local = latency == 0 && (model_.ranks_per_node == 1 || nodes_first_);
    double most = 0;
    const auto keep = [&](const CutNode& leaf, const Place& place) {
        const CutNode& node = place.between_nodes ? leaf : place.node;
        // on a hard coast a cut may have had to go through a node
        local = local && (model_.ranks_per_node == 1 || cutter_.is_node(node));
        most =
            std::max(most, local ? box_cost(leaf.box, leaf.first, node.box) : box_cost.at_least(leaf.box, leaf.first));
        // sums of other orders may differ in the last bit, and ties must all be priced
        return most <= (local ? bound : bound * (1 + 1e-12));
    };
    CutTree tree;
    if (!grow_candidate(n, keep, tree)) return std::numeric_limits<double>::infinity();
    if (local) return most;
    return partition_cost(leaves(cutter_.grid(), tree), cutter_.mask(), model_).cost;
}

Index KSection::turn(Index turn, Index most) const {
    if (most >= count()) return turn;
    return count() / most * turn + count() % most * turn / most;  // count() * turn / most, which may not fit 64 bits
}

Index worthwhile_candidates(const KSection& ksection) {
    return std::clamp<Index>(30'000'000 / ksection.cutter().ranks(), 64, 1 << 20);
}

BestCandidate search_candidates(const KSection& ksection, Index most, Index first, Index step, int threads) {
    const Index all = ksection.count(), tried = std::min(all, most);
    std::atomic<double> bound{std::numeric_limits<double>::infinity()};
    std::vector<BestCandidate> found(std::max(1, threads));
    const auto search = [&](std::size_t thread) {
        BestCandidate& best = found[thread];
        const Index each = step * found.size();
        for (Index turn = first + step * thread; turn < tried; turn += each) {
            const Index number = ksection.turn(turn, most);
            const double cost = ksection.cost(number, bound.load());
            ++best.searched;
            if (cost < best.cost) best = {cost, number, static_cast<int>(turn), best.searched};
            for (double known = bound.load(); cost < known && !bound.compare_exchange_weak(known, cost);) {
            }
        }
    };
    side_by_side(found.size(), search);
    Index searched = 0;
    for (const BestCandidate& each : found) searched += each.searched;
    BestCandidate best =
        *std::ranges::min_element(found, {}, [](const BestCandidate& b) { return std::tuple(b.cost, b.turn); });
    best.searched = searched;
    return best;
}

}  // namespace lapwing
