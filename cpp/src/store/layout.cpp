#include "store/layout.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/store/crc32c.hpp"
#include "store/chunks/chunk_grid.hpp"
#include "store/store_folder.hpp"

namespace lapwing {

namespace {

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// A coordinate of the centers of cells, or of their faces towards larger indices.
std::vector<double> places(const std::vector<double>& centers, bool faces) {
    if (!faces) return centers;
    if (centers.size() == 1) return {centers[0] + 0.5};
    std::vector<double> found;
    for (std::size_t n = 0; n < centers.size(); ++n) {
        const bool last = n + 1 == centers.size();
        found.push_back(0.5 * (centers[n] + (last ? 2 * centers[n] - centers[n - 1] : centers[n + 1])));
    }
    return found;
}

Json::Members names_of(const std::string& units, const std::string& long_name, const std::string& standard_name) {
    Json::Members found{{"units", units}, {"long_name", long_name}};
    if (!standard_name.empty()) found.emplace_back("standard_name", standard_name);
    return found;
}

bool on_xface(Location place) { return place == Location::xface || place == Location::corner; }
bool on_yface(Location place) { return place == Location::yface || place == Location::corner; }

// One where a cell is wet, x fastest.
std::vector<std::int8_t> wet_cells(const Mask* mask, const Grid& grid) {
    std::vector<std::int8_t> wet;
    for (Index j = 0; j < grid.size[1]; ++j)
        for (Index i = 0; i < grid.size[0]; ++i) wet.push_back(is_wet(mask, grid, Location::center, i, j) ? 1 : 0);
    return wet;
}

std::string text_of(const Json::Members& members) { return Json(members).line(); }

// The checksum of the wet cells as a fingerprint has it; empty where all are wet.
std::string wet_checksum(const Mask* mask, const Grid& grid) {
    if (mask == nullptr || mask->count(grid.box()) == grid.size[0] * grid.size[1]) return {};
    const std::vector<std::int8_t> wet = wet_cells(mask, grid);
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "crc32c %08x",
                  static_cast<unsigned>(crc32c(std::as_bytes(std::span(wet)))));
    return text.data();
}

// Makes the layout, array by array.
class LayoutMaker {
  public:
    LayoutMaker(const Grid& grid, const RecordOptions& options, bool values)
        : grid_(grid), options_(options), values_(values), axes_{axis(0), axis(1)} {}

    StoreLayout made(const std::vector<RecordField>& fields, std::size_t first_fixed) {
        add_attributes();
        add_times();
        for (int a = 0; a < 2; ++a) {
            add_axis(a, false);
            const auto shifted = [a](const RecordField& field) {
                const Location place = field.field->spec().location;
                return a == 0 ? on_xface(place) : on_yface(place);
            };
            if (std::ranges::any_of(fields, shifted)) add_axis(a, true);
        }
        add_wet();
        for (std::size_t f = 0; f < fields.size(); ++f) add_variable(fields[f], f >= first_fixed);
        return std::move(layout_);
    }

  private:
    [[nodiscard]] AxisLabels axis(int a) const {
        const std::optional<AxisLabels>& given = a == 0 ? options_.x : options_.y;
        if (given && !given->long_name.empty()) return *given;
        if (given) return with_names(*given, a);
        std::vector<double> values(static_cast<std::size_t>(grid_.size[a]));
        for (std::size_t n = 0; n < values.size(); ++n) values[n] = static_cast<double>(n);
        return {std::move(values), "1", concat("number of the cell along ", "xy"[a])};
    }

    // Coordinates without names: those that follow from their unit.
    static AxisLabels with_names(AxisLabels axis, int a) {
        const bool map = axis.units.starts_with("degree");
        axis.long_name = map ? (a == 0 ? "longitude" : "latitude") : concat("xy"[a], " coordinate");
        if (map && axis.standard_name.empty()) axis.standard_name = axis.long_name;
        return axis;
    }

    [[nodiscard]] std::string axis_name(int a) const {
        const bool map = axes_[0].units.starts_with("degree");
        return a == 0 ? (map ? "lon" : "x") : (map ? "lat" : "y");
    }

