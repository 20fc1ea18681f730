// The collision against the formulas of the method, written down as they are read.
#include <lapwing_lattice/collision.hpp>

#include <catch2/catch.hpp>

#include <random>

using namespace lapwing_lattice;

namespace {

using Populations = std::array<double, directions>;

double dot(std::size_t q, const std::array<double, 3>& v) {
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a) sum += static_cast<double>(velocities[q][a]) * v[a];
    return sum;
}

// Two relaxation times by the symmetric and antisymmetric parts of populations, equilibria and Guo's source.
Populations slow_collision(const Populations& f, double plus, double minus, const std::array<double, 3>& force) {
    double rho = 0;
    std::array<double, 3> u{};
    for (std::size_t q = 0; q < directions; ++q) {
        rho += f[q];
        for (std::size_t a = 0; a < 3; ++a) u[a] += static_cast<double>(velocities[q][a]) * f[q];
    }
    for (std::size_t a = 0; a < 3; ++a) u[a] = (u[a] + force[a] / 2) / rho;
    const double uu = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    const double uf = u[0] * force[0] + u[1] * force[1] + u[2] * force[2];
    Populations equal{}, source{}, after{};
    for (std::size_t q = 0; q < directions; ++q) {
        const double e = dot(q, u);
        equal[q] = weight(q) * rho * (1 + 3 * e + 4.5 * e * e - 1.5 * uu);
        source[q] = weight(q) * (3 * (dot(q, force) - uf) + 9 * e * dot(q, force));
    }
    for (std::size_t q = 0; q < directions; ++q) {
        const std::size_t o = opposite(q);
        const auto even = [&](const Populations& g) { return 0.5 * (g[q] + g[o]); };
        const auto odd = [&](const Populations& g) { return 0.5 * (g[q] - g[o]); };
        after[q] = f[q] - plus * (even(f) - even(equal)) - minus * (odd(f) - odd(equal)) +
                   (1 - plus / 2) * even(source) + (1 - minus / 2) * odd(source);
    }
    return after;
}

template <bool forced>
void check(double plus, double minus, const std::array<double, 3>& force) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> noise(0.8, 1.2);
    const Relaxation<double> at(plus, minus, force);
    for (int turn = 0; turn < 100; ++turn) {
        Populations f{};
        for (std::size_t q = 0; q < directions; ++q) f[q] = weight(q) * noise(random);
        const Populations expected = slow_collision(f, plus, minus, force);
        collide<double, forced>(at, moments<double, forced>(at, f.data(), 1), f.data(), 1);
        for (std::size_t q = 0; q < directions; ++q) REQUIRE(f[q] == Approx(expected[q]).epsilon(1e-13));
    }
}

}  // namespace

TEST_CASE("directions and weights are those of D3Q19") {
    double sum = 0, second = 0;
    for (std::size_t q = 0; q < directions; ++q) {
        CHECK(opposite(opposite(q)) == q);
        for (std::size_t a = 0; a < 3; ++a) CHECK(velocities[q][a] == -velocities[opposite(q)][a]);
        sum += weight(q);
        second += weight(q) * static_cast<double>(velocities[q][0] * velocities[q][0]);
    }
    CHECK(sum == Approx(1).epsilon(1e-15));
    CHECK(second == Approx(1.0 / 3).epsilon(1e-15));
}

TEST_CASE("one relaxation time or two, with and without a force") {
    check<false>(1.2, 1.2, {});
    check<false>(1.9, 0.7, {});
    check<true>(1.2, 1.2, {1e-3, -2e-3, 5e-4});
    check<true>(1.9, 0.7, {1e-3, -2e-3, 5e-4});
}

TEST_CASE("a collision keeps mass, and momentum except for the force") {
    const std::array<double, 3> force{1e-3, 2e-3, -1e-3};
    const Relaxation<double> at(1.7, 0.9, force);
    Populations f{};
    for (std::size_t q = 0; q < directions; ++q) f[q] = weight(q) * (1.0 + 0.01 * static_cast<double>(q));
    const auto before = moments<double, true>(at, f.data(), 1);
    collide<double, true>(at, before, f.data(), 1);
    const auto after = moments<double, true>(at, f.data(), 1);
    CHECK(after.rho == Approx(before.rho).epsilon(1e-15));
    CHECK(after.ux * after.rho == Approx(before.ux * before.rho + force[0]).epsilon(1e-12));
    CHECK(after.uz * after.rho == Approx(before.uz * before.rho + force[2]).epsilon(1e-12));
}
