#pragma once
// Fields as a model declares them: a name, a place in the cell and an element type. The step that uses a field gives it
// memory, with the halo that its stages need.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lapwing/grid/grid.hpp"
#include "lapwing/memory/field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// What is known of a field before it has memory, and its memory from then on.
class DeclaredField {
  public:
    DeclaredField(Domain& domain, FieldSpec spec) : domain_(domain), spec_(std::move(spec)) {}

    [[nodiscard]] Domain& domain() const { return domain_; }
    [[nodiscard]] const FieldSpec& spec() const { return spec_; }
    [[nodiscard]] bool has_memory() const { return memory_.has_value(); }
    // Throws UserError before a step was made that uses the field. Local.
    [[nodiscard]] Field& memory();
    // Gives it memory with halos of at least `halo`, zeroed. Throws as the constructor of Field does. Local.
    void allocate(const Extent& halo);

  private:
    Domain& domain_;
    FieldSpec spec_;
    std::optional<Field> memory_;
};

// The values of the whole grid, on rank 0, x fastest; empty elsewhere. Collective, one message per rank.
template <class T>
std::vector<T> gathered(DeclaredField& field);

// A field whose element type the compiler knows: float, double, std::int32_t or std::int64_t. Copies are the same
// field.
template <class T>
class TypedField {
  public:
    // `levels`: length of an axis that is not cut, 0 for none; `components`: values per cell. Local, and the same on
    // all ranks.
    TypedField(Domain& domain, std::string name, Location location = Location::center, int levels = 0,
               int components = 1)
        : field_(std::make_shared<DeclaredField>(
              domain,
              FieldSpec{std::move(name), element_type<T>(), location, levels, components, {{}}, {0, 1, 2, 3}})) {}

    [[nodiscard]] const std::shared_ptr<DeclaredField>& declared() const { return field_; }
    [[nodiscard]] const std::string& name() const { return field_->spec().name; }

    // Sets every owned cell to value(i, j, k), in global indices, and announces the write. Throws UserError before the
    // field has memory. Local; call it on all ranks.
    template <class Value>
    void fill(const Value& value) {
        each([&](T& cell, Index i, Index j, Index k) { cell = value(i, j, k); });
        memory().modified();
    }
    // Calls use(value, i, j, k) for every owned cell. Local.
    template <class Use>
    void each(const Use& use) const {
        for (std::size_t b = 0; b < memory().blocks().size(); ++b) {
            const Box& box = memory().blocks()[b].owned;
            const View<T> view = memory().template view<T>(static_cast<int>(b));
            for (Index k = box.lo[2]; k < box.hi[2]; ++k)
                for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                    for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(view(i, j, k), i, j, k);
        }
    }
    // The values of the whole grid, x fastest, on rank 0; empty on the others. Collective.
    [[nodiscard]] std::vector<T> gather() const { return gathered<T>(*field_); }

    [[nodiscard]] Field& memory() const { return field_->memory(); }

  private:
    std::shared_ptr<DeclaredField> field_;
};

}  // namespace lapwing
