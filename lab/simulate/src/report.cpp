#include "report.hpp"

#include <fstream>

#include "lapwing/base/error.hpp"

namespace lapwing_simulate {

void write_report(const std::string& path, const std::vector<Measured>& results) {
    std::ofstream out(path);
    out << nlohmann::json(results);
    if (!out.flush()) throw lapwing::OutsideError("results of the simulation: " + path + " cannot be written");
}

}  // namespace lapwing_simulate
