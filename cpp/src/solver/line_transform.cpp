#include "lapwing/solver/line_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lapwing/base/error.hpp"
#include "solver/fourier.hpp"
#include "solver/real_fourier.hpp"

namespace lapwing {

namespace {

constexpr Index slow_prime = 13;  // larger factors take their square

Index largest_prime(Index number) {
    Index largest = 1;
    for (Index factor = 2; number > 1; ++factor)
        for (; number % factor == 0; number /= factor) largest = factor;
    return largest;
}

void scale(Lane& lane, double factor) {
    for (double& value : lane.value) value *= factor;
}

double root(double number) { return std::sqrt(number); }

}  // namespace

// A group of lines and what transforms it.
class LineTransform::Waves {
  public:
    Waves(Index points, Ends ends)
        : values(static_cast<std::size_t>(points)),
          points_(points),
          fourier_(ends == Ends::dirichlet ? 2 * (points + 1) : points),
          room_(static_cast<std::size_t>(fourier_.points())) {
        if (ends != Ends::neumann) return;
        for (Index k = 0; k < points; ++k) turns_.push_back(root_of_one(k, 4 * points));
    }

    void periodic_forward() { fourier_.forward(values); }
    void periodic_backward() {
        fourier_.backward(values);
        for (Lane& lane : values) scale(lane, 1.0 / static_cast<double>(points_));
    }

    // The sine transform: the Fourier transform of the line followed by its mirror image with the other sign. It is its
    // own inverse.
    void dirichlet() {
        room_.front() = room_[points_ + 1] = Lane{};
        for (Index j = 0; j < points_; ++j) {
            room_[j + 1] = values[j];
            Lane& mirrored = room_[2 * points_ + 1 - j];
            for (Index l = 0; l < lanes; ++l) mirrored.value[l] = -values[j].value[l];
        }
        fourier_.forward(room_);
        const double factor = -root(0.5 / static_cast<double>(points_ + 1));
        for (Index k = 0; k < points_; ++k) {
            values[k] = room_[2 * (k + 1)];  // the imaginary part of wave k + 1
            scale(values[k], factor);
        }
    }

    // The cosine transform, from the Fourier transform of even points followed by odd points backwards (Makhoul 1980).
    void neumann_forward() {
        for (Index j = 0; j < points_; ++j) room_[j % 2 == 0 ? j / 2 : points_ - 1 - j / 2] = values[j];
        fourier_.forward(room_);
        values[0] = room_[0];
        scale(values[0], root(1.0 / static_cast<double>(points_)));
        const double factor = root(2.0 / static_cast<double>(points_));
        for (Index k = 1; 2 * k < points_; ++k) {
            const auto& [c, s] = turns_[k];  // s is minus the sine
            const Lane &re = room_[2 * k - 1], &im = room_[2 * k];
            for (Index l = 0; l < lanes; ++l) {
                values[k].value[l] = factor * (re.value[l] * c - im.value[l] * s);
                values[points_ - k].value[l] = factor * (-re.value[l] * s - im.value[l] * c);
            }
        }
        if (points_ % 2 != 0) return;
        values[points_ / 2] = room_[points_ - 1];
        scale(values[points_ / 2], root(1.0 / static_cast<double>(points_)));
    }
    void neumann_backward() {
        room_[0] = values[0];
        scale(room_[0], root(static_cast<double>(points_)));
        const double factor = root(0.5 * static_cast<double>(points_));
        for (Index k = 1; 2 * k < points_; ++k) {
            const auto& [c, s] = turns_[k];
            const Lane &here = values[k], &there = values[points_ - k];
            for (Index l = 0; l < lanes; ++l) {
                room_[2 * k - 1].value[l] = factor * (here.value[l] * c - there.value[l] * s);
                room_[2 * k].value[l] = factor * (-here.value[l] * s - there.value[l] * c);
            }
        }
        if (points_ % 2 == 0) {
            room_[points_ - 1] = values[points_ / 2];
            scale(room_[points_ - 1], root(static_cast<double>(points_)));
        }
        fourier_.backward(room_);
        for (Index j = 0; j < points_; ++j) {
            values[j] = room_[j % 2 == 0 ? j / 2 : points_ - 1 - j / 2];
            scale(values[j], 1.0 / static_cast<double>(points_));
        }
    }

