#include "lapwing_lattice/populations.hpp"

#include <algorithm>

#include "lapwing/memory/node_memory.hpp"

namespace lapwing_lattice {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Index;
using lapwing::Index3;

Index closed_rows(const lapwing::Partition& partition, const LatticeSettings& s) {
    const lapwing::Grid& grid = partition.grid();
    const auto whole = [&](const lapwing::Subdomain& one) { return one.box.size(0) == grid.size[0]; };
    const bool close = s.in_place && grid.periodic[0] && std::ranges::all_of(partition.subdomains(), whole);
    return close ? grid.size[0] : 0;
}

Extent reach_of_step(const lapwing::Partition& partition, const LatticeSettings& s) {
    Extent reach = Extent::uniform(1);
    if (closed_rows(partition, s) > 0) reach.lo[0] = reach.hi[0] = 0;
    return reach;
}

lapwing::FieldOptions options_of_populations(const lapwing::Partition& partition, const LatticeSettings& s) {
    const Extent most = reach_of_step(partition, s);
    lapwing::FieldOptions options{.components = static_cast<int>(directions), .own_pages = true};
    options.halo = Extent::uniform(1);  // the ends of rows that close on themselves too
    for (const Index3& c : velocities) {
        Extent& reach = options.component_extents.emplace_back();
        for (std::size_t a = 0; a < 3; ++a) {
            const int way = static_cast<int>(s.in_place ? -c[a] : c[a]);
            reach.lo[a] = std::clamp(way, 0, most.lo[a]);
            reach.hi[a] = std::clamp(-way, 0, most.hi[a]);
        }
    }
    // in place, the ends of padded rows would be fetched for nothing
    options.rows = s.in_place ? lapwing::RowLayout::packed : lapwing::RowLayout::on_lines;
    return options;
}

double field_bytes(const Domain& domain, const LatticeSettings& settings) {
    const auto per_cell = directions * (settings.single ? sizeof(float) : sizeof(double)) * (settings.in_place ? 1 : 2);
    double bytes = 0.0;
    for (const int s : domain.partition().subdomains_of(domain.rank())) {
        const Box& box = domain.partition().subdomain(s).box;
        bytes += static_cast<double>(per_cell) * static_cast<double>(grow(box, Extent::uniform(1)).volume());
        bytes += 4.0 * sizeof(double) * static_cast<double>(box.volume());  // density and velocity
    }
    return bytes;
}

Stores best_stores(const Domain& domain, const LatticeSettings& s) {
    const auto share = static_cast<double>(lapwing::cache_share(domain.node().ranks()));
    return field_bytes(domain, s) > 2.0 * share ? Stores::past_caches : Stores::cached;
}

}  // namespace lapwing_lattice
