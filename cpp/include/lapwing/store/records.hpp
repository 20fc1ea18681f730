#pragma once
// Records: fields over time in a store of chunks (Zarr version 3) that all ranks write together.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lapwing/exchange/field.hpp"
#include "lapwing/grid/mask.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/store/record_store.hpp"

namespace lapwing {

// A horizontal coordinate of the centers of cells, its unit and its CF names.
struct AxisLabels {
    std::vector<double> values;                // one per cell
    std::string units = "1";                   // "m", "degrees_east", "degrees_north"
    std::string long_name{}, standard_name{};  // by default they follow from the unit
};

// A field of records: its unit and its CF names, besides what it knows itself (name, location, levels).
struct RecordField {
    std::shared_ptr<AnyField> field;
    std::string units = "1", long_name{}, standard_name{};  // without a long name: its name

    RecordField(std::shared_ptr<AnyField> of, std::string unit = "1", std::string described = {},
                std::string standard = {})
        : field(std::move(of)),
          units(std::move(unit)),
          long_name(std::move(described)),
          standard_name(std::move(standard)) {}
    template <class T>
    RecordField(const Field<T>& of, std::string unit = "1", std::string described = {}, std::string standard = {})
        : RecordField(of.field(), std::move(unit), std::move(described), std::move(standard)) {}
};

// The metadata of a store of records besides its fields.
struct RecordOptions {
    // Fields that never change, of which there is one map, with the first record.
    std::vector<RecordField> fixed{};
    std::string start = "2000-01-01 00:00:00";  // the date of time 0, UTC
    std::string title{};
    bool single_precision = false;       // values take 4 bytes instead of 8
    std::shared_ptr<const Mask> wet{};   // where fields have a meaning; null: everywhere
    std::optional<AxisLabels> x{}, y{};  // numbers of cells by default
    std::optional<double> keep_until{};  // go on behind the records of the store that is there, up to this time, s
};

// Records of fields in a store under its own name from the start, whose bytes do not depend on ranks and partition:
// the bytes of lapwing.Records in Python, read by xarray, `lapwing compare` and pictures. Names, locations and levels
// are the fields' own. A record appears complete or not at all, whatever process is killed.
class Records {
  public:
    // Makes the store, whose name ends in .zarr; the store that has this name stays as NAME.former until `close`.
    // Collective over the domain, as all calls are. Throws UserError on all ranks for a bad name, fields without names
    // of their own, a date that is none, an earlier store of other fields, and a store that another job writes;
    // OutsideError when the disk refuses. Cost: a transpose for each size of field, and its share of one slab of
    // levels in memory, twice.
    Records(Domain& domain, std::filesystem::path path, std::vector<RecordField> fields, RecordOptions options = {});
    ~Records();  // lets other jobs write there; the records stay
    Records(const Records&) = delete;
    Records& operator=(const Records&) = delete;

    // Adds the present values of the fields as the record of `time`, s since the start. `step`: the number of the
    // record by default. Throws OutsideError on all ranks when the disk is full or gone; the records before stay.
    void write(double time, std::optional<Index> step = {});

    // Puts the record of `time`, s since the start, into the fields, and returns its step. Where a record has no value,
    // as on land, a field keeps its own; halos are stale. Throws UserError on all ranks where there is no such record,
    // or a chunk is missing, torn or damaged. The first call plans the way back.
    Index read(double time);

    // Removes the store that had this name before, and lets other jobs write there.
    void close();

    // The number of records. Local.
    [[nodiscard]] Index count() const;

  private:
    std::filesystem::path path_;
    std::vector<RecordField> fields_;  // keeps them alive
    std::unique_ptr<RecordStore> store_;
};

}  // namespace lapwing
