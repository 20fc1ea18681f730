#include "lapwing/mpi/reduction.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/exact_sum.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

// The largest number so far; NaN once one was.
class Largest {
  public:
    void add(double value) {
        lost_ |= std::isnan(value);
        if (value > largest_) largest_ = value;
    }
    // MPI's minimum and maximum may miss NaN: a flag for NaN travels along.
    [[nodiscard]] double of_all(const Domain& domain) && {
        const std::array mine{largest_, lost_ ? 1.0 : 0.0};
        const auto all = reduced(domain.comm(), mine, MPI_MAX, "a number of all ranks");
        return all[1] > 0.0 ? nan : all[0];
    }

  private:
    double largest_ = -infinity;
    bool lost_ = false;
};

template <class T, class Use>
void each_value(const AnyField& field, const Use& use) {
    for (int b = 0; b < std::ssize(field.blocks()); ++b) {
        const Box& box = field.blocks()[static_cast<std::size_t>(b)].owned;
        const View<const T> view = field.view<T>(b);
        for (int c = 0; c < field.spec().components; ++c)
            for (Index k = box.lo[2]; k < box.hi[2]; ++k)
                for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                    for (Index i = box.lo[0]; i < box.hi[0]; ++i) use(static_cast<double>(view(i, j, k, c)));
    }
}

// Calls use(value) for every value in an owned cell.
template <class Use>
void each_value(const AnyField& field, const Use& use) {
    switch (field.spec().type) {
        case ElementType::float32:
            return each_value<float>(field, use);
        case ElementType::float64:
            return each_value<double>(field, use);
        case ElementType::int32:
            return each_value<std::int32_t>(field, use);
        case ElementType::int64:
            return each_value<std::int64_t>(field, use);
        case ElementType::boolean:
            return each_value<bool>(field, use);
    }
}

// `give_each(use)` calls use(value) for every value of this rank.
template <class GiveEach>
double total_of(const Domain& domain, Total kind, const GiveEach& give_each) {
    if (kind == Total::sum) {
        ExactSum sum;
        give_each([&](double value) { sum.add(value); });
        sum.set(reduced(domain.comm(), sum.numbers(), MPI_SUM, "a sum over ranks"));
        return sum.value();
    }
    const double sign = kind == Total::minimum ? -1.0 : 1.0;
    Largest largest;
    give_each([&](double value) { largest.add(sign * value); });
    return sign * std::move(largest).of_all(domain);
}

}  // namespace

bool any(const Domain& domain, bool mine) { return maximum(domain, mine ? 1 : 0) != 0; }

double total(const Domain& domain, Total kind, double mine) {
    return total_of(domain, kind, [&](const auto& use) { use(mine); });
}

double total(const Domain& domain, Total kind, const AnyField& field) {
    together(domain.comm(), [&] { field.require_memory(); });
    return total_of(domain, kind, [&](const auto& use) { each_value(field, use); });
}

double value_of(const Domain& domain, int rank, double mine) {
    MPI_Request request;
    check_mpi(MPI_Ibcast(&mine, 1, MPI_DOUBLE, rank, domain.comm(), &request), "MPI_Ibcast");
    wait_for(request, domain.comm(), "a value of one rank");
    return mine;
}

}  // namespace lapwing
