#pragma once
// Restart: the state of a model in a store that all ranks write together, and from which any number of them goes on.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/store/record_store.hpp"

namespace lapwing {

// What a restart says besides its fields, where that differs from the default.
struct RestartOptions {
    std::vector<std::string> names{};  // of the fields in the store; their own by default
    std::string owner{};  // of the state, as JSON, which `read` leaves to the caller to compare; by default
                          // the grid, which `read` requires
    Index chunk_bytes = StoreSizes{}.chunk_bytes;
};

// The state of a program, from which it goes on bit for bit on any number of ranks: lapwing.Restart in Python reads it.
class Restart {
  public:
    // Takes the fields of the state; nothing is written or read. Collective over the domain, as all calls are; throws
    // UserError on all ranks for fields without names of their own.
    Restart(Domain& domain, std::filesystem::path path, std::vector<std::shared_ptr<AnyField>> fields,
            RestartOptions options = {});
    ~Restart();
    Restart(const Restart&) = delete;
    Restart& operator=(const Restart&) = delete;

    // Writes the state after `step` steps, complete or not at all, flushed to the disk. The state before stays as
    // NAME.former. Throws UserError on all ranks for a name that does not end in .zarr, OutsideError when the disk is
    // full or gone. The first call plans the way.
    void write(Index step);

    // Puts the state into the fields and returns its step; halos are stale. Throws UserError on all ranks where there
    // is none, it is of another grid, has other fields, or a chunk is missing, torn or damaged.
    Index read();

    // The bytes of fields that this rank has written. Local.
    [[nodiscard]] Index bytes() const;

  private:
    class Store;
    std::unique_ptr<Store> store_;
};

}  // namespace lapwing
