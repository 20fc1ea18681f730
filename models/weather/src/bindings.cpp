// lapwing_weather._kernels: glue without logic.
#include <nanobind/nanobind.h>

#include "lapwing/bind_settings.hpp"

#include "lapwing_weather/smoothing/relaxation.hpp"
#include "lapwing_weather/state_check.hpp"
#include "lapwing_weather/weather.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace lapwing_weather;

namespace {

// The names of fields in Python.
std::vector<lapwing::AnyField*> memory_of(const Weather& weather) {
    std::vector<lapwing::AnyField*> fields;
    for (const DoubleField& field : fields_of(weather)) fields.push_back(&field.memory());
    return fields;
}

void bind_settings(nb::module_& m) {
    lapwing::bind_settings<HybridLevels>(m, "HybridLevels",
                                         "Half levels of pressure a + b ps, from the top to the surface.");
    lapwing::bind_settings<Air>(m, "Air", "Constants of the air.");
    lapwing::bind_settings<VerticalModes>(m, "VerticalModes",
                                          "Operators of a reference state, row by row, and its modes.");
    lapwing::bind_settings<WeatherSettings>(m, "WeatherSettings", "Numbers of the weather model.");
    m.def("courant_number", &courant_number, "settings"_a, "wind_x"_a, "wind_y"_a, "temperature"_a,
          "Share of the stable limit that winds (m/s) and gravity waves take at a temperature (K). Local.");
    m.def("relaxation_weight", &relaxation_weight, "distance"_a, "width"_a,
          "Share of the boundary value at a distance (cells) from the outermost points. Local.");
}

void bind_model(nb::module_& m) {
    nb::class_<WeatherModel>(m, "WeatherModel", "The fields of the weather model on one rank, and its step.")
        .def(
            "__init__",
            [](WeatherModel* self, lapwing::Domain& domain, const WeatherSettings& settings,
               const std::string& strategy, const std::string& transport, const std::string& transpose, int groups) {
                lapwing::LineOptions lines{.groups = groups};
                if (!transpose.empty()) lines.method = transpose;
                new (self) WeatherModel(domain, settings, strategy, transport, lines);
            },
            "domain"_a, "settings"_a, "strategy"_a, "transport"_a, "transpose"_a = "", "groups"_a = 1,
            nb::keep_alive<1, 2>())
        .def("advance", &WeatherModel::advance, "steps"_a, nb::call_guard<nb::gil_scoped_release>())
        .def("resume", &WeatherModel::resume, "step_number"_a)
        .def("show", &WeatherModel::show, nb::call_guard<nb::gil_scoped_release>())
        .def("check_state", &WeatherModel::check_state, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("step_number", &WeatherModel::step_number)
        .def_prop_ro("newest", &WeatherModel::newest, "Which of the three states is the newest.")
        .def_prop_ro("step", &WeatherModel::step, nb::rv_policy::reference_internal)
        .def(
            "state", [](WeatherModel& w, std::size_t number) { return memory_of(w.states.at(number)); }, "number"_a,
            nb::rv_policy::reference_internal, "Winds, temperature, pressure and any humidity of one of three states.")
        .def_prop_ro(
            "given",
            [](WeatherModel& w) {
                std::vector<std::vector<lapwing::AnyField*>> records;
                for (const Weather& record : w.given) records.push_back(memory_of(record));
                return records;
            },
            nb::rv_policy::reference_internal,
            "What the edges are drawn to, in the same order: nothing, or one record, or two that it lies between.")
        .def_rw("given_times", &WeatherModel::given_times, "Of two records, s since the start of the case.")
        .def_prop_ro(
            "shown", [](WeatherModel& w) { return memory_of(w.shown); }, nb::rv_policy::reference_internal,
            "The newest state at the last `show`, in the same order.")
        .def_prop_ro(
            "height", [](WeatherModel& w) -> lapwing::AnyField& { return w.height.memory(); },
            nb::rv_policy::reference_internal, "Geopotential then, m2/s2.")
        .def_prop_ro(
            "modes", [](WeatherModel& w) -> lapwing::AnyField& { return w.modes.at(0).memory(); },
            nb::rv_policy::reference_internal, "With vertical modes: a level for each, m2/s2.")
        .def_prop_ro(
            "smoothed",
            [](WeatherModel& w) {
                return w.smoothed.empty() ? std::vector<lapwing::AnyField*>{} : memory_of(w.smoothed[0]);
            },
            nb::rv_policy::reference_internal, "What implicit diffusion filters, in the same order; empty without it.")
        .def_prop_ro(
            "surface_geopotential",
            [](WeatherModel& w) -> lapwing::AnyField& { return w.surface_geopotential.memory(); },
            nb::rv_policy::reference_internal, "m2/s2");
}

}  // namespace

NB_MODULE(_kernels, m) {
    nb::set_leak_warnings(false);  // why: python/src/module.cpp
    m.doc() = "The weather model's kernels.";
    nb::module_::import_("lapwing.core._core");  // the types of the domain and the fields
    bind_settings(m);
    bind_model(m);
}
