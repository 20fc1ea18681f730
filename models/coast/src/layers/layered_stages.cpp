// The stages of a step in three dimensions: what each of them reads and writes.
#include "lapwing_coast/c_grid.hpp"
#include "lapwing_coast/layers/layered_coast.hpp"

namespace lapwing_coast {

using lapwing::ahead;
using lapwing::around;
using lapwing::behind;
using lapwing::cross;
using lapwing::DeclaredStage;
using lapwing::reads;
using lapwing::stage;
using lapwing::updates;
using lapwing::writes;
using lapwing::x;
using lapwing::y;

namespace {

void append(std::vector<DeclaredStage>& list, const std::vector<DeclaredStage>& more) {
    list.insert(list.end(), more.begin(), more.end());
}

// The same for the momentum along x, then along y: declare(axis, across).
template <class Declare>
void append_both(std::vector<DeclaredStage>& list, const Declare& declare) {
    for (const Axis axis : horizontal_axes) list.push_back(declare(axis, other(axis)));
}

// 1 over the spacings, 1/m.
std::array<double, 2> over_spacing(const CoastSettings& s) { return {1.0 / s.spacing_x, 1.0 / s.spacing_y}; }

}  // namespace

// With a rim: computed twice from the sea level, the layers need not travel.
DeclaredStage LayeredCoast::layers_stage(const std::string& name, const LayerFields& layers) const {
    return stage(name, SigmaLayers{settings_.levels}, writes(layers.thickness), writes(layers.over_thickness[x]),
                 writes(layers.over_thickness[y]), reads(mode.sea_level, cross(ahead(x), ahead(y))), reads(mode.depth),
                 reads(mode.face_depth[x]), reads(mode.face_depth[y]))
        .rim(around(1));
}

// With a rim: temperature and salinity travel anyway.
DeclaredStage LayeredCoast::buoyancy_stage() const {
    const Buoyancy kernel{.water = settings_.water, .gravity = mode.settings().gravity, .levels = settings_.levels};
    return stage("buoyancy", kernel, writes(buoyancy_), reads(temperature), reads(salinity), reads(mode.sea_level),
                 reads(mode.depth))
        .rim(cross(ahead(x), ahead(y)));
}

// What density and the flow's own momentum do to the layers.
std::vector<DeclaredStage> LayeredCoast::tendency_stages() {
    const std::array<double, 2> over = over_spacing(mode.settings());
    std::vector<DeclaredStage> list;
    append_both(list, [&](Axis axis, Axis) {
        const InternalPressure kernel{axis, over[axis], settings_.drive[axis], settings_.levels};
        return stage(along("internal_pressure", axis), kernel, writes(tendency_[axis]), reads(buoyancy_, ahead(axis)),
                     reads(mode.sea_level, ahead(axis)), reads(mode.depth, ahead(axis)), reads(mode.face_depth[axis]));
    });
    append_both(list, [&](Axis axis, Axis across) {
        const MomentumAdvection kernel{axis, over[axis], over[across], settings_.levels};
        return stage(along("momentum_advection", axis), kernel, updates(tendency_[axis]), reads(flow[axis], cross(1)),
                     reads(flow[across], ahead(axis), behind(across)), reads(flow_z(), ahead(axis)),
                     reads(before_.over_thickness[axis], cross(1)));
    });
    return list;
}

// What the flow over all layers is and what it does to itself. The sums have a rim where the slow terms of the other
// axis and their advection read them, the speeds where the advection reads them: they need not travel.
std::vector<DeclaredStage> LayeredCoast::sum_stages() const {
    std::vector<DeclaredStage> list;
    append_both(list, [&](Axis axis, Axis) {
        return stage(along("layer_sum", axis), LayerSum{settings_.levels}, writes(sum_[axis]), reads(flow[axis]))
            .rim(around(1));
    });
    append_both(list, [&](Axis axis, Axis across) {
        const auto& [from_behind, from_here, to_next, from_next] = mode.slow[axis].speeds;
        return stage(along("carrying_speeds", axis), CarryingSpeeds{axis, settings_.levels}, writes(from_behind),
                     writes(from_here), writes(to_next), writes(from_next),
                     reads(flow[axis], cross(behind(axis), ahead(across))), reads(flow[across], ahead(axis)),
                     reads(before_.over_thickness[axis], cross(behind(axis), ahead(across))))
            .rim(cross(ahead(axis), behind(across)));
    });
    append_both(list, [&](Axis axis, Axis) { return mode.advection_of("sum_advection", sum_[axis], axis); });
    return list;
}

// What the layers give to the micro steps.
std::vector<DeclaredStage> LayeredCoast::slow_stages() const {
    const auto& over = before_.over_thickness;
    std::vector<DeclaredStage> list;
    append_both(list, [&](Axis axis, Axis across) {
        return stage(along("bottom_drag", axis), BottomDrag{axis, settings_.bottom_roughness}, writes(drag_[axis]),
                     reads(flow[axis]), reads(flow[across], ahead(axis), behind(across)), reads(over[axis]),
                     reads(over[across], ahead(axis), behind(across)));
    });
    append_both(list, [&](Axis axis, Axis across) {
        const SlowTerms kernel{axis, mode.settings().drag, &surface_.wind_stress[axis], settings_.levels};
        return stage(along("slow_terms", axis), kernel, writes(mode.slow[axis].terms), reads(tendency_[axis]),
                     reads(flow[axis]), reads(over[axis]), reads(drag_[axis]), reads(sum_[axis]),
                     reads(sum_[across], ahead(axis), behind(across)), reads(mode.slow[axis].change));
    });
    return list;
}

DeclaredStage LayeredCoast::mean_stage(bool first) const {
    const MeanTransport kernel{1.0 / settings_.micro_steps, first};
    const auto count = [&](const auto& mean_x, const auto& mean_y) {
        return stage("mean_transport", kernel, mean_x, mean_y, reads(mode.transport[x]), reads(mode.transport[y]));
    };
    return first ? count(writes(mean_[x]), writes(mean_[y])) : count(updates(mean_[x]), updates(mean_[y]));
}

// One of a loop of known length.
std::vector<DeclaredStage> LayeredCoast::micro_stages(int micro_step, Axis first) const {
    std::vector<DeclaredStage> list = mode.stages({first, other(first)}, micro_step);
    list.push_back(mean_stage(micro_step == 0));
    for (DeclaredStage& one : list) one = one.in_iteration(micro_step);
    return list;
}

std::vector<DeclaredStage> LayeredCoast::momentum_stages() {
    const CoastSettings& s = mode.settings();
    const double dt = time_step();  // s
    const std::array<double, 2> over = over_spacing(s), coriolis{s.coriolis, -s.coriolis};
    std::vector<DeclaredStage> list;
    append_both(list, [&](Axis axis, Axis across) {
        const LayerMomentum kernel{axis,
                                   dt,
                                   dt * coriolis[axis],
                                   dt * s.gravity * over[axis],
                                   &surface_.wind_stress[axis],
                                   settings_.levels,
                                   work_.data()};
        return stage(along("layer_momentum", axis), kernel, updates(flow[axis]),
                     reads(flow[across], ahead(axis), behind(across)), reads(tendency_[axis]),
                     reads(viscosity, ahead(axis)), reads(mode.face_depth[axis]), reads(mode.sea_level, ahead(axis)),
                     reads(mean_[axis]), reads(drag_[axis]));
    });
    return list;
}

DeclaredStage LayeredCoast::turbulence_stage() {
    const Turbulence kernel{.surface_stress = {.everywhere = &surface_.friction_velocity_squared},
                            .time_step = time_step(),
                            .bottom_roughness = settings_.bottom_roughness,
                            .surface_roughness = settings_.surface_roughness,
                            .levels = settings_.levels,
                            .work = work_.data()};
    return stage("turbulence", kernel, updates(tke), updates(dissipation), updates(viscosity), updates(diffusivity),
                 reads(buoyancy_), reads(flow[x], behind(x)), reads(flow[y], behind(y)),
                 reads(mode.face_depth[x], behind(x)), reads(mode.face_depth[y], behind(y)), reads(mode.depth),
                 reads(mode.sea_level, cross(1)));
}

DeclaredStage LayeredCoast::mixing_stage(const Field<double>& tracer, const double* surface_flux) {
    const MixTracer kernel{{.everywhere = surface_flux}, time_step(), settings_.levels, work_.data()};
    return stage("mix_" + tracer.name(), kernel, updates(tracer), reads(diffusivity), reads(mode.depth),
                 reads(mode.sea_level));
}

std::vector<DeclaredStage> LayeredCoast::velocity_stages() const {
    std::vector<DeclaredStage> list;
    append_both(list, [&](Axis axis, Axis) {
        return stage(along("velocity", axis), Velocity{settings_.levels}, writes(velocity[axis]), reads(flow[axis]),
                     reads(after_.over_thickness[axis]));
    });
    return list;
}

std::vector<DeclaredStage> LayeredCoast::stages(int first_micro_step) {
    std::vector<DeclaredStage> list{layers_stage("layers_before", before_), buoyancy_stage()};
    append(list, tendency_stages());
    append(list, sum_stages());
    append(list, slow_stages());
    for (int m = 0; m < settings_.micro_steps; ++m)
        append(list, micro_stages(m, (first_micro_step + m) % 2 == 0 ? x : y));
    list.push_back(layers_stage("layers_after", after_));
    append(list, momentum_stages());
    append(list, tracers_.flow_stages());
    if (settings_.k_epsilon) list.push_back(turbulence_stage());
    append(list, tracers_.stages());
    list.push_back(mixing_stage(temperature, &surface_.heat_flux));
    list.push_back(mixing_stage(salinity, &surface_.salt_flux));
    return list;
}

std::vector<std::vector<DeclaredStage>> LayeredCoast::cycle() {
    if (settings_.micro_steps % 2 == 0) return {stages(0)};
    return {stages(0), stages(settings_.micro_steps)};
}

}  // namespace lapwing_coast
