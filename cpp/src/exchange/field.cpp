#include "lapwing/exchange/field.hpp"

#include <array>
#include <optional>
#include <utility>

#include "lapwing/exchange/exchange.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/plan/gather_plan.hpp"

namespace lapwing {

std::shared_ptr<AnyField> declared_field(Domain& domain, ElementType type, std::string name,
                                         const FieldOptions& options) {
    std::vector<Extent> extents = options.component_extents;
    if (extents.empty()) extents.push_back(options.halo);
    FieldSpec spec{std::move(name),    type,          options.location,         options.levels, options.components,
                   std::move(extents), options.order, options.constant_on_land, options.vector, options.pair,
                   options.frame};
    auto field = std::make_shared<AnyField>(AnyField::declared(domain.partition(), domain.rank(), std::move(spec),
                                                               options.halo, options.own_pages, options.rows));
    if (!options.component_extents.empty()) field->keep_extents();
    domain.note_declared(field);
    return field;
}

template <class T>
std::vector<T> gathered(Domain& domain, const AnyField& field) {
    const bool root = domain.rank() == 0;
    std::vector<T> values;
    std::optional<AnyField> whole;
    together(domain.comm(), [&] {
        field.require_memory();
        whole.emplace(AnyField::whole(domain.partition().grid(), field.spec(), root));
    });
    const std::array<const AnyField*, 1> from{&field}, to{&*whole};
    const std::array<FieldSpec, 1> specs{field.spec()};
    Exchange(domain, {gather_plan(domain.partition(), domain.rank(), specs)}, from, to).run();
    if (!root) return values;
    const Block& block = whole->blocks()[0];
    const View<T> view = whole->view<T>();
    for (Index k = block.owned.lo[2]; k < block.owned.hi[2]; ++k)
        for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
            for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i) values.push_back(view(i, j, k));
    return values;
}

template std::vector<float> gathered<float>(Domain&, const AnyField&);
template std::vector<double> gathered<double>(Domain&, const AnyField&);
template std::vector<std::int32_t> gathered<std::int32_t>(Domain&, const AnyField&);
template std::vector<std::int64_t> gathered<std::int64_t>(Domain&, const AnyField&);
template std::vector<bool> gathered<bool>(Domain&, const AnyField&);

}  // namespace lapwing
