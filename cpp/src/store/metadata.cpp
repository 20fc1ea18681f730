#include "store/metadata.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr const char* fill_text = "AAAAAAAAnkc=";  // map_fill as xarray writes it: the base64 of its bytes

Json numbers(const std::vector<Index>& values) { return Json::List(values.begin(), values.end()); }

Json named(const char* name, Json::Members configuration) {
    return Json::Members{{"name", name}, {"configuration", std::move(configuration)}};
}

std::string product(const Json::List& numbers) {
    return listed(numbers, " x ", [](const Json& n) { return n.number(); });
}

}  // namespace

Json array_metadata(const StoreArray& array, const std::vector<Index>& shape, const std::vector<Index>& chunk,
                    bool is_map) {
    const Json zero = array.type.find("int") != std::string::npos ? Json(0) : Json(0.0);
    Json::Members attributes = Json::parse(array.attributes).members();
    if (is_map) attributes.emplace_back("_FillValue", fill_text);
    return Json::Members{
        {"zarr_format", 3},
        {"node_type", "array"},
        {"shape", numbers(shape)},
        {"data_type", array.type},
        {"chunk_grid", named("regular", {{"chunk_shape", numbers(chunk)}})},
        {"chunk_key_encoding", named("default", {{"separator", "/"}})},
        {"fill_value", is_map ? Json(map_fill) : zero},
        {"codecs", Json::List{named("bytes", {{"endian", "little"}}), named("crc32c", {})}},
        {"attributes", std::move(attributes)},
        {"dimension_names", Json::List(array.dimensions.begin(), array.dimensions.end())},
        {"storage_transformers", Json::List{}},
    };
}

Json group_metadata(Json attributes, Json::Members arrays) {
    return Json::Members{
        {"zarr_format", 3},
        {"node_type", "group"},
        {"attributes", std::move(attributes)},
        {"consolidated_metadata",
         Json::Members{{"kind", "inline"}, {"must_understand", false}, {"metadata", std::move(arrays)}}},
    };
}

std::string form_of(const Json& metadata) {
    const Json::List &names = metadata.at("dimension_names").list(), &shape = metadata.at("shape").list();
    if (names.size() != shape.size())
        user_error("array of a store", concat(names.size(), " names of dimensions"), shape.size(),
                   "take an intact copy of the store");
    std::vector<std::string> dimensions;
    for (std::size_t n = 0; n < names.size(); ++n) {
        const std::string& name = names[n].text();
        dimensions.push_back(name == "time" ? name : concat(name, "=", shape[n].number()));
    }
    const Json* units = metadata.at("attributes").find("units");
    return concat(metadata.at("data_type").text(), " (", listed(dimensions), ")",
                  units == nullptr ? "" : " in " + units->text(), ", chunks of ",
                  product(metadata.at("chunk_grid").at("configuration").at("chunk_shape").list()));
}

void check_forms(const Json::Members& wanted, const Json& found, const std::string& name, const std::string& remedy) {
    for (const auto& [array, metadata] : wanted) {
        const Json* other = found.find(array);
        const std::string got = other == nullptr ? "not there" : form_of(*other), expected = form_of(metadata);
        if (got != expected) user_error(name, concat(array, ": ", got), expected, remedy);
    }
    for (const auto& [array, metadata] : found.members()) {
        const auto own = [&array](const auto& item) { return item.first == array; };
        if (std::ranges::none_of(wanted, own))
            user_error(name, concat(array, ": ", form_of(metadata)), "no such field", remedy);
    }
}

}  // namespace lapwing
