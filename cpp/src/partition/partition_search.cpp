#include "lapwing/partition/partition_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/side_by_side.hpp"
#include "lapwing/base/error.hpp"
#include "partition/cuts/cut_refinement.hpp"
#include "partition/cuts/cut_search.hpp"

namespace lapwing {

namespace {

constexpr int kGlanceRanks = 3000;  // above, wider trees are judged by a glance, and only the first is tried

}  // namespace

double accepted_imbalance(Index wet, int ranks) {
    const double mean = static_cast<double>(wet) / ranks, rows = 1.5 / std::sqrt(mean);
    if (ranks > kGlanceRanks) return 1.0 + std::max(rows, 0.02);  // less is not found by a glance
    return 1.0 + std::max(std::clamp(rows, 0.02, 0.05), 5.0 / mean);
}

namespace {

// The start of a wider search: the cost that it aims at, as a share of the cost of the best candidate, how much
// the slowest rank counts (2^squarings), and the imbalance that it accepts. Which start finds the best partition
// differs between masks and rank counts.
struct Start {
    double reach;
    int squarings;
    bool narrow;  // accept 1.02 only
};
constexpr std::array<Start, 4> kStarts{{{0.95, 4, false}, {0.85, 5, true}, {0.65, 5, true}, {0.85, 4, true}}};
constexpr std::array<int, 3> kRefineSquarings{6, 7, 8};  // the slowest rank counts ever more

struct Priced {
    CutTree tree;
    double cost = 0;
    bool uneven = false;  // beyond the accepted imbalance

    [[nodiscard]] auto order() const { return std::pair(uneven, cost); }
};

class Search {
  public:
    Search(const KSection& ksection, const SearchOptions& options, double reference)
        : ksection_(ksection),
          cutter_(ksection.cutter()),
          options_(options),
          reference_(reference),
          accepted_(accepted_imbalance(cutter_.mask().count(cutter_.grid().box()), cutter_.ranks())) {}

    [[nodiscard]] Priced priced(CutTree tree) const {
        const PartitionCost price = partition_cost(leaves(cutter_.grid(), tree), cutter_.mask(), ksection_.model());
        return {std::move(tree), price.cost, price.imbalance > accepted_};
    }

    // The best cut from one start, before it is refined.
    [[nodiscard]] Priced wide(const Start& start) const {
        const double imbalance = start.narrow ? std::min(1.02, accepted_) : accepted_;
        const CutScore score(cutter_, ksection_.model(), start.reach * reference_, imbalance, start.squarings);
        const CutNode root = cutter_.root();
        return priced(search_cuts(cutter_, score, root, root.box, thorough() ? 1 : 0));
    }

    // Refined, unless that makes the slowest rank slower: the score is a sum over all.
    [[nodiscard]] Priced better(Priced best) const {
        if (!options_.refine) return best;
        for (const int squarings : kRefineSquarings) {
            const CutScore score(cutter_, ksection_.model(), best.cost, accepted_, squarings);
            Priced after = priced(refined(cutter_, score, best.tree));
            if (after.order() < best.order()) best = std::move(after);
        }
        return best;
    }

    // Cuts boxes for whole nodes, with the least water between nodes, and then every box for its ranks. Returns
    // nothing if a box has fewer wet points than ranks.
    [[nodiscard]] std::optional<Priced> inside_nodes() const {
        const std::vector<CutNode> nodes = node_boxes();
        const auto too_small = [&](const CutNode& node) { return cutter_.mask().count(node.box) < node.ranks; };
        if (std::ranges::any_of(nodes, too_small)) return std::nullopt;
        const CutScore score(cutter_, ksection_.model(), reference_, accepted_);
        CutTree tree;
        for (const CutNode& node : nodes) {
            CutTree branch = search_cuts(cutter_, score, node, node.box, 1);
            if (options_.refine) branch = refined(cutter_, score, std::move(branch));
            tree.insert(tree.end(), branch.begin(), branch.end());
        }
        return priced(std::move(tree));
    }

    [[nodiscard]] bool thorough() const { return cutter_.ranks() <= kGlanceRanks; }
    [[nodiscard]] int starts() const { return thorough() ? static_cast<int>(kStarts.size()) : 1; }

    // The better one of a candidate and the wider trees. With many ranks refinement takes most of the time, and only
    // the one that is better before is refined.
    [[nodiscard]] Priced best_with_wider(Priced candidate) const {
        if (thorough()) return cheaper(better(std::move(candidate)), best_of_wider());
        return better(cheaper(std::move(candidate), wide(kStarts[0])));
    }

    [[nodiscard]] static Priced cheaper(Priced one, Priced other) {
        return other.order() < one.order() ? std::move(other) : std::move(one);
    }

    [[nodiscard]] Priced best_of_wider() const {
        std::vector<Priced> found(starts());
        const std::size_t threads = std::min(static_cast<std::size_t>(options_.threads), found.size());
        side_by_side(threads, [&](std::size_t thread) {
            for (std::size_t n = thread; n < found.size(); n += threads) found[n] = better(wide(kStarts[n]));
        });
        return *std::ranges::min_element(found, {}, &Priced::order);
    }

  private:
    [[nodiscard]] std::vector<CutNode> node_boxes() const {
        const int each = ksection_.model().ranks_per_node, ranks = cutter_.ranks();
        const int nodes = (ranks + each - 1) / each;
        CostModel model = ksection_.model();
        model.ranks_per_node = 1;
        model.speeds.clear();
        for (int node = 0; node < nodes; ++node) {
            model.speeds.push_back(cutter_.share(node * each, std::min(each, ranks - node * each)));
        }
        const Partition found = find_partition(cutter_.grid(), cutter_.mask(), nodes, model, options_).partition;
        std::vector<CutNode> boxes;
        for (const Subdomain& one : found.subdomains()) {
            boxes.push_back(
                {.box = one.box, .first = one.rank * each, .ranks = std::min(each, ranks - one.rank * each)});
        }
        return boxes;
    }

    const KSection& ksection_;
    const Cutter& cutter_;
    const SearchOptions& options_;
    double reference_, accepted_;
};

}  // namespace

void check_options(const SearchOptions& options) {
    if (options.threads >= 1) return;
    user_error("threads of the search", options.threads, "at least 1", "give it a thread");
}

FoundPartition find_partition(const KSection& ksection, const BestCandidate& best, const SearchOptions& options) {
    check_options(options);
    const Search search(ksection, options, best.cost);
    Priced found = search.priced(ksection.candidate(best.number));
    Index searched = best.searched;
    if (options.nodes_first && ksection.model().ranks_per_node > 1) {
        const auto nodes = search.inside_nodes();
        if (nodes) return {leaves(ksection.cutter().grid(), nodes->tree), ksection.count(), searched};
    }
    found = options.wider ? search.best_with_wider(std::move(found)) : search.better(std::move(found));
    if (options.wider) searched += search.starts();
    return {leaves(ksection.cutter().grid(), found.tree), ksection.count(), searched};
}

FoundPartition find_partition(const Grid& grid, const Mask& mask, int ranks, const CostModel& model,
                              const SearchOptions& options) {
    check_options(options);
    const KSection ksection(grid, mask, ranks, model);
    const auto best = search_candidates(ksection, worthwhile_candidates(ksection), 0, 1, options.threads);
    return find_partition(ksection, best, options);
}

}  // namespace lapwing