    [[nodiscard]] std::string owner() const { return fingerprint(grid_, options_.wet.get()).line(); }

    void add_attributes() {
        layout_.attributes = text_of({{"Conventions", "CF-1.11"},
                                      {"title", options_.title},
                                      {"source", "lapwing"},
                                      {"history", "lapwing.Records"},
                                      {owner_attribute, values_ ? owner() : ""}});
    }

    void add_times() {
        const Json::Members time{{"units", "seconds since " + options_.start},
                                 {"calendar", "standard"},
                                 {"standard_name", "time"},
                                 {"axis", "T"},
                                 {"long_name", "time"}};
        const Json::Members step{{"long_name", "steps since the start of the case"}, {"units", "1"}};
        add({"time", "float64", {"time"}, {}, text_of(time)});
        add({"step", "int64", {"time"}, {}, text_of(step)});
    }

    void add_axis(int a, bool faces) {
        const AxisLabels& along = axes_[a];
        const std::string name = axis_name(a) + (faces ? (a == 0 ? "_xface" : "_yface") : "");
        const std::string long_name = along.long_name + (faces ? " of the cell faces" : "");
        Json::Members about = names_of(along.units, long_name, along.standard_name);
        about.emplace_back("axis", a == 0 ? "X" : "Y");
        if (faces) about.emplace_back("c_grid_axis_shift", 0.5);
        add({name, "float64", {name}, {grid_.size[a]}, text_of(about), known(places(along.values, faces))});
    }

    void add_wet() {
        const Json::Members about{
            {"long_name", "wet cells"}, {"flag_meanings", "dry wet"}, {"flag_values", Json::List{0, 1}}};
        const std::vector<Index> shape{grid_.size[1], grid_.size[0]};
        std::vector<std::byte> wet;
        if (values_) wet = known(wet_cells(options_.wet.get(), grid_));
        add({"wet", "int8", {axis_name(1), axis_name(0)}, shape, text_of(about), std::move(wet)});
    }

    void add_variable(const RecordField& field, bool fixed) {
        const FieldSpec& spec = field.field->spec();
        const std::string& long_name = field.long_name.empty() ? spec.name : field.long_name;
        Json::Members about = names_of(field.units, long_name, field.standard_name);
        if (!fixed) about.emplace_back("coordinates", "step");
        StoreArray array{spec.name, options_.single_precision ? "float32" : "float64", {}, {}, text_of(about)};
        if (!fixed) array.dimensions.emplace_back("time");
        const auto along = [&](std::string dimension, Index length) {
            array.dimensions.push_back(std::move(dimension));
            array.shape.push_back(length);
        };
        const Index3 size = map_size(grid_, spec);
        if (size[2] > 1 || spec.levels > 0) along(concat("level", size[2]), size[2]);
        along(axis_name(1) + (on_yface(spec.location) ? "_yface" : ""), size[1]);
        along(axis_name(0) + (on_xface(spec.location) ? "_xface" : ""), size[0]);
        add(std::move(array));
    }

    template <class T>
    [[nodiscard]] std::vector<std::byte> known(const std::vector<T>& values) const {
        return values_ ? bytes_of(values) : std::vector<std::byte>{};
    }

    void add(StoreArray array) {
        const auto own = [&array](const StoreArray& other) { return other.name == array.name; };
        if (std::ranges::any_of(layout_.arrays, own))
            user_error("field of records", "the name " + array.name, "another, as the store has an array of that name",
                       "rename the field");
        layout_.arrays.push_back(std::move(array));
    }

    const Grid& grid_;
    const RecordOptions& options_;
    bool values_;
    std::array<AxisLabels, 2> axes_;
    StoreLayout layout_;
};

void check_axis(const std::optional<AxisLabels>& axis, Index cells, const char* name) {
    if (!axis || std::ssize(axis->values) == cells) return;
    user_error(concat("values of axis ", name, " of records"), axis->values.size(), concat(cells, ", one per cell"),
               "give the coordinates of the centers of cells");
}

void check_start(const std::string& start) {
    constexpr std::string_view form = "0000-00-00 00:00:00";
    bool fits = start.size() == form.size() || start.size() == 10 || start.size() == 16;
    for (std::size_t n = 0; fits && n < start.size(); ++n) {
        const bool digit = start[n] >= '0' && start[n] <= '9';
        fits = form[n] == '0' ? digit : start[n] == form[n] || (n == 10 && start[n] == 'T');
    }
    if (!fits) user_error("start of records", "'" + start + "'", "a date", "write it like '2000-01-01 00:00:00'");
}

}  // namespace

