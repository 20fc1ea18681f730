#pragma once
// Fields as a model declares them: a name, a place in the cell and an element type. The step that uses a field gives it
// memory, with the halo that its stages need.

#include <array>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lapwing/grid/grid.hpp"
#include "lapwing/memory/any_field.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// The description of a field beyond its name and type.
struct FieldOptions {
    Location location = Location::center;
    int levels = 0;      // length of an axis that is not cut; 0: none
    int components = 1;  // values per cell
    // The order of the axes x = 0, y = 1, z = 2 and components = 3 in memory, fastest first.
    std::array<int, 4> order{0, 1, 2, 3};
    Extent halo{};  // least halo, for reads outside stages, as in a plain exchange
    // The extent to which each component is read around a cell at most, one for each, or one for all; empty: as far as
    // the stages read. For a field that a stage scatters, the offset at which each component is written.
    std::vector<Extent> component_extents{};
    bool own_pages = false;  // see AnyField::with_own_pages
    RowLayout rows = RowLayout::packed;
    // Promises that no stage changes its values on land, so that these need neither be computed nor travel again and
    // again: see set_land. A face or corner counts as water when a cell that touches it is.
    bool constant_on_land = false;
    // True for a component of a vector along x or y: its sign is the other one where its axis runs the other way, as
    // both do beyond a north fold.
    bool vector = false;
    // The pair that it is one of: each takes values of the other where x of a face runs along y of the next, and both
    // are exchanged together.
    FieldPair pair{};
    // True if ghost cells beyond closed sides of the grid hold values that exchanges carry, see FieldSpec.
    bool frame = false;
};

// The values of the whole grid, on rank 0, x fastest; empty elsewhere. Collective, one message per rank.
template <class T>
std::vector<T> gathered(Domain& domain, const AnyField& field);

// A field of this type, without memory, which the domain knows. Local.
std::shared_ptr<AnyField> declared_field(Domain& domain, ElementType type, std::string name,
                                         const FieldOptions& options);

// A field whose element type the compiler knows: float, double, std::int32_t, std::int64_t or bool. Copies are the
// same field.
template <class T>
class Field {
  public:
    // Local, and the same on all ranks. Throws UserError for options that make no sense.
    Field(Domain& domain, std::string name, const FieldOptions& options)
        : domain_(&domain), field_(declared_field(domain, element_type<T>(), std::move(name), options)) {}
    Field(Domain& domain, std::string name, Location location = Location::center)
        : Field(domain, std::move(name), FieldOptions{.location = location}) {}

    [[nodiscard]] Domain& domain() const { return *domain_; }
    [[nodiscard]] const std::shared_ptr<AnyField>& field() const { return field_; }
    operator std::shared_ptr<AnyField>() const { return field_; }  // for Exchange(domain, {u, v})
    [[nodiscard]] const FieldSpec& spec() const { return field_->spec(); }
    [[nodiscard]] const std::string& name() const { return spec().name; }
    // The name that the engine and files know. Local.
    [[nodiscard]] AnyField& memory() const { return *field_; }
    // Gives it memory without halo, unless a step has given it some: for a field that no stage uses. Local.
    void allocate() const {
        if (!field_->has_memory()) field_->allocate({});
    }

    // Says that something other than a step or `fill` has written it: its halo is stale. Local; call it on all ranks.
    void modified() const { field_->modified(); }

    // Sets every owned cell to value(i, j, k) or value(i, j), in global indices, or to a number, and announces the
    // write. Throws UserError before the field has memory. Local; call it on all ranks.
    template <class Value>
    void fill(const Value& value) {
        each([&]([[maybe_unused]] T& cell, Index i, Index j, [[maybe_unused]] Index k) {
            if constexpr (std::is_invocable_v<const Value&, Index, Index, Index>) {
                cell = value(i, j, k);
            } else if constexpr (std::is_invocable_v<const Value&, Index, Index>) {
                cell = value(i, j);
            } else {
                static_assert(std::is_convertible_v<Value, T>,
                              "lapwing: fill takes value(i, j, k), value(i, j) or a number");
                cell = value;
            }
        });
        memory().modified();
    }
    // Calls use(value, i, j, k) for every owned cell. Local.
    template <class Use>
    void each(const Use& use) const {
        for (std::size_t b = 0; b < field_->blocks().size(); ++b) {
            const Box& box = field_->blocks()[b].owned;
            const View<T> view = field_->template view<T>(static_cast<int>(b));
            for (Index k = box.lo[2]; k < box.hi[2]; ++k)
                for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                    for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(view(i, j, k), i, j, k);
        }
    }
    // Returns the values of the whole grid, x fastest, on rank 0; empty on all other ranks. Collective.
    [[nodiscard]] std::vector<T> gather() const { return gathered<T>(*domain_, *field_); }

  private:
    Domain* domain_;
    std::shared_ptr<AnyField> field_;
};

}  // namespace lapwing
