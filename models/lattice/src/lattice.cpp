#include "lapwing_lattice/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_lattice/state_check.hpp"

namespace lapwing_lattice {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Index3;

namespace {

// Everything that a run depends on, to the bit.
std::string text_of_all(const LatticeSettings& s) {
    return lapwing::text_of(s) + " solid cells " + lapwing::Digest().add(std::as_bytes(std::span(s.solid))).text();
}

void check_tau(const char* name, double tau) {
    if (std::isfinite(tau) && tau > 0.5) return;
    lapwing::user_error(name, std::to_string(tau), "more than 0.5, where the viscosity is above 0",
                        "choose a larger viscosity, a lower Reynolds number or a finer grid");
}

void check_side(const Side& side) {
    const auto [x, y, z] = side.velocity;
    const double mach = mach_number(x, y, z);
    if (!(mach <= largest_mach))
        lapwing::user_error("Mach number at a side of the grid", std::to_string(mach),
                            "at most " + std::to_string(largest_mach) + ", beyond which the lattice is compressible",
                            "choose a slower flow on a finer grid");
    if (!(std::isfinite(side.density) && side.density > 0.0))
        lapwing::user_error("density at a side of the grid", std::to_string(side.density), "a finite value above 0",
                            "densities of the lattice are about 1");
}

void check_settings(const Domain& domain, const LatticeSettings& s) {
    check_tau("tau", s.tau);
    check_tau("tau of what is odd", s.tau_minus);
    for (const double force : s.force)
        if (!std::isfinite(force)) lapwing::user_error("force", std::to_string(force), "a finite value", "correct it");
    for (const Side& side : s.sides) check_side(side);
    const Index3& size = domain.partition().grid().size;
    const std::size_t cells = size[0] * size[1] * size[2];
    if (!s.solid.empty() && s.solid.size() != cells)
        lapwing::user_error("obstacle mask", std::to_string(s.solid.size()) + " cells",
                            std::to_string(cells) + ", those of the grid", "make the mask for this grid");
}

// Cells of rows that close on themselves, where x does and no box cuts it: in place, the kernels look across their ends
// themselves. 0: there are none. On two lattices that gains nothing, as the halo there has lines of its own.
Index closed_rows(const lapwing::Partition& partition, const LatticeSettings& s) {
    const lapwing::Grid& grid = partition.grid();
    const auto whole = [&](const lapwing::Subdomain& one) { return one.box.size(0) == grid.size[0]; };
    const bool close = s.in_place && grid.periodic[0] && std::ranges::all_of(partition.subdomains(), whole);
    return close ? grid.size[0] : 0;
}

// How far populations are read around a cell beyond what is in reach of its row.
Extent reach_of_step(const lapwing::Partition& partition, const LatticeSettings& s) {
    Extent reach = Extent::uniform(1);
    if (closed_rows(partition, s) > 0) reach.lo[0] = reach.hi[0] = 0;
    return reach;
}

// A population is read from the cell that it comes from; in place, the cell that it flies to has written it there.
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

// Lattices that are not much larger than the caches gain more from lines that wait there for the next step.
Stores best_stores(const Domain& domain, const LatticeSettings& s) {
    const auto share = static_cast<double>(lapwing::cache_share(domain.node().ranks()));
    return field_bytes(domain, s) > 2.0 * share ? Stores::past_caches : Stores::cached;
}

}  // namespace

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

LatticeModel::LatticeModel(Domain& domain, const LatticeSettings& settings, const std::string& strategy,
                           const std::string& transport)
    : density(domain, "density"),
      velocity{{domain, "velocity_x"}, {domain, "velocity_y"}, {domain, "velocity_z"}},
      domain_(domain),
      settings_(settings) {
    lapwing::require_agreed(domain, "settings of the lattice model", text_of_all(settings),
                            [&] { check_settings(domain, settings); });
    step_ = std::make_unique<lapwing::Step>(domain, settings.single ? declare<float>() : declare<double>(),
                                            lapwing::StepOptions{.strategy = strategy, .transport = transport});
}

template <class T>
std::vector<std::vector<lapwing::DeclaredStage>> LatticeModel::declare() {
    const Extent reach = reach_of_step(domain_.partition(), settings_);
    const auto lattice = [&](const char* name) {
        const Field<T> made(domain_, name, options_of_populations(domain_.partition(), settings_));
        populations.push_back(made.field());
        return made;
    };
    const auto collide = [this](Pattern pattern) {
        return lapwing::for_each_box([this, pattern](int box) { return kernel<T>(pattern, box); });
    };
    if (in_place()) {
        const auto all = lattice("populations");
        const auto both_ways = scatters(all, reach).but_keeps([this] { return guarded(); });
        return {{stage("collide_around", collide(Pattern::around), both_ways, writes(density), writes(velocity))},
                {stage("collide_within", collide(Pattern::within), updates(all), writes(density), writes(velocity))}};
    }
    const auto even = lattice("populations_0"), odd = lattice("populations_1");
    const auto pulled = [&](const auto& from, const auto& to) {
        return std::vector{stage("stream_and_collide", collide(Pattern::pull), reads(from, reach), writes(to),
                                 writes(density), writes(velocity))};
    };
    return {pulled(even, odd), pulled(odd, even)};
}

// Of each box in turn, once the populations have memory: the first kernel of a box finds its rows, the others share
// them.
template <class T>
LatticeKernel<T> LatticeModel::kernel(Pattern pattern, int box) {
    const lapwing::Block& block = populations[0]->blocks()[box];
    const lapwing::Partition& partition = domain_.partition();
    if (std::ssize(rows_) == box)
        rows_.push_back(
            std::make_shared<const FluidRows>(block.allocated, partition.grid(), settings_.sides, settings_.solid));
    return {.pattern = pattern,
            .forced = settings_.force != std::array<double, 3>{},
            .relaxation{1.0 / settings_.tau, 1.0 / settings_.tau_minus, settings_.force},
            .echoes = make_echoes<T>(settings_.sides),
            .rows = rows_[box],
            .observing = &observing_,
            .first = block.owned.lo[0],
            .stores = best_stores(domain_, settings_),
            .closed = closed_rows(partition, settings_)};
}

void LatticeModel::start() {
    settings_.single ? put_equilibrium<float>() : put_equilibrium<double>();
    for (const auto& lattice : populations) lattice->modified();
}

template <class T>
void LatticeModel::put_equilibrium() {
    for (int b = 0; b < std::ssize(rows_); ++b) {
        const lapwing::Block& from = populations[0]->blocks()[b];
        typename LatticeKernel<T>::Velocity views;
        for (const auto& along : velocity) views.push_back(along.memory().view<double>(b));
        kernel<T>(in_place() ? Pattern::around : Pattern::pull, b)
            .put_equilibrium(from.owned, populations[0]->view<T>(b), density.memory().view<double>(b), views);
        // so that solid cells are the same in both
        if (!in_place()) std::memcpy(populations[1]->blocks()[b].data, from.data, from.strides[3] * directions);
    }
}

// Cells next to the box of another rank leave what comes back from a wall there in their own places, which no fluid
// cell of that rank writes: what it would return is what they were before the step.
std::vector<std::byte*> LatticeModel::guarded() const {
    std::vector<std::byte*> places;
    for (std::size_t b = 0; b < rows_.size(); ++b) {
        const lapwing::Block& block = populations[0]->blocks()[b];
        const auto& [lo, hi] = block.owned;
        for (Index k = lo[2]; k < hi[2]; ++k)
            for (Index j = lo[1]; j < hi[1]; ++j)
                for (const Link& link : rows_[b]->links(j, k, lo[0], hi[0])) {
                    const Index3& c = velocities[link.incoming];
                    if (block.owned.contains(Index3{link.i - c[0], j - c[1], k - c[2]})) continue;
                    places.push_back(block.at({link.i, j, k}, link.incoming));
                }
    }
    return places;
}

void LatticeModel::advance(Index steps) {
    const Index last = step_number_ + steps;
    step_->run(static_cast<int>(steps), [&] { observing_ = ++step_number_ == last; });
}

void LatticeModel::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % 2));
}

void LatticeModel::check_state() { lapwing_lattice::check_state(domain_, *this); }

Index LatticeModel::fluid_cells() const {
    Index cells = 0;
    for (std::size_t b = 0; b < rows_.size(); ++b) cells += rows_[b]->fluid_cells(density.memory().blocks()[b].owned);
    return cells;
}

}  // namespace lapwing_lattice
