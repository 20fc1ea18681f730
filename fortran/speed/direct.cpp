// The reference for Fortran: the same exchange and the same tide, called from C++.

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "lapwing/lapwing.hpp"

using namespace lapwing;

namespace {

constexpr double spacing = 5000.0, depth = 60.0, gravity = 9.81, coriolis = 1.2e-4, dt = 60.0;  // m, m, m/s2, 1/s, s

void momentum_x(Box box, View<double> u, View<const double> v, View<const double> h) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* here = u.row(j);
        const double *level = h.row(j), *north = v.row(j), *south = v.row(j - 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double across = 0.25 * (north[i] + north[i + 1] + south[i] + south[i + 1]);
            here[i] += dt * (coriolis * across - gravity * (level[i + 1] - level[i]) / spacing);
        }
    }
}

void momentum_y(Box box, View<double> v, View<const double> u, View<const double> h) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* here = v.row(j);
        const double *level = h.row(j), *ahead = h.row(j + 1), *along = u.row(j), *above = u.row(j + 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
            const double across = 0.25 * (along[i] + along[i - 1] + above[i] + above[i - 1]);
            here[i] -= dt * (coriolis * across + gravity * (ahead[i] - level[i]) / spacing);
        }
    }
}

void continuity(Box box, View<double> h, View<const double> u, View<const double> v) {
    for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
        double* level = h.row(j);
        const double *along = u.row(j), *north = v.row(j), *south = v.row(j - 1);
        for (Index i = box.lo[0]; i < box.hi[0]; ++i)
            level[i] -= dt * depth * (along[i] - along[i - 1] + north[i] - south[i]) / spacing;
    }
}

struct Tide {
    Domain domain;
    Field<double> u{domain, "u", Location::xface}, v{domain, "v", Location::yface}, h{domain, "h"};
    Step step{domain,
              {stage("momentum_x", momentum_x, updates(u), reads(v, ahead(x), behind(y)), reads(h, ahead(x))),
               stage("momentum_y", momentum_y, updates(v), reads(u, behind(x), ahead(y)), reads(h, ahead(y))),
               stage("continuity", continuity, updates(h), reads(u, behind(x)), reads(v, behind(y)))},
              {.strategy = "blocking"}};

    Tide(MPI_Comm comm, Index nx, Index ny) : domain(comm, {nx, ny}, periodic_xy) {
        h.fill([](Index i, Index j) { return 0.001 * static_cast<double>((7 * i + 3 * j) % 1000); });
    }
};

// Exchanges of some fields, and of arrays that come and go: two sets of these, one after the other.
struct Halos {
    Domain domain;
    std::vector<AnyField> fields;
    std::array<std::vector<AnyField>, 2> arrays;
    std::array<std::vector<Block>, 2> blocks;
    std::unique_ptr<Exchange> of_fields;
    std::unique_ptr<ArrayExchange> of_arrays;

    Halos(MPI_Comm comm, Index n, int number, int width) : domain(comm, {n, n}, periodic_xy) {
        FieldSpec spec;
        spec.name = "a";
        spec.extents = {Extent::horizontal(width)};
        const std::vector<FieldSpec> specs(static_cast<std::size_t>(number), spec);
        const auto allocate = [&](std::vector<AnyField>& all) {
            for (const FieldSpec& one : specs)  // as private as a model's own arrays: both are packed
                all.push_back(AnyField::with_own_pages(domain.partition(), domain.rank(), one));
        };
        allocate(fields);
        std::vector<const AnyField*> pointers;
        for (const AnyField& field : fields) pointers.push_back(&field);
        of_fields = std::make_unique<Exchange>(domain, pointers);
        for (std::size_t set = 0; set < arrays.size(); ++set) {
            allocate(arrays[set]);
            for (const AnyField& array : arrays[set]) blocks[set].push_back(array.blocks()[0]);
        }
        of_arrays =
            std::make_unique<ArrayExchange>(domain, specs, ExchangeOptions{.transport = of_fields->transport()});
    }
};

}  // namespace

// Kept until the end of the program; a failure ends it.
extern "C" {
void* direct_tide(int comm, int nx, int ny) { return new Tide(MPI_Comm_f2c(comm), nx, ny); }
void direct_steps(void* tide, int steps) { static_cast<Tide*>(tide)->step.run(steps); }
void direct_levels(void* tide, double* values) {
    const std::vector<double> all = static_cast<Tide*>(tide)->h.gather();
    std::copy(all.begin(), all.end(), values);
}
void* direct_halos(int comm, int n, int number, int width) { return new Halos(MPI_Comm_f2c(comm), n, number, width); }
void direct_exchanges(void* halos, int times) {
    for (int n = 0; n < times; ++n) static_cast<Halos*>(halos)->of_fields->run();
}
void direct_exchanges_of_arrays(void* halos, int times) {
    auto& all = *static_cast<Halos*>(halos);
    for (int n = 0; n < times; ++n) all.of_arrays->run(all.blocks[static_cast<std::size_t>(n % 2)]);
}
}
