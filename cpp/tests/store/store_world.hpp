#pragma once
// Stores in a folder that all ranks share, and what is in them: for tests of records and restarts.

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "lapwing/exchange/field.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "world.hpp"

namespace lapwing::testing {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;  // content by name

// Runs work on rank 0 between two barriers.
template <class Work>
void at_root(Work&& work) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) work();
    MPI_Barrier(MPI_COMM_WORLD);
}

// A new, empty folder, the same on all ranks, until the end of its scope. Collective.
class Scratch {
  public:
    explicit Scratch(const std::string& name) {
        long process = ::getpid();
        MPI_Bcast(&process, 1, MPI_LONG, 0, MPI_COMM_WORLD);
        path_ = fs::temp_directory_path() / ("lapwing-" + name + "-" + std::to_string(process));
        at_root([&] {
            fs::remove_all(path_);
            fs::create_directory(path_);
        });
    }
    ~Scratch() {
        at_root([&] { fs::remove_all(path_); });
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    [[nodiscard]] fs::path operator/(const std::string& name) const { return path_ / name; }

  private:
    fs::path path_;
};

inline std::string text_in(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_text(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

// Changes a byte in the middle of a file.
inline void damage(const fs::path& file) {
    std::string text = text_in(file);
    text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 1);
    write_text(file, text);
}

inline Files files_in(const fs::path& folder) {
    Files found;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) found[fs::relative(entry.path(), folder).string()] = text_in(entry.path());
    return found;
}

// Three strips along y for every rank, or as many as there are rows, dealt from the last rank to the first.
inline Partition scattered(const Grid& grid) {
    const int ranks = world_size(), strips = std::min(3 * ranks, static_cast<int>(grid.size[1]));
    std::vector<Subdomain> boxes;
    for (int n = 0; n < strips; ++n) {
        const auto [lo, hi] = block_range(grid.size[1], strips, n);
        Box box = grid.box();
        box.lo[1] = lo;
        box.hi[1] = hi;
        boxes.push_back({(strips - 1 - n) % ranks, box});
    }
    return {grid, ranks, boxes};
}

// The values of the cells that this rank owns, x fastest.
inline std::vector<std::byte> owned_bytes(const AnyField& field) {
    std::vector<std::byte> found;
    const std::size_t size = size_of(field.spec().type);
    for (const Block& block : field.blocks())
        for (int c = 0; c < field.spec().components; ++c)
            for (Index k = block.owned.lo[2]; k < block.owned.hi[2]; ++k)
                for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
                    for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i) {
                        const std::byte* value = block.at({i, j, k}, c);
                        found.insert(found.end(), value, value + size);
                    }
    return found;
}

}  // namespace lapwing::testing
