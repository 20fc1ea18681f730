#pragma once
// Maps on their way to chunk files and back: all ranks move slabs, each writes or reads its own chunks.

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "store/chunks/slab_transpose.hpp"

namespace lapwing {

// The files of one map: folder/c[/number][/level]/y/x, numbers of chunks. `number`: of the record or component that it
// is of, -1 for none; `deep`: true if it has an axis of levels. Local.
class MapFiles {
  public:
    MapFiles(const std::filesystem::path& folder, bool numbered, bool deep);
    // The file of a chunk, valid until the next call. No allocation.
    const std::string& file(Index number, const Index3& chunk);

  private:
    std::string path_;
    std::size_t folder_;  // length
    bool numbered_, deep_;
};

// True in cells of the columns of each chunk that a rank has; an empty list for a chunk where none is.
using ChunkColumns = std::vector<std::vector<std::uint8_t>>;

// Writes maps of one size and type, one after the other, through the same memory.
class MapWriter {
  public:
    // `flush`: each file to the disk at once. Collective over the domain; throws as SlabTranspose does.
    MapWriter(Domain& domain, const ChunkGrid& grid, ElementType type, bool flush);

    // Writes the present values of a component of a field, with `fill` in `dry` columns, null for none, and beyond the
    // map. Local, but all ranks must do so: what fails here is kept in `failed`, and must not keep others waiting, so
    // slabs travel on without being written. No allocation.
    void write(const AnyField& field, MapFiles& files, Index number, int component, std::exception_ptr& failed,
               const ChunkColumns* dry = nullptr, double fill = 0);

    // The bytes that this rank has written. Local.
    [[nodiscard]] Index bytes() const { return bytes_; }

    // The columns of this rank's chunks for which `what(i, j)` is true. Local.
    [[nodiscard]] ChunkColumns columns(const std::function<bool(Index, Index)>& what) const;

  private:
    void write_chunks(MapFiles& files, Index number, Index first, const ChunkColumns* dry, double fill);
    void write(const std::string& file, std::span<const std::byte> chunk);

    SlabTranspose slabs_;
    bool flush_;
    Index bytes_ = 0;
    std::vector<std::byte> padded_;  // a chunk that is not written as it has come
};

// Reads maps of one size and type: each rank reads its chunks, and gets the cells that it owns.
class MapReader {
  public:
    // Collective over the domain; throws as SlabTranspose does.
    MapReader(Domain& domain, const ChunkGrid& grid, ElementType type);

    // Puts a map into the owned cells of a component of a field; cells for which the map has the value `missing` keep
    // their own. Local, but all ranks must do so: see MapWriter::write.
    void read(const AnyField& field, MapFiles& files, Index number, int component, std::exception_ptr& failed,
              const double* missing = nullptr);

  private:
    void read_chunks(MapFiles& files, Index number, Index first);

    SlabTranspose slabs_;
    std::vector<std::byte> padded_;
};

}  // namespace lapwing
