#pragma once
// The time and step of each record of a store.

#include <filesystem>
#include <vector>

#include "lapwing/grid/box.hpp"
#include "store/store_folder.hpp"

namespace lapwing {

struct RecordTimes {
    std::vector<double> time;  // s since the start
    std::vector<Index> step;

    void keep(std::size_t count) {
        time.resize(count);
        step.resize(count);
    }
};

// Reads those of a store. Throws UserError where it has none, or a chunk of them is missing or damaged. Local.
RecordTimes read_all_times(const std::filesystem::path& path, const StoreContent& content);

}  // namespace lapwing
