#include "lapwing/store/record_store.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <system_error>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "store/chunks/chunk_file.hpp"
#include "store/chunks/map_files.hpp"
#include "store/folder_lock.hpp"
#include "store/layout.hpp"
#include "store/metadata.hpp"
#include "store/record_times.hpp"
#include "store/store_folder.hpp"

namespace lapwing {

namespace fs = std::filesystem;

namespace {

constexpr const char* waiting = "the times of records";
constexpr Index most_records = Index{1} << 40, most_in_chunk = Index{1} << 20;

using MapKey = std::pair<ChunkGrid, ElementType>;

// A field on its way to its files and back.
struct Variable {
    AnyField* field;
    MapKey key;
    bool fixed;
    MapFiles files;
    MapWriter* writer;
    ChunkColumns dry;
};

// An array in the chunks of this store.
struct ChunkedArray {
    StoreArray array;
    std::vector<Index> chunk;
    bool is_map;

    [[nodiscard]] Json metadata(Index records) const {
        std::vector<Index> shape = array.shape;
        if (array.over_time()) shape.insert(shape.begin(), records);
        return array_metadata(array, shape, chunk, is_map);
    }
};

// The times that rank 0 knows, on all ranks. Collective.
void share(MPI_Comm comm, RecordTimes& times) {
    times.keep(static_cast<std::size_t>(
        reduced(comm, rank_in(comm) == 0 ? static_cast<Index>(times.time.size()) : 0, MPI_MAX, waiting)));
    times.time = reduced(comm, std::move(times.time), MPI_SUM, waiting);
    times.step = reduced(comm, std::move(times.step), MPI_SUM, waiting);
}

// A length in metadata.
std::size_t length_in(const Json& lengths, Index least, Index most) {
    const Index length = lengths.list().empty() ? -1 : lengths.list()[0].number();
    if (length < least || length > most)
        user_error("array of times", concat("the length ", length), concat(least, " to ", most),
                   "take an intact copy of the store");
    return static_cast<std::size_t>(length);
}

// One number per record, from the chunks of an array.
template <class T>
std::vector<T> read_times(const fs::path& path, const char* name, const Json& metadata) {
    const std::size_t count = length_in(metadata.at("shape"), 0, most_records);
    const std::size_t chunk =
        length_in(metadata.at("chunk_grid").at("configuration").at("chunk_shape"), 1, most_in_chunk);
    std::vector<T> values;
    for (std::size_t at = 0; at < count; at += chunk) {
        values.resize(at + chunk);
        const std::string file = (path / name / "c" / std::to_string(at / chunk)).string();
        read_chunk(file, std::as_writable_bytes(std::span(values).subspan(at, chunk)));
    }
    values.resize(count);
    return values;
}

}  // namespace

RecordTimes read_all_times(const fs::path& path, const StoreContent& content) {
    return {read_times<double>(path, "time", content.arrays.at("time")),
            read_times<Index>(path, "step", content.arrays.at("step"))};
}

class RecordStore::Store {
  public:
    Store(Domain& domain, fs::path path, StoreLayout layout, std::vector<StoredMap> maps, std::optional<Index> keep,
          const StoreSizes& sizes)
        : domain_(domain), path_(std::move(path)), attributes_(std::move(layout.attributes)), sizes_(sizes) {
        together(domain.comm(), [&] {
            check_store_fields(domain, path_, maps);
            for (StoreArray& array : layout.arrays) arrays_.push_back(chunked(std::move(array), maps));
            for (const StoredMap& map : maps) check_map(map);
        });
        times_.time.reserve(static_cast<std::size_t>(sizes_.times));
        times_.step.reserve(static_cast<std::size_t>(sizes_.times));
        at_root(domain_, [&] { open(keep); });
        share(domain.comm(), times_);
        for (const StoredMap& map : maps) add(map);
    }

    void write(double time, Index step) {
        for (const Variable& variable : variables_) variable.field->require_memory();
        std::exception_ptr failed;
        const Index number = count();
        for (Variable& variable : variables_) {
            if (variable.fixed && number > 0) continue;
            variable.writer->write(*variable.field, variable.files, number, 0, failed, &variable.dry, map_fill);
        }
        raise_together(domain_.comm(), failed);
        times_.time.push_back(time);
        times_.step.push_back(step);
        try {
            at_root(domain_, [&] { publish_record(); });
        } catch (...) {
            times_.keep(static_cast<std::size_t>(number));
            throw;
        }
    }

