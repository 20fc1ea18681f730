#include "lapwing/step/typed_field.hpp"

#include <array>

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/plan/gather_plan.hpp"

namespace lapwing {

Field& DeclaredField::memory() {
    if (!memory_) {
        user_error("field " + spec_.name, "a use before it has memory", "a step that declares it",
                   "make the step first: it knows how wide a halo the field needs");
    }
    return *memory_;
}

void DeclaredField::allocate(const Extent& halo) {
    FieldSpec spec = spec_;
    spec.extents = {halo};
    memory_.emplace(domain_.partition(), domain_.rank(), std::move(spec), halo);
}

template <class T>
std::vector<T> gathered(DeclaredField& field) {
    Domain& domain = field.domain();
    const bool root = domain.rank() == 0;
    FieldSpec spec = field.spec();
    std::vector<T> values;
    std::optional<Field> whole;
    together(domain.comm(), [&] { whole.emplace(Field::whole(domain.partition().grid(), spec, root)); });
    const std::array<const Field*, 1> from{&field.memory()}, to{&*whole};
    const std::array<FieldSpec, 1> specs{spec};
    Exchange(domain, gather_plan(domain.partition(), domain.rank(), specs), from, to).run();
    if (!root) return values;
    const Block& block = whole->blocks()[0];
    const View<T> view = whole->view<T>();
    for (Index k = block.owned.lo[2]; k < block.owned.hi[2]; ++k)
        for (Index j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
            for (Index i = block.owned.lo[0]; i < block.owned.hi[0]; ++i) values.push_back(view(i, j, k));
    return values;
}

template std::vector<float> gathered<float>(DeclaredField&);
template std::vector<double> gathered<double>(DeclaredField&);
template std::vector<std::int32_t> gathered<std::int32_t>(DeclaredField&);
template std::vector<std::int64_t> gathered<std::int64_t>(DeclaredField&);

}  // namespace lapwing
