#pragma once
// The metadata of a store as JSON (Zarr version 3), and its forms as messages say them. Pure data.

#include <string>
#include <vector>

#include "lapwing/store/record_store.hpp"
#include "store/json.hpp"

namespace lapwing {

// The value where a map has none, of both types of values.
inline constexpr double map_fill = 0x1.ep+122;

// The metadata of an array of this shape, in chunks. `is_map`: true if it has `map_fill` where there is no value.
Json array_metadata(const StoreArray& array, const std::vector<Index>& shape, const std::vector<Index>& chunk,
                    bool is_map = false);
// The metadata of a group, which repeats the metadata of its arrays.
Json group_metadata(Json attributes, Json::Members arrays);

// The type, dimensions, unit and chunks of an array by its metadata, as a message says them; not the number of its
// records. Throws UserError for other JSON. Local.
std::string form_of(const Json& metadata);

// Throws UserError naming `name` and the first array whose form in a store, `found`, is not the one that is wanted: all
// are metadata of arrays by name. Local.
void check_forms(const Json::Members& wanted, const Json& found, const std::string& name, const std::string& remedy);

}  // namespace lapwing
