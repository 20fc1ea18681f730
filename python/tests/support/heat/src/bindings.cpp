// The settings of the heat, bound and read from JSON: what follows from their list.
#include "lapwing/bind_settings.hpp"

#include "heat_settings.hpp"
#include "lapwing_simulate/json.hpp"

NB_MODULE(heat_settings, m) {
    lapwing::bind_settings<heat::HeatSettings>(m, "HeatSettings", "Of the heat.");
    m.def("from_json", [](const std::string& text) { return nlohmann::json::parse(text).get<heat::HeatSettings>(); });
    m.def("text_of", [](const heat::HeatSettings& settings) { return lapwing::text_of(settings); });
}