    void read(Index record) {
        for (const Variable& variable : variables_) variable.field->require_memory();
        std::exception_ptr failed;
        for (Variable& variable : variables_) {
            std::unique_ptr<MapReader>& reader = readers_[variable.key];
            if (reader == nullptr)
                reader = std::make_unique<MapReader>(domain_, variable.key.first, variable.key.second);
            reader->read(*variable.field, variable.files, record, 0, failed, &map_fill);
        }
        for (const Variable& variable : variables_) variable.field->modified();
        raise_together(domain_.comm(), failed);
    }

    // A folder that cannot go, as a reader on NFS holds its files open, does not spoil records that are complete.
    void close() {
        at_root(domain_, [&] {
            std::error_code unknown;
            if (lock_ != nullptr) fs::remove_all(former_of(path_), unknown);
        });
        release();
    }

    void release() { lock_.reset(); }

    [[nodiscard]] const RecordTimes& times() const { return times_; }
    [[nodiscard]] Index bytes() const {
        Index sum = 0;
        for (const auto& [key, writer] : writers_) sum += writer->bytes();
        return sum;
    }

  private:
    [[nodiscard]] Index count() const { return std::ssize(times_.time); }

    // ---- the layout

    // The chunk grid of an array of maps, and the type of its values.
    [[nodiscard]] MapKey key_of(const StoreArray& array) const {
        const std::vector<Index>& shape = array.shape;
        const Index levels = shape.size() > 2 ? shape[0] : 1;
        const ElementType type = element_type_from(array.type);
        return {chunk_grid({shape[shape.size() - 1], shape[shape.size() - 2], levels},
                           static_cast<Index>(size_of(type)), sizes_.chunk_bytes),
                type};
    }

    [[nodiscard]] ChunkedArray chunked(StoreArray array, const std::vector<StoredMap>& maps) const {
        const auto own = [&array](const StoredMap& map) { return map.name == array.name; };
        const bool is_map = std::ranges::any_of(maps, own);
        std::vector<Index> chunk = array.shape;
        if (!is_map && array.over_time()) chunk = {sizes_.times};
        if (is_map) {
            require_rank(array);
            const Index3 cells = key_of(array).first.chunk;
            chunk.assign({cells[2], cells[1], cells[0]});
            if (array.shape.size() == 2) chunk.erase(chunk.begin());
            if (array.over_time()) chunk.insert(chunk.begin(), 1);
        }
        return {std::move(array), std::move(chunk), is_map};
    }

    static void require_rank(const StoreArray& array) {
        if (array.shape.size() == 2 || array.shape.size() == 3) return;
        user_error("array " + array.name + " of a store", concat(array.shape.size(), " dimensions"),
                   "([level, ]y, x), besides time", "lay it out as a map");
    }

    [[nodiscard]] const StoreArray& array_of(const StoredMap& map) const {
        const auto own = [&map](const ChunkedArray& chunked) { return chunked.array.name == map.name; };
        const auto found = std::ranges::find_if(arrays_, own);
        if (found == arrays_.end())
            user_error("field " + map.name + " of a store", "no array of that name", "one", "lay it out");
        return found->array;
    }

    void check_map(const StoredMap& map) const {
        const StoreArray& array = array_of(map);
        const Index3 size = key_of(array).first.size, own = map_size(domain_.partition().grid(), map.field->spec());
        const std::string name = "field " + map.name + " of records";
        if (map.field->spec().components != 1)
            user_error(name, concat(map.field->spec().components, " components"), "one",
                       "write a field for each component");
        if (size != own)
            user_error(name, listed(own, " x ") + " cells", listed(size, " x "), "lay its array out in its size");
    }

    void add(const StoredMap& map) {
        const StoreArray& array = array_of(map);
        const MapKey key = key_of(array);
        std::unique_ptr<MapWriter>& writer = writers_[key];
        if (writer == nullptr) writer = std::make_unique<MapWriter>(domain_, key.first, key.second, false);
        const bool deep = array.shape.size() > 2, fixed = !array.over_time();
        ChunkColumns dry = writer->columns([&](Index i, Index j) { return map.is_dry && map.is_dry(i, j); });
        variables_.push_back(
            {map.field, key, fixed, MapFiles(path_ / map.name, !fixed, deep), writer.get(), std::move(dry)});
    }

