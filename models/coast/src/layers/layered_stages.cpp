// The stages of a step in three dimensions: what each reads and writes.
#include "lapwing_coast/layers/layered_coast.hpp"

namespace lapwing_coast {

using namespace lapwing;

// A rim replaces messages: computed twice from the sea level, the layers need not travel. Horizontal mixing reads the
// strain of the flow one cell around, and so the flow and the layers two cells around.
Stage LayeredCoast::layers_stage(const std::string& name, const LayerFields& layers) const {
    return stage(name, SigmaLayers{settings_.levels, shape()}, writes(layers.thickness),
                 writes(layers.over_thickness[x]), writes(layers.over_thickness[y]),
                 reads(mode.sea_level, cross(ahead(x), ahead(y))), reads(mode.depth), reads(mode.face_depth[x]),
                 reads(mode.face_depth[y]), reads(mode.metrics.area))
        .rim(around(settings_.mixing.of_momentum() ? 2 : 1));
}

// A rim replaces messages: temperature and salinity travel anyway.
Stage LayeredCoast::buoyancy_stage() const {
    const Buoyancy kernel{.water = settings_.water, .gravity = mode.settings().gravity, .levels = settings_.levels};
    return stage("buoyancy", kernel, writes(buoyancy_), reads(temperature), reads(salinity), reads(mode.sea_level),
                 reads(mode.depth))
        .rim(cross(ahead(x), ahead(y)));
}

// The stages of the effect of density and the flow's own momentum on the layers.
Stages LayeredCoast::tendency_stages() {
    const auto pressure = [&](Axis axis, Axis) {
        const InternalPressure kernel{axis, over_spacing(axis), settings_.drive[axis], settings_.levels, shape()};
        return stage(along("internal_pressure", axis), kernel, writes(tendency_[axis]), reads(buoyancy_, ahead(axis)),
                     reads(mode.sea_level, ahead(axis)), reads(mode.depth, ahead(axis)), reads(mode.face_depth[axis]),
                     reads(mode.metrics.over_distance[axis]));
    };
    const Metrics& metrics = mode.metrics;
    const auto advection = [&](Axis axis, Axis across) {
        const MomentumAdvection kernel{axis, over_spacing(axis), over_spacing(across), settings_.levels, shape()};
        return stage(along("momentum_advection", axis), kernel, updates(tendency_[axis]), reads(flow[axis], cross(1)),
                     reads(flow[across], around_face(axis)), reads(flow_z(), ahead(axis)),
                     reads(before_.over_thickness[axis], cross(1)), reads(metrics.width[axis], cross(1)),
                     reads(metrics.width[across], around_face(axis)), reads(metrics.over_face_area[axis]),
                     reads(metrics.widening_along[axis]), reads(metrics.widening_across[axis]));
    };
    return in_order(both(pressure), both(advection), momentum_mixing_stages());
}

// The stages of horizontal mixing of momentum; none without. Rims replace all messages.
Stages LayeredCoast::momentum_mixing_stages() const {
    if (!settings_.mixing.of_momentum()) return {};
    const int levels = settings_.levels;
    const CoastSettings& s = mode.settings();
    const auto& over = before_.over_thickness;
    const Metrics& m = mode.metrics;
    const Extent at_both = cross(behind(x), ahead(y)), at_both_y = cross(behind(y), ahead(x));
    const Stage strain =
        stage("strain", Strain{{over_spacing(x), over_spacing(y)}, levels, shape()}, writes(strain_[0]),
              writes(strain_[1]), reads(flow[x], at_both), reads(flow[y], at_both_y), reads(over[x], at_both),
              reads(over[y], at_both_y), reads(m.over_distance[x], at_both), reads(m.over_distance[y], at_both_y))
            .rim(around(1));
    const auto stress = [&](int own, Location at, const Extent& around_it, const Extent& cells, const Extent& rim) {
        const MixingStress kernel{settings_.mixing, 0.5 * largest_diffusivity_, s.spacing_x * s.spacing_y, at, levels};
        return stage(stress_[own].name(), kernel, writes(stress_[own]), reads(strain_[own]),
                     reads(strain_[1 - own], around_it), reads(before_.thickness, cells), reads(m.area, cells))
            .rim(rim);
    };
    const Extent back = combined({behind(x), behind(y)}), forth = combined({ahead(x), ahead(y)});
    const auto momentum = [&](Axis axis, Axis across) {
        const MixMomentum kernel{axis, over_spacing(axis), over_spacing(across), levels};
        return stage(along("horizontal_mixing", axis), kernel, updates(tendency_[axis]), reads(stress_[0], ahead(axis)),
                     reads(stress_[1], behind(across)), reads(over[axis]), reads(m.over_distance[axis]),
                     reads(m.width[axis]));
    };
    return in_order(Stages{strain, stress(0, Location::center, back, Extent{}, forth),
                           stress(1, Location::corner, forth, forth, back)},
                    both(momentum));
}

// The stages of horizontal mixing of a tracer; none without. The flux has a rim, so that it need not travel.
Stages LayeredCoast::tracer_mixing_stages(const Field<double>& tracer) const {
    if (!settings_.mixing.of_tracers()) return {};
    const Metrics& m = mode.metrics;
    const auto flux = [&](Axis axis, Axis) {
        const double number = time_step() * settings_.mixing.diffusivity * over_spacing(axis) * over_spacing(axis);
        return stage(along(tracer.name() + "_diffused", axis), DiffusiveFlux{axis, number, settings_.levels},
                     writes(diffused_[axis]), reads(tracer, ahead(axis)), reads(before_.thickness, ahead(axis)),
                     reads(mode.face_depth[axis]), reads(m.area, ahead(axis)), reads(m.width[axis]),
                     reads(m.over_distance[axis]))
            .rim(behind(axis));
    };
    return in_order(both(flux), Stages{stage("diffuse_" + tracer.name(), TakeFlux{settings_.levels}, updates(tracer),
                                             reads(diffused_[x], behind(x)), reads(diffused_[y], behind(y)),
                                             reads(before_.thickness))});
}

// The stages of the flow over all layers and of its effect on itself. The sums have a rim where the slow terms of the
// other axis and their advection read them, the speeds where the advection reads them: they need not travel.
Stages LayeredCoast::sum_stages() const {
    const auto sum = [&](Axis axis, Axis) {
        return stage(along("layer_sum", axis), LayerSum{settings_.levels}, writes(sum_[axis]), reads(flow[axis]))
            .rim(around(1));
    };
    const auto speeds = [&](Axis axis, Axis across) {
        const Extent back_and_side = cross(behind(axis), ahead(across));
        const auto& [from_behind, from_here, to_next, from_next] = mode.slow[axis].speeds;
        return stage(along("carrying_speeds", axis), CarryingSpeeds{axis, settings_.levels}, writes(from_behind),
                     writes(from_here), writes(to_next), writes(from_next), reads(flow[axis], back_and_side),
                     reads(flow[across], ahead(axis)), reads(before_.over_thickness[axis], back_and_side),
                     reads(mode.metrics.width[axis], back_and_side), reads(mode.metrics.width[across], ahead(axis)))
            .rim(cross(ahead(axis), behind(across)));
    };
    const auto advection = [&](Axis axis, Axis) { return mode.advection_of("sum_advection", sum_[axis], axis); };
    return in_order(both(sum), both(speeds), both(advection));
}

// The stages of what the layers give to the micro steps.
Stages LayeredCoast::slow_stages() const {
    const auto& over = before_.over_thickness;
    const auto drag = [&](Axis axis, Axis across) {
        return stage(along("bottom_drag", axis), BottomDrag{axis, settings_.bottom_roughness, shape()},
                     writes(drag_[axis]), reads(flow[axis]), reads(flow[across], around_face(axis)), reads(over[axis]),
                     reads(over[across], around_face(axis)));
    };
    const auto terms = [&](Axis axis, Axis across) {
        const SlowTerms kernel{axis, mode.settings().drag, &surface_.wind_stress[axis], settings_.levels, shape()};
        return stage(along("slow_terms", axis), kernel, writes(mode.slow[axis].terms), reads(tendency_[axis]),
                     reads(flow[axis]), reads(over[axis]), reads(drag_[axis]), reads(sum_[axis]),
                     reads(sum_[across], around_face(axis)), reads(mode.slow[axis].change),
                     reads(mode.air.stress[axis]), reads(mode.air.drive[axis]));
    };
    return in_order(both(drag), both(terms));
}

// The tide, driven by the slow terms, and the mean of its transports: a loop of known length.
Stages LayeredCoast::micro_stages(int first_micro_step) const {
    Stages list;
    for (int m = 0; m < settings_.micro_steps; ++m) {
        const Axis first = (first_micro_step + m) % 2 == 0 ? x : y;
        for (const Stage& one : in_order(mode.stages({first, other(first)}, m), mean_stage(m == 0)))
            list.push_back(one.in_iteration(m));
    }
    return list;
}

Stage LayeredCoast::mean_stage(bool first) const {
    const MeanTransport kernel{1.0 / settings_.micro_steps, first};
    const auto mean = [&](Axis axis) { return first ? writes(mean_[axis]) : updates(mean_[axis]); };
    return stage("mean_transport", kernel, mean(x), mean(y), reads(mode.transport[x]), reads(mode.transport[y]));
}

Stages LayeredCoast::momentum_stages() {
    const CoastSettings& s = mode.settings();
    return both([&](Axis axis, Axis across) {
        const double dt = time_step(), coriolis = axis == x ? s.coriolis : -s.coriolis;  // s, 1/s
        const LayerMomentum kernel{.axis = axis,
                                   .time_step = dt,
                                   .coriolis = dt * coriolis,
                                   .gravity = dt * s.gravity * over_spacing(axis),
                                   .surface_stress = &surface_.wind_stress[axis],
                                   .levels = settings_.levels,
                                   .work = work_.data(),
                                   .shape = shape()};
        return stage(along("layer_momentum", axis), kernel, updates(flow[axis]), reads(flow[across], around_face(axis)),
                     reads(tendency_[axis]), reads(viscosity, ahead(axis)), reads(mode.face_depth[axis]),
                     reads(mode.sea_level, ahead(axis)), reads(mean_[axis]), reads(drag_[axis]),
                     reads(mode.metrics.coriolis[axis]), reads(mode.metrics.over_distance[axis]),
                     reads(mode.air.stress[axis]), reads(mode.air.drive[axis]));
    });
}

Stages LayeredCoast::turbulence_stages() {
    if (!settings_.k_epsilon) return {};
    const Turbulence kernel{.surface_stress = {.everywhere = &surface_.friction_velocity_squared},
                            .time_step = time_step(),
                            .bottom_roughness = settings_.bottom_roughness,
                            .surface_roughness = settings_.surface_roughness,
                            .levels = settings_.levels,
                            .work = work_.data(),
                            .shape = shape()};
    // Where the air differs from place to place, its stress is a field.
    const auto under_air = [kernel](Box box, const auto& friction, const auto&... views) {
        Turbulence here = kernel;
        if (!friction.empty()) here.surface_stress.field = friction[0];
        here(box, views...);
    };
    return {stage("turbulence", under_air, reads(mode.air.friction), updates(tke), updates(dissipation),
                  updates(viscosity), updates(diffusivity), reads(buoyancy_), reads(flow[x], behind(x)),
                  reads(flow[y], behind(y)), reads(mode.face_depth[x], behind(x)), reads(mode.face_depth[y], behind(y)),
                  reads(mode.depth), reads(mode.sea_level, cross(1)))};
}

Stage LayeredCoast::mixing_stage(const Field<double>& tracer, const double* surface_flux) {
    const MixTracer kernel{{.everywhere = surface_flux}, time_step(), settings_.levels, work_.data(), shape()};
    return stage("mix_" + tracer.name(), kernel, updates(tracer), reads(diffusivity), reads(mode.depth),
                 reads(mode.sea_level));
}

Stages LayeredCoast::velocity_stages() const {
    return both([&](Axis axis, Axis) {
        return stage(along("velocity", axis), Velocity{settings_.levels, shape()}, writes(velocity[axis]),
                     reads(flow[axis]), reads(after_.over_thickness[axis]));
    });
}

Stages LayeredCoast::stages(int first_micro_step) {
    return in_order(
        mode.air_stages(), layers_stage("layers_before", before_), buoyancy_stage(), tendency_stages(), sum_stages(),
        slow_stages(), micro_stages(first_micro_step), layers_stage("layers_after", after_), momentum_stages(),
        mode.inflow_stages(before_.thickness, temperature, salinity, time_step(), shape()),
        tracer_mixing_stages(temperature), tracer_mixing_stages(salinity), tracers_.flow_stages(), turbulence_stages(),
        tracers_.stages(), mixing_stage(temperature, &surface_.heat_flux), mixing_stage(salinity, &surface_.salt_flux));
}

std::vector<Stages> LayeredCoast::cycle() {
    if (settings_.micro_steps % 2 == 0) return {stages(0)};
    return {stages(0), stages(settings_.micro_steps)};
}

}  // namespace lapwing_coast
