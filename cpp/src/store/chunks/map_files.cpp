#include "store/chunks/map_files.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

#include "store/chunks/chunk_file.hpp"

namespace lapwing {

namespace {

constexpr std::size_t longest_number = 24;  // slash included

std::size_t chunk_bytes(const SlabTranspose& slabs) {
    const Index3& chunk = slabs.grid().chunk;
    return static_cast<std::size_t>(chunk[0] * chunk[1] * chunk[2]) * size_of(slabs.type());
}

// The part of a chunk that has come, of a slab from level `first` on: levels beyond the map have not.
Box part_of(const Block& here, const ChunkGrid& grid, Index first) {
    Box part = here.owned;
    part.hi[2] = std::min(part.hi[2], grid.size[2] - first);
    return part;
}

bool is_whole(const Box& part, const Index3& chunk) {
    return part.size(0) == chunk[0] && part.size(1) == chunk[1] && part.size(2) == chunk[2];
}

// Calls copy(place in the chunk, place in the part, bytes) for each row along x of a part of a chunk.
template <class Copy>
void for_rows(const Box& part, const Index3& chunk, Index value_bytes, const Copy& copy) {
    const Index bytes = part.size(0) * value_bytes;
    for (Index k = 0; k < part.size(2); ++k)
        for (Index j = 0; j < part.size(1); ++j)
            copy((k * chunk[1] + j) * chunk[0] * value_bytes, (k * part.size(1) + j) * bytes, bytes);
}

void fill_all(std::span<std::byte> chunk, ElementType type, double fill) {
    with_type(type, [&]<class T>(T) {
        std::fill_n(reinterpret_cast<T*>(chunk.data()), chunk.size() / sizeof(T), static_cast<T>(fill));
    });
}

void fill_columns(std::span<std::byte> chunk, ElementType type, const Box& part, const Index3& size, double fill,
                  const std::vector<std::uint8_t>& columns) {
    with_type(type, [&]<class T>(T) {
        T* values = reinterpret_cast<T*>(chunk.data());
        for (Index k = 0; k < part.size(2); ++k)
            for (Index j = 0; j < part.size(1); ++j)
                for (Index i = 0; i < part.size(0); ++i)
                    if (columns[j * part.size(0) + i] != 0)
                        values[(k * size[1] + j) * size[0] + i] = static_cast<T>(fill);
    });
}

// Work that must not keep other ranks waiting when it fails: not done once anything has failed.
template <class Work>
void unless_failed(std::exception_ptr& failed, Work&& work) {
    if (failed != nullptr) return;
    try {
        work();
    } catch (...) {
        failed = std::current_exception();
    }
}

}  // namespace

MapFiles::MapFiles(const std::filesystem::path& folder, bool numbered, bool deep)
    : path_((folder / "c").string()), folder_(path_.size()), numbered_(numbered), deep_(deep) {
    path_.reserve(folder_ + 4 * longest_number);
}

const std::string& MapFiles::file(Index number, const Index3& chunk) {
    path_.resize(folder_);
    const auto add = [&](Index part) {
        char text[longest_number];
        const auto end = std::to_chars(text, text + sizeof text, part).ptr;
        path_ += '/';
        path_.append(text, end);
    };
    if (numbered_) add(number);
    if (deep_) add(chunk[2]);
    add(chunk[1]);
    add(chunk[0]);
    return path_;
}

MapWriter::MapWriter(Domain& domain, const ChunkGrid& grid, ElementType type, bool flush)
    : slabs_(domain, grid, type, SlabWay::to_chunks), flush_(flush), padded_(chunk_bytes(slabs_)) {}

void MapWriter::write(const AnyField& field, MapFiles& files, Index number, int component, std::exception_ptr& failed,
                      const ChunkColumns* dry, double fill) {
    for (Index first = 0; first < slabs_.grid().size[2]; first += slabs_.levels()) {
        slabs_.take(field, first, component);
        slabs_.run();
        unless_failed(failed, [&] { write_chunks(files, number, first, dry, fill); });
    }
}

void MapWriter::write_chunks(MapFiles& files, Index number, Index first, const ChunkColumns* dry, double fill) {
    const ChunkGrid& grid = slabs_.grid();
    const ElementType type = slabs_.type();
    for (std::size_t n = 0; n < slabs_.here().size(); ++n) {
        const Block& here = slabs_.here()[n];
        const Box part = part_of(here, grid, first);
        const std::span<const std::byte> come = slabs_.values(here);
        const std::string& file = files.file(number, grid.at(here.owned, first));
        const bool has_dry = dry != nullptr && !(*dry)[n].empty();
        if (is_whole(part, grid.chunk) && !has_dry) {
            write(file, come);
            continue;
        }
        fill_all(padded_, type, fill);
        for_rows(part, grid.chunk, static_cast<Index>(size_of(type)), [&](Index to, Index from, Index bytes) {
            std::memcpy(padded_.data() + to, come.data() + from, static_cast<std::size_t>(bytes));
        });
        if (has_dry) fill_columns(padded_, type, part, grid.chunk, fill, (*dry)[n]);
        write(file, padded_);
    }
}

void MapWriter::write(const std::string& file, std::span<const std::byte> chunk) {
    write_chunk(file, chunk, flush_);
    bytes_ += chunk_file_bytes(std::ssize(chunk));
}

ChunkColumns MapWriter::columns(const std::function<bool(Index, Index)>& what) const {
    ChunkColumns all;
    for (const Block& here : slabs_.here()) {
        std::vector<std::uint8_t>& columns = all.emplace_back();
        for (Index j = here.owned.lo[1]; j < here.owned.hi[1]; ++j)
            for (Index i = here.owned.lo[0]; i < here.owned.hi[0]; ++i) columns.push_back(what(i, j) ? 1 : 0);
        if (std::ranges::find(columns, 1) == columns.end()) columns = {};
    }
    return all;
}

MapReader::MapReader(Domain& domain, const ChunkGrid& grid, ElementType type)
    : slabs_(domain, grid, type, SlabWay::to_cells), padded_(chunk_bytes(slabs_)) {}

void MapReader::read(const AnyField& field, MapFiles& files, Index number, int component, std::exception_ptr& failed,
                     const double* missing) {
    for (Index first = 0; first < slabs_.grid().size[2]; first += slabs_.levels()) {
        unless_failed(failed, [&] { read_chunks(files, number, first); });
        slabs_.run();
        if (missing == nullptr) {
            slabs_.put(field, first, component);
        } else {
            slabs_.put_except(field, first, component, *missing);
        }
    }
}

void MapReader::read_chunks(MapFiles& files, Index number, Index first) {
    const ChunkGrid& grid = slabs_.grid();
    for (const Block& here : slabs_.here()) {
        const Box part = part_of(here, grid, first);
        const std::span<std::byte> values = slabs_.values(here);
        const std::string& file = files.file(number, grid.at(here.owned, first));
        if (is_whole(part, grid.chunk)) {
            read_chunk(file, values);
            continue;
        }
        read_chunk(file, padded_);
        for_rows(part, grid.chunk, static_cast<Index>(size_of(slabs_.type())), [&](Index from, Index to, Index bytes) {
            std::memcpy(values.data() + to, padded_.data() + from, static_cast<std::size_t>(bytes));
        });
    }
}

}  // namespace lapwing
