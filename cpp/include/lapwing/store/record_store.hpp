#pragma once
// RecordStore: records of fields in a store whose arrays the caller lays out. Records and `lapwing run` are users of
// it.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// The sizes of parts of a store, which follow from nothing but these; tests take small ones.
struct StoreSizes {
    Index chunk_bytes = Index{1} << 22;  // of a chunk of a map, about
    Index times = 1024;                  // in a chunk of an array of one number per record
};

// One array of a store of records.
struct StoreArray {
    std::string name, type;               // "float64", "int8"
    std::vector<std::string> dimensions;  // first "time", if it grows by records
    std::vector<Index> shape;             // along the other dimensions
    std::string attributes = "{}";        // JSON
    std::vector<std::byte> values{};      // of an array that no field fills; rank 0 alone needs them

    [[nodiscard]] bool over_time() const { return !dimensions.empty() && dimensions[0] == "time"; }
};

// Everything in a store of records. "time" (float64) and "step" (int64) are among the arrays.
struct StoreLayout {
    std::string attributes = "{}";  // JSON
    std::vector<StoreArray> arrays{};
};

// The field whose maps fill an array, ([time, ][level, ]y, x): one in each record, or one for all.
struct StoredMap {
    std::string name;  // of the array
    AnyField* field = nullptr;
    std::function<bool(Index i, Index j)> is_dry{};  // where it has no meaning; empty: nowhere
};

// Records in a store under its own name from the start. A record appears complete or not at all, whatever process is
// killed; bytes do not depend on ranks and partition. Collective over the domain, except where it says otherwise;
// OutsideError on all ranks when the disk is full or gone, and the records before stay.
class RecordStore {
  public:
    // Makes the store, or goes on behind the first `keep` records of the store that is there. The fields must live as
    // long as it does. Throws UserError on all ranks for fields that do not fit their arrays, an earlier store of other
    // arrays, something else under that name, and a store that another job writes. Cost: see Records.
    RecordStore(Domain& domain, std::filesystem::path path, StoreLayout layout, std::vector<StoredMap> maps,
                std::optional<Index> keep = {}, const StoreSizes& sizes = {});
    ~RecordStore();
    RecordStore(const RecordStore&) = delete;
    RecordStore& operator=(const RecordStore&) = delete;

    // Adds the present values of the fields as the record of `time`, s since the start.
    void write(double time, Index step);
    // Puts a record into the fields, whose halos are then stale; where it has no value, they keep their own. Throws
    // UserError on all ranks where a chunk is missing, torn or damaged. The first call plans the way back.
    void read(Index record);
    // Removes the store that had this name before, and releases this one.
    void close();
    // Lets other jobs write there, with the records that are visible. Local.
    void release();

    // The times of the records and their steps, and the bytes of maps that this rank has written. Local.
    [[nodiscard]] const std::vector<double>& times() const;
    [[nodiscard]] const std::vector<Index>& steps() const;
    [[nodiscard]] Index bytes() const;

  private:
    class Store;
    std::unique_ptr<Store> store_;
};

}  // namespace lapwing
