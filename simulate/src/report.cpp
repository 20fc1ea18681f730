#include "report.hpp"

#include <fstream>
#include <iomanip>
#include <sstream>

#include "lapwing/base/error.hpp"

namespace lapwing_simulate {

namespace {

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n') {
            out += "\\n";
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string list(const std::vector<double>& values) {
    std::ostringstream out;
    out << std::setprecision(17) << "[";
    for (std::size_t n = 0; n < values.size(); ++n) out << (n > 0 ? ", " : "") << values[n];
    out << "]";
    return out.str();
}

std::string object(const Measured& result) {
    std::ostringstream out;
    out << std::setprecision(17) << "{\"method\": " << quoted(result.method) << ", \"step\": " << list(result.step)
        << ", \"chain\": " << list(result.chain) << ", \"compute\": " << result.compute
        << ", \"messages\": " << result.messages << ", \"bytes\": " << result.bytes << ", \"checksum\": \"" << std::hex
        << result.checksum << std::dec << "\", \"tasks\": " << quoted(result.tasks)
        << ", \"choice\": " << quoted(result.choice) << ", \"problem\": " << quoted(result.problem) << "}";
    return out.str();
}

}  // namespace

void write_report(const std::string& path, const std::vector<Measured>& results) {
    std::ofstream out(path);
    out << "[";
    for (std::size_t n = 0; n < results.size(); ++n) out << (n > 0 ? ",\n " : "") << object(results[n]);
    out << "]\n";
    if (!out.flush()) throw lapwing::OutsideError("results of the simulation: " + path + " cannot be written");
}

}  // namespace lapwing_simulate
