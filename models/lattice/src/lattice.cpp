#include "lapwing_lattice/lattice.hpp"

#include <cstring>

#include "lapwing/mpi/agreed_setup.hpp"

#include "lapwing_lattice/populations.hpp"
#include "lapwing_lattice/setup_check.hpp"
#include "lapwing_lattice/state_check.hpp"

namespace lapwing_lattice {

using namespace lapwing;

LatticeModel::LatticeModel(Domain& domain, const LatticeSettings& settings, const std::string& strategy,
                           const std::string& transport)
    : density(domain, "density"),
      velocity{{domain, "velocity_x"}, {domain, "velocity_y"}, {domain, "velocity_z"}},
      domain_(domain),
      settings_(settings) {
    require_agreed(domain, "settings of the lattice model", text_of_all(settings),
                   [&] { check_settings(domain, settings); });
    step_ = std::make_unique<Step>(domain, settings.single ? declare<float>() : declare<double>(),
                                   StepOptions{.strategy = strategy, .transport = transport});
}

template <class T>
std::vector<Stages> LatticeModel::declare() {
    const Extent reach = reach_of_step(domain_.partition(), settings_);
    const auto lattice = [&](const char* name) {
        const Field<T> made(domain_, name, options_of_populations(domain_.partition(), settings_));
        populations.push_back(made.field());
        return made;
    };
    const auto collide = [this](Pattern pattern) {
        return for_each_box([this, pattern](int box) { return kernel<T>(pattern, box); });
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

// Makes the rows of each box, once the populations have memory: the first kernel of a box finds its rows, the others
// share them.
template <class T>
LatticeKernel<T> LatticeModel::kernel(Pattern pattern, int box) {
    const Block& block = populations[0]->blocks()[box];
    const Partition& partition = domain_.partition();
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
        const Block& from = populations[0]->blocks()[b];
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
        const Block& block = populations[0]->blocks()[b];
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
    step_->run(static_cast<int>(steps), [&](Index step) { observing_ = step + 1 == steps; });
    step_number_ += steps;
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
