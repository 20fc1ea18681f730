#include "lapwing_lattice/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "lapwing_lattice/state_check.hpp"

namespace lapwing_lattice {

using lapwing::Box;
using lapwing::Domain;
using lapwing::Extent;
using lapwing::Field;
using lapwing::Index;
using lapwing::Index3;
using lapwing::Stage;

LatticeModel::Numbers::Numbers(const LatticeSettings& s)
    : relaxation_double(1.0 / s.tau, 1.0 / s.tau_minus, s.force),
      relaxation_single(1.0 / s.tau, 1.0 / s.tau_minus, s.force),
      echoes_double(make_echoes<double>(s.sides)),
      echoes_single(make_echoes<float>(s.sides)) {}

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

void check_memory(const Domain& domain, const LatticeSettings& s) {
    const double needed = field_bytes(domain, s) * domain.ranks_on_node();
    const auto available = static_cast<double>(lapwing::available_memory());
    if (needed <= available) return;
    std::ostringstream got, expected;
    got.precision(4);
    expected.precision(4);
    got << available << " bytes available on this node";
    expected << needed << " bytes for the fields of its " << domain.ranks_on_node() << " ranks";
    lapwing::user_error("memory", got.str(), expected.str(),
                        "use more nodes, fewer cells, lattice.kernel in-place or lattice.precision single");
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
    check_memory(domain, s);
}

LatticeSettings checked(const Domain& domain, const LatticeSettings& settings) {
    lapwing::together(domain.comm(), [&] { check_settings(domain, settings); });
    lapwing::require_same(domain.comm(), "settings of the lattice model", text_of_all(settings));
    return settings;
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
lapwing::FieldSpec populations_spec(const lapwing::Partition& partition, const LatticeSettings& s, std::string name) {
    const Extent most = reach_of_step(partition, s);
    lapwing::FieldSpec spec;
    spec.name = std::move(name);
    spec.type = s.single ? lapwing::ElementType::float32 : lapwing::ElementType::float64;
    spec.components = static_cast<int>(directions);
    spec.extents.clear();
    for (const Index3& c : velocities) {
        Extent reach;
        for (std::size_t a = 0; a < 3; ++a) {
            const int way = static_cast<int>(s.in_place ? -c[a] : c[a]);
            reach.lo[a] = std::clamp(way, 0, most.lo[a]);
            reach.hi[a] = std::clamp(-way, 0, most.hi[a]);
        }
        spec.extents.push_back(reach);
    }
    return spec;
}

// A lattice each.
std::vector<std::string> population_names(const LatticeSettings& s) {
    if (s.in_place) return {"populations"};
    return {"populations_0", "populations_1"};
}

Extent population_halo(const Domain& domain, const std::string& name) {
    return domain.halo_with_spare(Extent::uniform(1), name);
}

// In place, the ends of padded rows would be fetched for nothing.
lapwing::RowLayout row_layout(const LatticeSettings& s) {
    return s.in_place ? lapwing::RowLayout::packed : lapwing::RowLayout::on_lines;
}

std::vector<Field> make_populations(const Domain& domain, const LatticeSettings& s) {
    std::vector<Field> fields;
    for (const std::string& name : population_names(s)) {
        fields.push_back(Field::with_own_pages(domain.partition(), domain.rank(),
                                               populations_spec(domain.partition(), s, name),
                                               population_halo(domain, name), row_layout(s)));
    }
    return fields;
}

Field make_field(const Domain& domain, const char* name) {
    lapwing::FieldSpec spec;
    spec.name = name;
    return {domain.partition(), domain.rank(), spec, domain.halo_with_spare({}, name)};
}

// Lattices that are not much larger than the caches gain more from lines that wait there for the next step.
Stores best_stores(const Domain& domain, const LatticeSettings& s) {
    const auto share = static_cast<double>(lapwing::cache_share(domain.ranks_on_node()));
    return field_bytes(domain, s) > 2.0 * share ? Stores::past_caches : Stores::cached;
}

std::vector<void*> addresses(std::vector<LatticeContext>& contexts) {
    std::vector<void*> all;
    for (LatticeContext& context : contexts) all.push_back(&context);
    return all;
}

}  // namespace

double field_bytes(const Domain& domain, const LatticeSettings& settings) {
    const lapwing::Partition& partition = domain.partition();
    double bytes = 0.0;
    for (const std::string& name : population_names(settings))
        bytes += static_cast<double>(Field::own_pages_bytes(partition, domain.rank(),
                                                            populations_spec(partition, settings, name),
                                                            population_halo(domain, name), row_layout(settings)));
    for (const int s : partition.subdomains_of(domain.rank()))  // density and velocity
        bytes += 4.0 * sizeof(double) * static_cast<double>(partition.subdomain(s).box.volume());
    return bytes;
}

LatticeModel::LatticeModel(Domain& domain, const LatticeSettings& settings, const std::string& strategy,
                           const std::string& transport)
    : populations(make_populations(domain, checked(domain, settings))),
      density(make_field(domain, "density")),
      velocity{make_field(domain, "velocity_x"), make_field(domain, "velocity_y"), make_field(domain, "velocity_z")},
      domain_(domain),
      settings_(settings),
      numbers_(settings) {
    const std::size_t blocks = density.blocks().size();
    rows_.reserve(blocks);
    for (std::size_t b = 0; b < blocks; ++b) {
        rows_.emplace_back(populations[0].blocks()[b].allocated, domain.partition().grid(), settings.sides,
                           settings.solid);
        make_contexts(b);
        if (in_place()) find_guarded(b);
    }
    if (in_place()) {
        const std::size_t kept = guarded_.size() * bytes_of_value();
        halo_return_ = std::make_unique<lapwing::HaloReturn>(domain, populations[0], transport, kept);
    }
    step_ = std::make_unique<lapwing::Step>(domain, cycle(), strategy, transport);
}

void LatticeModel::make_contexts(std::size_t b) {
    for (std::size_t position = 0; position < 2; ++position) {
        LatticeContext context;
        context.from = &populations[in_place() ? 0 : position].blocks()[b];
        context.to = &populations[in_place() ? 0 : 1 - position].blocks()[b];
        context.rows = &rows_[b];
        context.closed = closed_rows(domain_.partition(), settings_);
        if (settings_.single) {
            context.relaxation = &numbers_.relaxation_single;
            context.echoes = &numbers_.echoes_single;
        } else {
            context.relaxation = &numbers_.relaxation_double;
            context.echoes = &numbers_.echoes_double;
        }
        context.observing = &observing_;
        context.density = density.view<double>(static_cast<int>(b));
        for (std::size_t a = 0; a < 3; ++a) context.velocity[a] = velocity[a].view<double>(static_cast<int>(b));
        contexts_[position].push_back(context);
    }
}

Pattern LatticeModel::pattern(std::size_t position) const {
    if (!in_place()) return Pattern::pull;
    return position == 0 ? Pattern::around : Pattern::within;
}

void LatticeModel::start() {
    for (LatticeContext& context : contexts_[0]) {
        if (settings_.single) {
            put_equilibrium<float>(context, pattern(0));
        } else {
            put_equilibrium<double>(context, pattern(0));
        }
    }
    if (!in_place()) {  // so that solid cells are the same in both
        for (std::size_t b = 0; b < rows_.size(); ++b) {
            const lapwing::Block &from = populations[0].blocks()[b], &to = populations[1].blocks()[b];
            std::memcpy(to.data, from.data, from.strides[3] * directions);
        }
    }
    for (Field& field : populations) field.modified();
}

// Cells next to the box of another rank leave what comes back from a wall there in their own places, which no fluid
// cell of that rank writes: what it would return is what they were before the step.
void LatticeModel::find_guarded(std::size_t b) {
    const lapwing::Block& block = populations[0].blocks()[b];
    const Box& owned = block.owned;
    for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (const Link& link : rows_[b].links(j, k, owned.lo[0], owned.hi[0])) {
                const Index3& c = velocities[link.incoming];
                if (owned.contains(Index3{link.i - c[0], j - c[1], k - c[2]})) continue;
                guarded_.push_back(block.at({link.i, j, k}, link.incoming));
            }
}

std::vector<std::vector<Stage>> LatticeModel::cycle() {
    std::vector<std::vector<Stage>> steps;
    const bool forced = settings_.force != std::array<double, 3>{};
    const Stores stores = best_stores(domain_, settings_);
    for (std::size_t position = 0; position < 2; ++position) {
        const Pattern how = pattern(position);
        Field& from = populations[in_place() ? 0 : position];
        Stage stage;
        stage.name = how == Pattern::pull     ? "stream_and_collide"
                     : how == Pattern::around ? "collide_around"
                                              : "collide_within";
        stage.reads = {{&from, how == Pattern::within ? Extent{} : reach_of_step(domain_.partition(), settings_)}};
        stage.writes = {&populations[in_place() ? 0 : 1 - position], &density, &velocity[0], &velocity[1],
                        &velocity[2]};
        stage.kernel =
            settings_.single ? lattice_kernel<float>(how, forced, stores) : lattice_kernel<double>(how, forced, stores);
        stage.contexts = addresses(contexts_[position]);
        if (how == Pattern::around) {
            stage.in_place = true;
            stage.collective = {[](void* model) { static_cast<LatticeModel*>(model)->return_halos(); }, this,
                                &halo_return_->plan()};
        }
        steps.push_back({std::move(stage)});
    }
    return steps;
}

void LatticeModel::advance(Index steps) {
    step_->agree_on_modified();
    for (Index n = 0; n < steps; ++n) {
        observing_ = n + 1 == steps;
        step_->run(n + 1 < steps);
        ++step_number_;
    }
}

void LatticeModel::resume(Index step_number) {
    step_number_ = step_number;
    step_->restart_at(static_cast<int>(step_number % 2));
}

void LatticeModel::check_state() { lapwing_lattice::check_state(domain_, *this); }

Index LatticeModel::fluid_cells() const {
    Index cells = 0;
    for (std::size_t b = 0; b < rows_.size(); ++b) cells += rows_[b].fluid_cells(density.blocks()[b].owned);
    return cells;
}

}  // namespace lapwing_lattice
