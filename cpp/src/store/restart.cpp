#include "lapwing/store/restart.hpp"

#include <map>
#include <string>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "store/chunks/chunk_file.hpp"
#include "store/chunks/map_files.hpp"
#include "store/layout.hpp"
#include "store/metadata.hpp"
#include "store/store_folder.hpp"

namespace lapwing {

namespace fs = std::filesystem;

namespace {

constexpr const char* step_attribute = "lapwing_step";

using MapKey = std::pair<ChunkGrid, ElementType>;

// Work by chunk grid and type, made when it is first needed.
template <class Work>
using ByMap = std::map<MapKey, std::unique_ptr<Work>>;

}  // namespace

class Restart::Store {
  public:
    Store(Domain& domain, fs::path path, std::vector<std::shared_ptr<AnyField>> fields, RestartOptions options)
        : domain_(domain),
          path_(std::move(path)),
          fields_(std::move(fields)),
          names_(std::move(options.names)),
          owner_(std::move(options.owner)),
          chunk_bytes_(options.chunk_bytes) {
        if (names_.empty())
            for (const auto& field : fields_) names_.push_back(field == nullptr ? "" : field->spec().name);
        together(domain.comm(), [&] {
            std::vector<StoredMap> all;
            for (std::size_t f = 0; f < fields_.size(); ++f) all.push_back({names_.at(f), fields_[f].get()});
            check_store_fields(domain, path_, all);
        });
    }

    void write(Index step) {
        for (const auto& field : fields_) field->require_memory();
        const fs::path part = part_of(path_);
        at_root(domain_, [&] {
            check_store_name(path_);
            make_room(part);
        });
        if (files_.empty()) files_ = files_in(part);
        std::exception_ptr failed;
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            const AnyField& field = *fields_[f];
            std::unique_ptr<MapWriter>& writer = writers_[key_of(field)];
            if (writer == nullptr)
                writer = std::make_unique<MapWriter>(domain_, key_of(field).first, field.spec().type, true);
            for (int c = 0; c < field.spec().components; ++c) writer->write(field, files_[f], c, c, failed);
        }
        raise_together(domain_.comm(), failed);
        at_root(domain_, [&] { publish(part, step); });
    }

    Index read() {
        for (const auto& field : fields_) field->require_memory();
        Index step = 0;
        at_root(domain_, [&] { step = checked_step(); });
        step = reduced(domain_.comm(), step, MPI_SUM, "the step of the restart");
        std::vector<MapFiles> files = files_in(path_);
        ByMap<MapReader> readers;
        std::exception_ptr failed;
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            AnyField& field = *fields_[f];
            std::unique_ptr<MapReader>& reader = readers[key_of(field)];
            if (reader == nullptr)
                reader = std::make_unique<MapReader>(domain_, key_of(field).first, field.spec().type);
            for (int c = 0; c < field.spec().components; ++c) reader->read(field, files[f], c, c, failed);
            field.modified();
        }
        raise_together(domain_.comm(), failed);
        return step;
    }

    [[nodiscard]] Index bytes() const {
        Index sum = 0;
        for (const auto& [key, writer] : writers_) sum += writer->bytes();
        return sum;
    }

  private:
    [[nodiscard]] MapKey key_of(const AnyField& field) const {
        const FieldSpec& spec = field.spec();
        const Index value_bytes = static_cast<Index>(size_of(spec.type));
        return {chunk_grid(map_size(domain_.partition().grid(), spec), value_bytes, chunk_bytes_), spec.type};
    }

    [[nodiscard]] std::vector<MapFiles> files_in(const fs::path& folder) const {
        std::vector<MapFiles> files;
        for (const std::string& name : names_) files.emplace_back(folder / name, true, true);
        return files;
    }

    // The metadata of all fields by name. An array always has four dimensions, which a field may not need.
    [[nodiscard]] Json::Members metadata() const {
        Json::Members all;
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            const auto& [chunks, type] = key_of(*fields_[f]);
            const Index components = fields_[f]->spec().components;
            const StoreArray array{names_[f],
                                   std::string(to_string(type)),
                                   {concat("component", components), concat("level", chunks.size[2]), "y", "x"},
                                   {components, chunks.size[2], chunks.size[1], chunks.size[0]}};
            const Index3& chunk = chunks.chunk;
            all.emplace_back(names_[f], array_metadata(array, array.shape, {1, chunk[2], chunk[1], chunk[0]}));
        }
        return all;
    }

    [[nodiscard]] Json own_grid() const { return fingerprint(domain_.partition().grid(), nullptr); }

    // ---- rank 0

    // Makes the folder of the part; a complete one that a killed job left gets its name first.
    void make_room(const fs::path& part) const {
        if (is_complete(part)) put_in_place(part);
        remove_folder(part);
        make_folder(part);
    }

    // Gives a complete store its name; at any moment there is one, under this or another.
    void put_in_place(const fs::path& part) const {
        if (fs::exists(path_)) {
            remove_folder(former_of(path_));
            rename_folder(path_, former_of(path_));
        }
        rename_folder(part, path_);
        flush(path_.parent_path());
    }

    void publish(const fs::path& part, Index step) const {
        const Json::Members arrays = metadata();
        for (const auto& [name, array] : arrays) {
            publish_array(part, name, array);
            flush(part / name / metadata_name);
        }
        const std::string owner = owner_.empty() ? own_grid().line() : owner_;
        publish_group(part, group_metadata(Json::Members{{owner_attribute, owner}, {step_attribute, step}}, arrays));
        flush(part / metadata_name);
        flush(part);
        put_in_place(part);
    }

    [[nodiscard]] Index checked_step() const {
        const std::string name = "restart " + path_.string();
        const StoreContent content = read_store(path_);
        if (owner_.empty()) check_fingerprint(own_grid(), content.owner(), name);
        const Json* step = content.attributes.find(step_attribute);
        if (step == nullptr)
            user_error(name, "a store of records", "one of a restart", "name the store that Restart has written");
        check_forms(metadata(), content.arrays, name, "read it with the fields that were written");
        return step->number();
    }

    Domain& domain_;
    fs::path path_;
    std::vector<std::shared_ptr<AnyField>> fields_;
    std::vector<std::string> names_;
    std::string owner_;  // empty: the grid
    Index chunk_bytes_;
    ByMap<MapWriter> writers_;
    std::vector<MapFiles> files_;
};

Restart::Restart(Domain& domain, fs::path path, std::vector<std::shared_ptr<AnyField>> fields, RestartOptions options)
    : store_(std::make_unique<Store>(domain, std::move(path), std::move(fields), std::move(options))) {}

Restart::~Restart() = default;

void Restart::write(Index step) { store_->write(step); }
Index Restart::read() { return store_->read(); }
Index Restart::bytes() const { return store_->bytes(); }

}  // namespace lapwing
