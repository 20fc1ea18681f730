#pragma once
// The folder of a store: metadata files, which appear complete, and the names that a store has over time.

#include <filesystem>
#include <string>

#include "lapwing/grid/box.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "store/json.hpp"

namespace lapwing {

// The attribute that says what a store is of, as JSON in a text.
inline constexpr const char* owner_attribute = "lapwing_case";

// The file of a group or an array that says what it is.
inline constexpr const char* metadata_name = "zarr.json";

// The names of a store until it is complete, and once a newer one has its name. Local.
std::filesystem::path part_of(const std::filesystem::path& path);
std::filesystem::path former_of(const std::filesystem::path& path);

// Throws UserError unless the name of a store ends in .zarr. Local.
void check_store_name(const std::filesystem::path& path);

// True if a name belongs to a store: a folder with a store's metadata; is_complete: which can be read. Local.
bool is_store(const std::filesystem::path& path);
bool is_complete(const std::filesystem::path& path);

// The content of a store: its attributes, and the metadata of its arrays by name.
struct StoreContent {
    Json attributes, arrays;
    // The owner of the store.
    [[nodiscard]] Json owner() const { return Json::parse(attributes.at(owner_attribute).text()); }
};
// Reads the metadata of a store. Throws UserError where there is none that lapwing has written. Local.
StoreContent read_store(const std::filesystem::path& path);

// Makes this the content of a store, by one renaming; gives an array metadata of its own, for programs that open it
// alone. Local; throw OutsideError.
void publish_group(const std::filesystem::path& path, const Json& metadata);
void publish_array(const std::filesystem::path& path, const std::string& name, const Json& metadata);

// Runs `work` on rank 0; when it throws, all ranks throw. Collective.
template <class Work>
void at_root(const Domain& domain, Work&& work) {
    together(domain.comm(), [&] {
        if (domain.rank() == 0) work();
    });
}

// Local; throw OutsideError.
void make_folder(const std::filesystem::path& folder);
void remove_folder(const std::filesystem::path& folder);
void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);
// Flushes a file, or the names in a folder, to the disk. Local; throws OutsideError.
void flush(const std::filesystem::path& path);

}  // namespace lapwing