    // ---- rank 0

    void open(std::optional<Index> keep) {
        lock_ = std::make_unique<FolderLock>(path_);
        try {
            keep ? go_on(*keep) : begin();
        } catch (...) {
            lock_.reset();
            throw;
        }
    }

    // Makes the store, and keeps the one that had this name until this one is complete.
    void begin() {
        set_aside();
        const fs::path part = part_of(path_);
        remove_folder(part);
        make_folder(part);
        for (const ChunkedArray& chunked : arrays_) {
            const StoreArray& array = chunked.array;
            publish_array(part, array.name, chunked.metadata(0));
            if (array.values.empty()) continue;
            fs::path file = part / array.name / "c";
            for (std::size_t n = 0; n < array.shape.size(); ++n) file /= "0";
            replace_chunk(file.string(), array.values);
        }
        publish_group(part, group());
        rename_folder(part, path_);
    }

    void set_aside() const {
        if (!fs::exists(path_)) return;
        const StoreContent content = read_store(path_);
        if (length_in(content.arrays.at("time").at("shape"), 0, most_records) == 0) return remove_folder(path_);
        remove_folder(former_of(path_));
        rename_folder(path_, former_of(path_));
    }

    // Takes the first records, and repairs the lengths of all arrays, as a killed job may have left any.
    void go_on(Index keep) {
        const StoreContent content = read_store(path_);
        times_ = read_all_times(path_, content);
        check_forms(arrays(), content.arrays, path_.string(), "write these fields to another store");
        if (keep < 0 || keep > count())
            user_error("records to keep of " + path_.string(), keep, concat("0 to ", count()), "keep those it has");
        times_.keep(static_cast<std::size_t>(keep));
        publish_all();
    }

    void publish_record() {
        write_time("time", times_.time);
        write_time("step", times_.step);
        publish_all();
    }

    // Writes the last chunk of an array of times again.
    template <class T>
    void write_time(const char* name, const std::vector<T>& values) {
        const Index chunk = (std::ssize(values) - 1) / sizes_.times;
        std::vector<T> last(values.begin() + chunk * sizes_.times, values.end());
        last.resize(static_cast<std::size_t>(sizes_.times));
        replace_chunk((path_ / name / "c" / std::to_string(chunk)).string(), std::as_bytes(std::span(last)));
    }

    // One renaming makes a record visible; then come the arrays for themselves.
    void publish_all() {
        publish_group(path_, group());
        for (const ChunkedArray& chunked : arrays_)
            if (count() <= 1 || chunked.array.over_time())
                publish_array(path_, chunked.array.name, chunked.metadata(count()));
    }

    [[nodiscard]] Json group() const { return group_metadata(Json::parse(attributes_), arrays()); }

    // The metadata of all arrays. A map that no record holds yet is not there.
    [[nodiscard]] Json::Members arrays() const {
        Json::Members found;
        for (const ChunkedArray& chunked : arrays_)
            if (count() > 0 || !chunked.is_map) found.emplace_back(chunked.array.name, chunked.metadata(count()));
        return found;
    }

    Domain& domain_;
    fs::path path_;
    std::string attributes_;
    StoreSizes sizes_;
    std::vector<ChunkedArray> arrays_;
    RecordTimes times_;
    std::unique_ptr<FolderLock> lock_;  // on rank 0
    std::map<MapKey, std::unique_ptr<MapWriter>> writers_;
    std::map<MapKey, std::unique_ptr<MapReader>> readers_;
    std::vector<Variable> variables_;
};

RecordStore::RecordStore(Domain& domain, fs::path path, StoreLayout layout, std::vector<StoredMap> maps,
                         std::optional<Index> keep, const StoreSizes& sizes)
    : store_(std::make_unique<Store>(domain, std::move(path), std::move(layout), std::move(maps), keep, sizes)) {}

RecordStore::~RecordStore() = default;

void RecordStore::write(double time, Index step) { store_->write(time, step); }
void RecordStore::read(Index record) { store_->read(record); }
void RecordStore::close() { store_->close(); }
void RecordStore::release() { store_->release(); }
const std::vector<double>& RecordStore::times() const { return store_->times().time; }
const std::vector<Index>& RecordStore::steps() const { return store_->times().step; }
Index RecordStore::bytes() const { return store_->bytes(); }

}  // namespace lapwing