    std::vector<Lane> values;  // point by point

  private:
    Index points_;
    RealFourier fourier_;
    std::vector<Lane> room_;
    std::vector<std::array<double, 2>> turns_;  // exp(-i pi k / (2 points))
};

LineTransform::LineTransform(Index points, Ends ends) : points_(points), ends_(ends) {
    if (points < 1) user_error("points of a line", points, "at least 1", "give the grid's size");
    waves_ = std::make_unique<Waves>(points, ends);
}

LineTransform::LineTransform(LineTransform&&) noexcept = default;
LineTransform& LineTransform::operator=(LineTransform&&) noexcept = default;
LineTransform::~LineTransform() = default;

std::vector<double> LineTransform::eigenvalues(double spacing) const {
    std::vector<double> values;
    for (Index n = 0; n < points_; ++n) {
        double angle = std::numbers::pi;
        if (ends_ == Ends::periodic) {
            angle = angle * static_cast<double>((n + 1) / 2) / static_cast<double>(points_);
        } else if (ends_ == Ends::neumann) {
            angle = angle * static_cast<double>(n) / static_cast<double>(2 * points_);
        } else {
            angle = angle * static_cast<double>(n + 1) / static_cast<double>(2 * (points_ + 1));
        }
        const double wave = 2.0 / spacing * std::sin(angle);
        values.push_back(wave * wave);
    }
    return values;
}

// Works on groups of as many lines as a vector has lanes; in a smaller group the other lanes hold zeros.
template <class Work>
void LineTransform::in_groups(double* lines, Index count, const Work& work) {
    std::vector<Lane>& values = waves_->values;
    for (Index first = 0; first < count; first += lanes) {
        const Index there = std::min(lanes, count - first);
        double* group = lines + first * points_;
        for (Index j = 0; j < points_; ++j) {
            if (there < lanes) values[j] = Lane{};
            for (Index l = 0; l < there; ++l) values[j].value[l] = group[l * points_ + j];
        }
        work(*waves_);
        for (Index j = 0; j < points_; ++j)
            for (Index l = 0; l < there; ++l) group[l * points_ + j] = values[j].value[l];
    }
}

void LineTransform::forward(double* lines, Index count) {
    if (ends_ == Ends::periodic) return in_groups(lines, count, [](Waves& waves) { waves.periodic_forward(); });
    if (ends_ == Ends::dirichlet) return in_groups(lines, count, [](Waves& waves) { waves.dirichlet(); });
    in_groups(lines, count, [](Waves& waves) { waves.neumann_forward(); });
}

void LineTransform::backward(double* lines, Index count) {
    if (ends_ == Ends::periodic) return in_groups(lines, count, [](Waves& waves) { waves.periodic_backward(); });
    if (ends_ == Ends::dirichlet) return in_groups(lines, count, [](Waves& waves) { waves.dirichlet(); });
    in_groups(lines, count, [](Waves& waves) { waves.neumann_backward(); });
}

std::string slow_length(Index points, Ends ends) {
    const Index more = ends == Ends::dirichlet ? 1 : 0, prime = largest_prime(points + more);
    if (prime <= slow_prime) return "";
    Index better = points + 1;
    while (largest_prime(better + more) > slow_prime) ++better;
    return concat("lines of ", points, " points with ", name_of(ends), " ends: ", points + more,
                  " has the prime factor ", prime, ", for which an FFT takes longer; ", better,
                  " points would be faster");
}

}  // namespace lapwing
