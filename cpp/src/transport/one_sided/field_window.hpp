#pragma once
// Windows over the memory of fields: other ranks put to it and get from it, where it lies.

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

class Domain;

// A window without memory of its own (MPI_Win_create_dynamic), locked for everybody from its making on. The domain
// unlocks and frees it.
struct FieldWindow {
    std::shared_ptr<const MPI_Win> win;  // a null window once the domain was closed
};

// Memory of this rank that others may reach through a window, while this lives.
class ExposedMemory {
  public:
    // Takes a window for exclusive use and attaches `ranges` to it; null where no rank has messages. Windows are
    // used again, as memory can be attached and detached by one rank alone. Collective; throws UserError on all ranks
    // when there are too many, or the MPI refuses.
    static std::unique_ptr<ExposedMemory> make(Domain& domain, bool has_messages,
                                               std::span<const std::span<std::byte>> ranges);
    // Detaches, unless the domain was closed: no access to the memory may be under way. Local.
    ~ExposedMemory();
    ExposedMemory(const ExposedMemory&) = delete;
    ExposedMemory& operator=(const ExposedMemory&) = delete;

    [[nodiscard]] MPI_Win win() const { return *window_->win; }
    // Returns the range that holds an address; one of them must. Local.
    [[nodiscard]] const std::span<std::byte>& range_of(const std::byte* address) const;

  private:
    explicit ExposedMemory(std::shared_ptr<FieldWindow> window) : window_(std::move(window)) {}
    int attach(std::span<const std::span<std::byte>> ranges);

    std::shared_ptr<FieldWindow> window_;
    std::vector<std::span<std::byte>> attached_;
};

}  // namespace lapwing
