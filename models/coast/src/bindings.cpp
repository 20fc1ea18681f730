// lapwing_coast._kernels: glue without logic.
#include "lapwing_coast/coast.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>

#include "lapwing/bind_settings.hpp"

#include "lapwing_coast/layers/layered_coast.hpp"
#include "lapwing_coast/state_check.hpp"
#include "lapwing_coast/tracer/tracer.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing_coast;

namespace {

using DepthArray = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

using Pairs = std::vector<std::pair<std::string, std::string>>;  // stage and field

std::vector<lapwing::ListedExchange> listed_from(const Pairs& pairs) {
    std::vector<lapwing::ListedExchange> listed;
    for (const auto& [stage, field] : pairs) listed.push_back({stage, field});
    return listed;
}

void bind_barotropic_settings(nb::module_& m) {
    lapwing::bind_settings<Constituent>(m, "Constituent",
                                        "One tidal constituent in the cells of a boundary, x fastest.");
    lapwing::bind_settings<Boundary>(m, "Boundary", "A strip of cells whose sea level is prescribed.");
    lapwing::bind_settings<CoastSettings>(m, "CoastSettings", "Numbers of the coast model.");
    lapwing::bind_settings<CellMetrics>(m, "CellMetrics", "Spacings and Coriolis parameter of cells that differ.");
    lapwing::bind_settings<River>(m, "River", "A river, which enters the whole column of a cell.");
    lapwing::bind_settings<Inflow>(m, "Inflow", "Water that comes from outside the sea.");
    lapwing::bind_settings<CoastInputs>(m, "CoastInputs", "What a sea may have besides depth and open boundaries.");
    m.def("longest_time_step", nb::overload_cast<const CoastSettings&, double>(&longest_time_step), "settings"_a,
          "depth"_a, "The longest stable time step (s) for the largest depth (m). Local.");
}

// The fields of maps of the air, by record: wind_x, wind_y, pressure; and what says that a record is at hand.
template <class Model>
void bind_air(nb::class_<Model>& model) {
    model
        .def(
            "air_fields",
            [](Model& self, int record) {
                const Air& air = self.mode.air;
                std::vector<lapwing::AnyField*> fields;
                for (const Air::List* list : {&air.wind[record][0], &air.wind[record][1], &air.pressure[record]})
                    for (const Field<double>& field : *list) fields.push_back(&field.memory());
                return fields;
            },
            "record"_a, nb::rv_policy::reference_internal)
        .def(
            "set_air_record", [](Model& self, int record, double time) { self.mode.air.set_record(record, time); },
            "record"_a, "time"_a);
}

void bind_coast(nb::module_& m) {
    constexpr auto inner = nb::rv_policy::reference_internal;
    nb::class_<Coast> model(m, "Coast", "The fields of the coast model on one rank and the step that moves them on.");
    bind_air(model);
    model
        .def(
            "__init__",
            [](Coast* self, lapwing::Domain& domain, const CoastSettings& settings, DepthArray depth,
               std::vector<Boundary> boundaries, const std::string& strategy, const std::string& transport,
               const Pairs& listed, CoastInputs inputs) {
                new (self) Coast(domain, settings, {depth.data(), depth.size()}, std::move(boundaries), strategy,
                                 transport, listed_from(listed), std::move(inputs));
            },
            "domain"_a, "settings"_a, "depth"_a, "boundaries"_a, "strategy"_a, "transport"_a, "listed"_a = Pairs(),
            "inputs"_a = CoastInputs(), nb::keep_alive<1, 2>())
        .def("advance", &Coast::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("tick", &Coast::tick)
        .def("resume", &Coast::resume, "step_number"_a)
        .def("check_state", &Coast::check_state, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step_number", &Coast::step_number)
        .def_prop_ro("step", &Coast::step, inner)
        .def_prop_ro(
            "sea_level", [](Coast& c) -> lapwing::AnyField& { return c.mode.sea_level.memory(); }, inner)
        .def_prop_ro(
            "transport_x", [](Coast& c) -> lapwing::AnyField& { return c.mode.transport[0].memory(); }, inner)
        .def_prop_ro(
            "transport_y", [](Coast& c) -> lapwing::AnyField& { return c.mode.transport[1].memory(); }, inner)
        .def_prop_ro("depth", [](Coast& c) -> lapwing::AnyField& { return c.mode.depth.memory(); }, inner);
}

void bind_layer_settings(nb::module_& m) {
    lapwing::bind_settings<SeaWater>(m, "SeaWater", "What sea water weighs.");
    lapwing::bind_settings<HorizontalMixing>(m, "HorizontalMixing", "What mixes along the layers.");
    lapwing::bind_settings<LayerSettings>(m, "LayerSettings", "Numbers of the layers.");
    lapwing::bind_settings<ForcingSeries>(
        m, "ForcingSeries", "What drives the layers from above, one value per time; no values: as in LayerSettings.");
    lapwing::bind_settings<TracerSettings>(m, "TracerSettings", "Numbers of the advection of a tracer.");
}

void bind_layered_fields(nb::class_<LayeredCoast>& model) {
    const auto bind = [&](const char* name, const char* unit, auto field) {
        model.def_prop_ro(name, field, nb::rv_policy::reference_internal, unit);
    };
    bind("sea_level", "m", [](LayeredCoast& c) -> lapwing::AnyField& { return c.mode.sea_level.memory(); });
    bind("transport_x", "m2/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.mode.transport[0].memory(); });
    bind("transport_y", "m2/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.mode.transport[1].memory(); });
    bind("depth", "m", [](LayeredCoast& c) -> lapwing::AnyField& { return c.mode.depth.memory(); });
    bind("flow_x", "m2/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.flow[0].memory(); });
    bind("flow_y", "m2/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.flow[1].memory(); });
    bind("flow_z", "m/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.flow_z().memory(); });
    bind("temperature", "degC", [](LayeredCoast& c) -> lapwing::AnyField& { return c.temperature.memory(); });
    bind("salinity", "g/kg", [](LayeredCoast& c) -> lapwing::AnyField& { return c.salinity.memory(); });
    bind("tke", "m2/s2", [](LayeredCoast& c) -> lapwing::AnyField& { return c.tke.memory(); });
    bind("dissipation", "m2/s3", [](LayeredCoast& c) -> lapwing::AnyField& { return c.dissipation.memory(); });
    bind("viscosity", "m2/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.viscosity.memory(); });
    bind("diffusivity", "m2/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.diffusivity.memory(); });
    bind("velocity_x", "m/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.velocity[0].memory(); });
    bind("velocity_y", "m/s", [](LayeredCoast& c) -> lapwing::AnyField& { return c.velocity[1].memory(); });
}

void bind_layered_coast(nb::module_& m) {
    nb::class_<LayeredCoast> model(m, "LayeredCoast", "The coast model in three dimensions on one rank, and its step.");
    model
        .def(
            "__init__",
            [](LayeredCoast* self, lapwing::Domain& domain, const CoastSettings& barotropic,
               const LayerSettings& layers, DepthArray depth, std::vector<Boundary> boundaries, ForcingSeries forcing,
               const Pairs& listed, const std::string& strategy, const std::string& transport, CoastInputs inputs) {
                new (self)
                    LayeredCoast(domain, barotropic, layers, {depth.data(), depth.size()}, std::move(boundaries),
                                 std::move(forcing), listed_from(listed), strategy, transport, std::move(inputs));
            },
            "domain"_a, "barotropic"_a, "layers"_a, "depth"_a, "boundaries"_a, "forcing"_a, "listed"_a, "strategy"_a,
            "transport"_a, "inputs"_a = CoastInputs(), nb::keep_alive<1, 2>())
        .def("advance", &LayeredCoast::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("resume", &LayeredCoast::resume, "step_number"_a)
        .def("check_state", &LayeredCoast::check_state, nb::call_guard<nb::gil_scoped_release>())
        .def("find_velocities", &LayeredCoast::find_velocities, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step_number", &LayeredCoast::step_number)
        .def_prop_ro("step", &LayeredCoast::step, nb::rv_policy::reference_internal);
    bind_layered_fields(model);
    bind_air(model);
}

void bind_tracer(nb::module_& m) {
    constexpr auto inner = nb::rv_policy::reference_internal;
    nb::class_<TracerAdvection>(m, "TracerAdvection", "A tracer, the flow that carries it, and the step that moves it.")
        .def(
            "__init__",
            [](TracerAdvection* self, lapwing::Domain& domain, const TracerSettings& settings, DepthArray depth,
               const std::string& strategy, const std::string& transport, const Pairs& listed) {
                new (self) TracerAdvection(domain, settings, {depth.data(), depth.size()}, strategy, transport,
                                           listed_from(listed));
            },
            "domain"_a, "settings"_a, "depth"_a, "strategy"_a, "transport"_a, "listed"_a = Pairs(),
            nb::keep_alive<1, 2>())
        .def("set_flow", &TracerAdvection::set_flow, nb::call_guard<nb::gil_scoped_release>())
        .def("advance", &TracerAdvection::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("check_limits", &TracerAdvection::check_limits, "step_number"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step", &TracerAdvection::step, inner)
        .def_prop_ro(
            "tracers",
            [](TracerAdvection& t) {
                std::vector<lapwing::AnyField*> fields;
                for (const auto& tracer : t.tracers) fields.push_back(&tracer.memory());
                return fields;
            },
            inner)
        .def_prop_ro(
            "flow_z", [](TracerAdvection& t) -> lapwing::AnyField& { return t.flow_z().memory(); }, inner)
        .def_prop_ro(
            "thickness_after", [](TracerAdvection& t) -> lapwing::AnyField& { return t.thickness_after.memory(); },
            inner)
        .def_prop_ro(
            "tracer", [](TracerAdvection& t) -> lapwing::AnyField& { return t.tracer.memory(); }, inner)
        .def_prop_ro(
            "flow_x", [](TracerAdvection& t) -> lapwing::AnyField& { return t.flow_x.memory(); }, inner)
        .def_prop_ro(
            "flow_y", [](TracerAdvection& t) -> lapwing::AnyField& { return t.flow_y.memory(); }, inner)
        .def_prop_ro("thickness", [](TracerAdvection& t) -> lapwing::AnyField& { return t.thickness.memory(); }, inner);
}

}  // namespace

NB_MODULE(_kernels, m) {
    nb::set_leak_warnings(false);  // why: python/src/module.cpp
    m.doc() = "The coast model's kernels.";
    nb::module_::import_("lapwing.core._core");  // the types of the domain and the fields
    bind_barotropic_settings(m);
    bind_coast(m);
    bind_layer_settings(m);
    bind_layered_coast(m);
    bind_tracer(m);
}
