#pragma once
// The layout of records of fields, and the owner of a store. Pure data.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/store/records.hpp"
#include "store/json.hpp"

namespace lapwing {

// The owner of a state or of records: the grid, and the checksum of its wet cells, null if all are wet. In files of
// `lapwing run` it has the model and its settings too.
Json fingerprint(const Grid& grid, const Mask* wet);
// Throws UserError naming `name` and the first thing in which the owner of a file, `theirs`, differs. Local.
void check_fingerprint(const Json& mine, const Json& theirs, const std::string& name);

// Throws UserError unless there are fields, on the boxes of this rank, each with a name that a folder may have and no
// other field has. Local.
void check_store_fields(const Domain& domain, const std::filesystem::path& path, const std::vector<StoredMap>& fields);

// The layout of records of whole maps, (time[, level], y, x); the fields from number `first_fixed` on never change.
// `values`: with the owner, and the values of axes and wet cells, as the rank that makes the store needs them. Throws
// UserError for a name that two arrays would have, and for options that make no sense. Local.
StoreLayout map_layout(const Grid& grid, const std::vector<RecordField>& fields, std::size_t first_fixed,
                       const RecordOptions& options, bool values);

// True if all cells that touch a place (i, j) of this location are wet. Null: all cells are wet. Local.
bool is_wet(const Mask* mask, const Grid& grid, Location location, Index i, Index j);

}  // namespace lapwing
