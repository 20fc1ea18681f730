// Transforms and tridiagonal systems of lines: against the differences that they stand for, and bits in any company.
#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/solver/line_transform.hpp"
#include "lapwing/solver/tridiagonal.hpp"

using namespace lapwing;

namespace {

// Numbers between -1 and 1 that repeat nowhere.
std::vector<double> numbers(Index count) {
    std::vector<double> values;
    for (Index n = 0; n < count; ++n) values.push_back(std::sin(1.7 * static_cast<double>(n * n % 1009) + 0.3));
    return values;
}

double beyond(const double* line, Index j, Index points, Ends ends) {
    if (j >= 0 && j < points) return line[j];
    if (ends == Ends::periodic) return line[(j + points) % points];
    return ends == Ends::neumann ? line[j < 0 ? 0 : points - 1] : 0.0;
}

}  // namespace

TEST_CASE("coefficients times eigenvalues are the second difference, and back come the values") {
    constexpr Index lines = 11;
    for (const Ends ends : {Ends::periodic, Ends::dirichlet, Ends::neumann})
        for (const Index points : {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 22, 49, 64, 97, 120, 202}) {
            LineTransform transform(points, ends);
            const std::vector<double> values = numbers(lines * points), waves = transform.eigenvalues(0.5);
            std::vector<double> same = values, difference = values;
            transform.forward(same.data(), lines);
            transform.backward(same.data(), lines);
            transform.forward(difference.data(), lines);
            for (Index n = 0; n < lines * points; ++n) difference[n] *= waves[n % points];
            transform.backward(difference.data(), lines);
            for (Index l = 0; l < lines; ++l)
                for (Index j = 0; j < points; ++j) {
                    const double* line = values.data() + l * points;
                    const double expected =
                        (2 * line[j] - beyond(line, j - 1, points, ends) - beyond(line, j + 1, points, ends)) / 0.25;
                    CHECK(std::abs(same[l * points + j] - line[j]) < 1e-14);
                    CHECK(std::abs(difference[l * points + j] - expected) < 1e-12);
                }
        }
}

TEST_CASE("a line has the same bits in any company") {
    for (const Ends ends : {Ends::periodic, Ends::dirichlet, Ends::neumann})
        for (const Index points : {7, 30, 32}) {
            LineTransform transform(points, ends);
            const std::vector<double> values = numbers(21 * points);
            std::vector<double> together = values;
            transform.forward(together.data(), 21);
            for (const Index first : {0, 5, 8, 20}) {
                std::vector<double> alone(values.begin() + first * points, values.begin() + (first + 1) * points);
                transform.forward(alone.data(), 1);
                CHECK(std::equal(alone.begin(), alone.end(), together.begin() + first * points));
            }
        }
}

TEST_CASE("tridiagonal systems are solved, wherever their points lie") {
    constexpr Index points = 9, lines = 5, stride = 7;
    constexpr double beside = -0.7;
    std::vector<double> diagonal = numbers(points * lines);
    for (double& value : diagonal) value += 3.0;
    const std::vector<double> given = numbers(points * stride);
    std::vector<double> found = given;
    Tridiagonal(diagonal, lines, beside).solve(found.data(), stride);
    for (Index j = 0; j < points; ++j)
        for (Index l = 0; l < lines; ++l) {
            double product = diagonal[j * lines + l] * found[j * stride + l];
            if (j > 0) product += beside * found[(j - 1) * stride + l];
            if (j + 1 < points) product += beside * found[(j + 1) * stride + l];
            CHECK(std::abs(product - given[j * stride + l]) < 1e-14);
        }
    for (Index j = 0; j < points; ++j)
        for (Index l = lines; l < stride; ++l) CHECK(found[j * stride + l] == given[j * stride + l]);
}

TEST_CASE("lengths with a large prime are told, and lengths that are none refused") {
    CHECK(slow_length(200, Ends::periodic).empty());
    CHECK(slow_length(200, Ends::dirichlet).find("201") != std::string::npos);
    CHECK(slow_length(202, Ends::periodic).find("208 points") != std::string::npos);
    CHECK_THROWS_AS(LineTransform(0, Ends::periodic), UserError);
    CHECK_THROWS_AS(Tridiagonal({1.0, 2.0, 3.0}, 2, 0.1), UserError);
}
