#include "solver/fourier.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace lapwing {

namespace {

// Fours first: half the passes of twos.
std::vector<Index> factors(Index number) {
    std::vector<Index> found;
    for (const Index first : {4, 2, 3, 5})
        for (; number % first == 0; number /= first) found.push_back(first);
    for (Index factor = 7; number > 1; factor += 2)
        for (; number % factor == 0; number /= factor) found.push_back(factor);
    return found;
}

// out = (re + i im) * (factor[0] + i factor[1])
void multiply(const Lane& re, const Lane& im, const std::array<double, 2>& factor, Lane& out_re, Lane& out_im) {
    for (Index l = 0; l < lanes; ++l) {
        const double a = re.value[l], b = im.value[l];
        out_re.value[l] = a * factor[0] - b * factor[1];
        out_im.value[l] = a * factor[1] + b * factor[0];
    }
}

struct Places {
    const Lane *re, *im;  // the first input; the next ones are `apart`
    Index apart;
    Lane *out_re, *out_im;  // the first output; the next ones are `stride` apart
    Index stride;
    const std::array<double, 2>* twiddles;
};

void butterfly2(const Places& at) {
    const Lane &re0 = at.re[0], &re1 = at.re[at.apart], &im0 = at.im[0], &im1 = at.im[at.apart];
    Lane re, im;
    for (Index l = 0; l < lanes; ++l) {
        at.out_re[0].value[l] = re0.value[l] + re1.value[l];
        at.out_im[0].value[l] = im0.value[l] + im1.value[l];
        re.value[l] = re0.value[l] - re1.value[l];
        im.value[l] = im0.value[l] - im1.value[l];
    }
    multiply(re, im, at.twiddles[1], at.out_re[at.stride], at.out_im[at.stride]);
}

void butterfly4(const Places& at) {
    const Lane *re = at.re, *im = at.im;
    const Index n = at.apart;
    std::array<Lane, 4> r, i;
    for (Index l = 0; l < lanes; ++l) {
        const double sum_re = re[0].value[l] + re[2 * n].value[l], sum_im = im[0].value[l] + im[2 * n].value[l];
        const double dif_re = re[0].value[l] - re[2 * n].value[l], dif_im = im[0].value[l] - im[2 * n].value[l];
        const double odd_re = re[n].value[l] + re[3 * n].value[l], odd_im = im[n].value[l] + im[3 * n].value[l];
        const double cross_re = re[n].value[l] - re[3 * n].value[l], cross_im = im[n].value[l] - im[3 * n].value[l];
        r[0].value[l] = sum_re + odd_re;
        i[0].value[l] = sum_im + odd_im;
        r[1].value[l] = dif_re + cross_im;  // - i times what crosses
        i[1].value[l] = dif_im - cross_re;
        r[2].value[l] = sum_re - odd_re;
        i[2].value[l] = sum_im - odd_im;
        r[3].value[l] = dif_re - cross_im;
        i[3].value[l] = dif_im + cross_re;
    }
    at.out_re[0] = r[0];
    at.out_im[0] = i[0];
    for (std::size_t j = 1; j < 4; ++j) {
        const Index out = static_cast<Index>(j) * at.stride;
        multiply(r[j], i[j], at.twiddles[j], at.out_re[out], at.out_im[out]);
    }
}

// A transform of any order, as the sum that defines it.
void butterfly(const Places& at, Index radix, const std::array<double, 2>* roots) {
    for (Index j = 0; j < radix; ++j) {
        Lane re = at.re[0], im = at.im[0];
        for (Index k = 1; k < radix; ++k) {
            const auto& [c, s] = roots[j * k % radix];
            const Lane &a = at.re[k * at.apart], &b = at.im[k * at.apart];
            for (Index l = 0; l < lanes; ++l) {
                re.value[l] += a.value[l] * c - b.value[l] * s;
                im.value[l] += a.value[l] * s + b.value[l] * c;
            }
        }
        multiply(re, im, at.twiddles[j], at.out_re[j * at.stride], at.out_im[j * at.stride]);
    }
}

}  // namespace

std::array<double, 2> root_of_one(Index k, Index n) {
    k %= n;
    const Index eighth = 8 * k / n;  // the angle is between `eighth` eighths of a circle and one more
    // its distance from the nearest quarter, in circles of 4 n
    const Index quarter = (eighth + 1) / 2, rest = 4 * k - quarter * n;
    const double angle = 0.5 * std::numbers::pi * static_cast<double>(rest) / static_cast<double>(n);
    const double c = std::cos(angle), s = std::sin(angle);
    switch (quarter % 4) {
        case 0:
            return {c, -s};
        case 1:
            return {-s, -c};
        case 2:
            return {-c, s};
        default:
            return {s, c};
    }
}

Fourier::Fourier(Index points) : points_(points), other_(points) {
    Index length = points, stride = 1;
    for (const Index radix : factors(points)) {
        Pass pass{radix, length / radix, stride, {}, {}};
        for (Index p = 0; p < pass.groups; ++p)
            for (Index j = 0; j < radix; ++j) pass.twiddles.push_back(root_of_one(j * p, length));
        for (Index j = 0; j < radix; ++j) pass.roots.push_back(root_of_one(j, radix));
        passes_.push_back(std::move(pass));
        length /= radix;
        stride *= radix;
    }
}

// Stockham's order: each pass reads one array and writes the other, and the last one leaves waves in their order.
void Fourier::run(std::vector<Lane>& re, std::vector<Lane>& im) {
    for (const Pass& pass : passes_) {
        run_pass(pass, re, im);
        re.swap(other_.re);
        im.swap(other_.im);
    }
}

void Fourier::run_pass(const Pass& pass, const std::vector<Lane>& re, const std::vector<Lane>& im) {
    for (Index p = 0; p < pass.groups; ++p) {
        for (Index q = 0; q < pass.stride; ++q) {
            const Index from = q + pass.stride * p, to = q + pass.stride * pass.radix * p;
            const Places at{&re[from],      &im[from],   pass.stride * pass.groups,     &other_.re[to],
                            &other_.im[to], pass.stride, &pass.twiddles[pass.radix * p]};
            if (pass.radix == 4) {
                butterfly4(at);
            } else if (pass.radix == 2) {
                butterfly2(at);
            } else {
                butterfly(at, pass.radix, pass.roots.data());
            }
        }
    }
}

}  // namespace lapwing
