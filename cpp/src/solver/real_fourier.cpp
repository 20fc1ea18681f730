#include "solver/real_fourier.hpp"

namespace lapwing {

RealFourier::RealFourier(Index points)
    : points_(points), fourier_(points % 2 == 0 ? points / 2 : points), waves_(fourier_.points()) {
    if (points % 2 != 0) return;
    for (Index k = 0; k <= points / 2; ++k) turns_.push_back(root_of_one(k, points));
}

void RealFourier::forward(std::vector<Lane>& values) {
    if (points_ % 2 == 0) return forward_even(values);
    for (Index j = 0; j < points_; ++j) {
        waves_.re[j] = values[j];
        waves_.im[j] = Lane{};
    }
    fourier_.forward(waves_);
    values[0] = waves_.re[0];
    for (Index k = 1; 2 * k < points_; ++k) {
        values[2 * k - 1] = waves_.re[k];
        values[2 * k] = waves_.im[k];
    }
}

void RealFourier::backward(std::vector<Lane>& values) {
    if (points_ % 2 == 0) return backward_even(values);
    waves_.re[0] = values[0];
    waves_.im[0] = Lane{};
    for (Index k = 1; 2 * k < points_; ++k) {
        waves_.re[k] = waves_.re[points_ - k] = values[2 * k - 1];
        waves_.im[k] = values[2 * k];
        for (Index l = 0; l < lanes; ++l) waves_.im[points_ - k].value[l] = -values[2 * k].value[l];
    }
    fourier_.backward(waves_);
    for (Index j = 0; j < points_; ++j) values[j] = waves_.re[j];
}

// With Z of the complex line: X[k] = (Z[k] + Z*[h - k]) / 2 - i w^k (Z[k] - Z*[h - k]) / 2, where h is half the length.
void RealFourier::forward_even(std::vector<Lane>& values) {
    const Index half = points_ / 2;
    for (Index j = 0; j < half; ++j) {
        waves_.re[j] = values[2 * j];
        waves_.im[j] = values[2 * j + 1];
    }
    fourier_.forward(waves_);
    for (Index l = 0; l < lanes; ++l) {
        const double even = waves_.re[0].value[l], odd = waves_.im[0].value[l];
        values[0].value[l] = even + odd;
        values[points_ - 1].value[l] = even - odd;
    }
    for (Index k = 1; k < half; ++k) {
        const auto& [c, s] = turns_[k];
        const Lane &re = waves_.re[k], &im = waves_.im[k], &other_re = waves_.re[half - k],
                   &other_im = waves_.im[half - k];
        for (Index l = 0; l < lanes; ++l) {
            const double even_re = 0.5 * (re.value[l] + other_re.value[l]);
            const double even_im = 0.5 * (im.value[l] - other_im.value[l]);
            const double odd_re = 0.5 * (im.value[l] + other_im.value[l]);
            const double odd_im = -0.5 * (re.value[l] - other_re.value[l]);
            values[2 * k - 1].value[l] = even_re + (odd_re * c - odd_im * s);
            values[2 * k].value[l] = even_im + (odd_re * s + odd_im * c);
        }
    }
}

// Z[k] = (X[k] + X*[h - k]) + i w^-k (X[k] - X*[h - k]), twice the half, as the factor 1 / points needs it.
void RealFourier::backward_even(std::vector<Lane>& values) {
    const Index half = points_ / 2;
    for (Index l = 0; l < lanes; ++l) {
        const double first = values[0].value[l], last = values[points_ - 1].value[l];
        waves_.re[0].value[l] = first + last;
        waves_.im[0].value[l] = first - last;
    }
    for (Index k = 1; k < half; ++k) {
        const auto& [c, s] = turns_[k];
        const Lane &re = values[2 * k - 1], &im = values[2 * k], &other_re = values[2 * (half - k) - 1],
                   &other_im = values[2 * (half - k)];
        for (Index l = 0; l < lanes; ++l) {
            const double even_re = re.value[l] + other_re.value[l], even_im = im.value[l] - other_im.value[l];
            const double odd_re = re.value[l] - other_re.value[l], odd_im = im.value[l] + other_im.value[l];
            // i times the odd part times the conjugate of the turn
            const double turned_re = odd_re * c + odd_im * s, turned_im = odd_im * c - odd_re * s;
            waves_.re[k].value[l] = even_re - turned_im;
            waves_.im[k].value[l] = even_im + turned_re;
        }
    }
    fourier_.backward(waves_);
    for (Index j = 0; j < half; ++j) {
        values[2 * j] = waves_.re[j];
        values[2 * j + 1] = waves_.im[j];
    }
}

}  // namespace lapwing