Json fingerprint(const Grid& grid, const Mask* wet) {
    return Json::Members{{"grid", Json::List(grid.size.begin(), grid.size.end())},
                         {"model", ""},
                         {"north_fold", to_string(grid.north_fold)},
                         {"periodic", Json::List(grid.periodic.begin(), grid.periodic.end())},
                         {"settings", Json::Members{}},
                         {"wet", wet_checksum(wet, grid)}};
}

void check_fingerprint(const Json& mine, const Json& theirs, const std::string& name) {
    for (const auto& [what, value] : mine.members()) {
        const Json* other = theirs.find(what);
        if (other != nullptr && *other == value) continue;
        user_error(name, concat("a file of a case with ", what, " = ", other == nullptr ? "none" : other->line()),
                   value.line() + ", as in this program", "take the store of this case, or choose another name");
    }
}

void check_store_fields(const Domain& domain, const std::filesystem::path& path, const std::vector<StoredMap>& fields) {
    const std::string name = "fields of " + path.string();
    const Partition& partition = domain.partition();
    std::set<std::string> names;
    for (const auto& [own, field, unused] : fields) {
        if (field == nullptr) user_error(name, "a null pointer", "a field", "declare it first");
        if (own.empty() || own[0] == '.' || own.find('/') != std::string::npos)
            user_error(name, "the name '" + own + "'", "one that a folder may have", "rename the field");
        if (!names.insert(own).second) user_error(name, "two of the name " + own, "all different", "rename one");
        std::vector<Box> boxes;
        for (const int number : partition.subdomains_of(domain.rank()))
            boxes.push_back(field->spec().with_levels(partition.subdomain(number).box));
        if (!std::ranges::equal(field->blocks(), boxes, {}, &Block::owned))
            user_error(name, own + " on other boxes", "fields on the boxes of the domain", "declare it on this domain");
    }
    if (fields.empty()) user_error(name, "none", "one at least", "pass the fields to be written");
}

StoreLayout map_layout(const Grid& grid, const std::vector<RecordField>& fields, std::size_t first_fixed,
                       const RecordOptions& options, bool values) {
    check_start(options.start);
    check_axis(options.x, grid.size[0], "x");
    check_axis(options.y, grid.size[1], "y");
    if (options.wet != nullptr) check_size(*options.wet, grid);
    return LayoutMaker(grid, options, values).made(fields, first_fixed);
}

namespace {

// True if a cell is wet, also one beyond the ends of the grid towards larger indices.
bool is_wet_cell(const Mask* mask, const Grid& grid, Index i, Index j) {
    const auto [nx, ny, nz] = grid.size;
    if (i == nx) {
        if (!grid.periodic[0]) return false;
        i = 0;
    }
    if (j == ny) {
        if (grid.north_fold == NorthFold::f_point) return is_wet_cell(mask, grid, nx - 1 - i, ny - 1);
        if (grid.north_fold == NorthFold::t_point) return is_wet_cell(mask, grid, (nx - i) % nx, ny - 2);
        if (!grid.periodic[1]) return false;
        j = 0;
    }
    return mask == nullptr || mask->wet(i, j);
}

}  // namespace

bool is_wet(const Mask* mask, const Grid& grid, Location location, Index i, Index j) {
    const Index right = on_xface(location) ? 1 : 0, above = on_yface(location) ? 1 : 0;
    for (Index dj = 0; dj <= above; ++dj)
        for (Index di = 0; di <= right; ++di)
            if (!is_wet_cell(mask, grid, i + di, j + dj)) return false;
    return true;
}

}  // namespace lapwing
