#include "request.hpp"

#include <fstream>
#include <functional>

#include "lapwing/base/error.hpp"

namespace lapwing_simulate {

namespace {

using Words = std::ifstream;

template <class Value>
Value next(Words& words) {
    Value value{};
    words >> value;
    return value;
}

void read_each(Words& words, auto& values) {
    for (auto& value : values) words >> value;
}

std::vector<double> numbers(Words& words, std::size_t count) {
    std::vector<double> values(count);
    read_each(words, values);
    return values;
}

lapwing_coast::Boundary boundary(Words& words) {
    lapwing_coast::Boundary made;
    made.cells = {{0, 0, 0}, {1, 1, 1}};
    for (auto* corner : {&made.cells.lo, &made.cells.hi}) words >> (*corner)[0] >> (*corner)[1];
    const std::size_t cells = made.cells.volume();
    made.constituents.resize(next<std::size_t>(words));
    for (lapwing_coast::Constituent& tide : made.constituents) {
        words >> tide.angular_speed;
        tide.in_phase = numbers(words, cells);
        tide.quadrature = numbers(words, cells);
    }
    return made;
}

std::vector<double> depth(Words& words, const lapwing::Grid& grid) {
    const std::size_t cells = grid.size[0] * grid.size[1];
    if (next<std::string>(words) == "flat") return std::vector<double>(cells, next<double>(words));
    return numbers(words, cells);
}

// Its number, kind, velocity and density: see lapwing_lattice::Side.
void read_side(Words& words, lapwing_lattice::Sides& sides) {
    using lapwing_lattice::SideKind;
    static const std::map<std::string, SideKind> kinds{
        {"wall", SideKind::wall}, {"velocity", SideKind::velocity}, {"pressure", SideKind::pressure}};
    lapwing_lattice::Side& side = sides.at(next<std::size_t>(words));
    side.kind = kinds.at(next<std::string>(words));
    read_each(words, side.velocity);
    words >> side.density;
}

// A digit per cell of the grid, not 0 where it is solid.
std::vector<std::uint8_t> solid(Words& words) {
    std::vector<std::uint8_t> cells;
    for (const char digit : next<std::string>(words)) cells.push_back(digit == '1');
    return cells;
}

using Reader = std::function<void(Words&, Request&)>;

// A number of the request.
Reader number(auto Request::* member) {
    return [=](Words& words, Request& request) { words >> request.*member; };
}

Reader setting(double lapwing_coast::CoastSettings::* member) {
    return [=](Words& words, Request& request) { words >> request.coast.*member; };
}

Reader setting(auto lapwing_lattice::LatticeSettings::* member) {
    return [=](Words& words, Request& request) { words >> request.lattice.*member; };
}

const std::map<std::string, Reader>& readers() {
    static const std::map<std::string, Reader> all{
        {"work", number(&Request::work)},
        {"grid", [](Words& words, Request& r) { read_each(words, r.grid.size); }},
        {"periodic", [](Words& words, Request& r) { read_each(words, r.grid.periodic); }},
        {"blocks", [](Words& words, Request& r) { read_each(words, r.blocks); }},
        {"in_line", number(&Request::in_line)},
        {"nodes_share", number(&Request::nodes_share)},
        {"ranks_per_node", number(&Request::ranks_per_node)},
        {"layers", number(&Request::layers)},
        {"method", [](Words& words, Request& r) { r.methods.push_back(next<std::string>(words)); }},
        {"transport", number(&Request::transport)},
        {"warm_up", number(&Request::warm_up)},
        {"samples", number(&Request::samples)},
        {"steps", number(&Request::steps)},
        {"alone", number(&Request::alone)},
        {"seconds_per_cell",
         [](Words& words, Request& r) {
             const auto stage = next<std::string>(words);
             words >> r.seconds_per_cell[stage];
         }},
        {"out", number(&Request::out)},
        {"depth", [](Words& words, Request& r) { r.depth = depth(words, r.grid); }},
        {"boundary", [](Words& words, Request& r) { r.boundaries.push_back(boundary(words)); }},
        {"time_step", setting(&lapwing_coast::CoastSettings::time_step)},
        {"spacing_x", setting(&lapwing_coast::CoastSettings::spacing_x)},
        {"spacing_y", setting(&lapwing_coast::CoastSettings::spacing_y)},
        {"gravity", setting(&lapwing_coast::CoastSettings::gravity)},
        {"coriolis", setting(&lapwing_coast::CoastSettings::coriolis)},
        {"drag", setting(&lapwing_coast::CoastSettings::drag)},
        {"ramp", setting(&lapwing_coast::CoastSettings::ramp)},
        {"tau", setting(&lapwing_lattice::LatticeSettings::tau)},
        {"tau_minus", setting(&lapwing_lattice::LatticeSettings::tau_minus)},
        {"in_place", setting(&lapwing_lattice::LatticeSettings::in_place)},
        {"single", setting(&lapwing_lattice::LatticeSettings::single)},
        {"force", [](Words& words, Request& r) { read_each(words, r.lattice.force); }},
        {"side", [](Words& words, Request& r) { read_side(words, r.lattice.sides); }},
        {"solid", [](Words& words, Request& r) { r.lattice.solid = solid(words); }},
    };
    return all;
}

}  // namespace

Request read_request(const std::string& path) {
    Words words(path);
    Request request;
    std::string key;
    while (words >> key) {
        const auto reader = readers().find(key);
        if (reader == readers().end() || (reader->second(words, request), !words)) {
            lapwing::user_error("request of the simulation", key + " in " + path, "a known key and its values",
                                "let `lapwing simulate` write it");
        }
    }
    if (request.work.empty()) {
        lapwing::user_error("request of the simulation", path + " without work", "a file of keys and values",
                            "let `lapwing simulate` write it");
    }
    return request;
}

}  // namespace lapwing_simulate
