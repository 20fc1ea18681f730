#include "lapwing/plan/gather_plan.hpp"

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

std::vector<Piece> pieces_of(const Partition& partition, int rank, std::span<const FieldSpec> fields) {
    std::vector<Piece> pieces;
    for (std::size_t f = 0; f < fields.size(); ++f) {
        for (int s : partition.subdomains_of(rank)) {
            const Box box = fields[f].with_levels(partition.subdomain(s).box);
            pieces.push_back({static_cast<int>(f), s, whole_grid, box, box, 0, fields[f].components});
        }
    }
    return pieces;
}

}  // namespace

MessagePlan gather_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields, int root) {
    if (root < 0 || root >= partition.ranks()) {
        user_error("root", root, concat("0 <= root < ", partition.ranks()), "name a rank of the partition");
    }
    (void)partition.subdomains_of(rank);  // throws for a rank outside
    for (const FieldSpec& field : fields) check(field, partition.grid());
    Phase phase;
    if (rank == root) {
        phase.copies = pieces_of(partition, rank, fields);
        for (int peer = 0; peer < partition.ranks(); ++peer) {
            auto pieces = pieces_of(partition, peer, fields);
            if (peer != root && !pieces.empty()) phase.receives.push_back({peer, std::move(pieces)});
        }
    } else if (auto pieces = pieces_of(partition, rank, fields); !pieces.empty()) {
        phase.sends.push_back({root, std::move(pieces)});
    }
    return {rank, {fields.begin(), fields.end()}, {std::move(phase)}, Arrival::replace};
}

}  // namespace lapwing
