#include "heat.hpp"

#include <cmath>

namespace heat {

using lapwing::Index;

namespace {

lapwing::Field make_field(const lapwing::Domain& domain, std::string name) {
    lapwing::FieldSpec spec;
    spec.name = std::move(name);
    const lapwing::Extent room = domain.halo_with_spare(lapwing::Extent::horizontal(1), spec.name);
    return {domain.partition(), domain.rank(), std::move(spec), room};
}

void spread(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const HeatContext*>(context);
    const auto& [along_x, along_y] = at.settings.weights;
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double here = at.heat(i, j);
            const double west = i > 0 ? at.heat(i - 1, j) : here, east = i + 1 < at.size[0] ? at.heat(i + 1, j) : here;
            const double south = j > 0 ? at.heat(i, j - 1) : here,
                         north = j + 1 < at.size[1] ? at.heat(i, j + 1) : here;
            const double change = along_x * (west + east - 2 * here) + along_y * (south + north - 2 * here);
            at.next(i, j) = here + at.settings.strength * change;
        }
}

void take(void* context, lapwing::Box box) {
    const auto& at = *static_cast<const HeatContext*>(context);
    for (Index j = box.lo[1]; j < box.hi[1]; ++j)
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) at.heat(i, j) = at.next(i, j);
}

}  // namespace

Heat::Heat(lapwing::Domain& domain, const HeatSettings& settings)
    : heat(make_field(domain, "heat")), next(make_field(domain, "next")), settings_(settings) {
    for (int block = 0; block < static_cast<int>(heat.blocks().size()); ++block)
        contexts_.push_back(
            {heat.view<double>(block), next.view<double>(block), domain.partition().grid().size, settings_});
}

void Heat::begin() {
    for (std::size_t b = 0; b < contexts_.size(); ++b) {
        const lapwing::Box& owned = heat.blocks()[b].owned;
        for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
            for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                const auto wave = std::sin(0.3 * static_cast<double>(i + 2 * j));
                contexts_[b].heat(i, j) = settings_.start == Start::wave ? wave : i + j == 0 ? 1.0 : 0.0;
            }
    }
    heat.modified();
}

std::vector<lapwing::Stage> Heat::stages() {
    lapwing::Stage spreading, taking;
    spreading.name = "spread";
    lapwing::Extent around = lapwing::Extent::horizontal(1);
    around.corners = false;
    spreading.reads = {{&heat, around}};
    spreading.writes = {&next};
    spreading.kernel = spread;
    taking.name = "take";
    taking.reads = {{&next, {}}};
    taking.writes = {&heat};
    taking.kernel = take;
    for (HeatContext& context : contexts_) {
        spreading.contexts.push_back(&context);
        taking.contexts.push_back(&context);
    }
    return {spreading, taking};
}

}  // namespace heat
