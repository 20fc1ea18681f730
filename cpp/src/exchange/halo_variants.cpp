#include "lapwing/exchange/halo_variants.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

int total_width(const Extent& extent) {
    return std::accumulate(extent.lo.begin(), extent.lo.end(), 0) +
           std::accumulate(extent.hi.begin(), extent.hi.end(), 0);
}

bool narrower(const Extent& a, const Extent& b) {
    return std::tuple(total_width(a), a.corners) < std::tuple(total_width(b), b.corners);
}

// What a rank asks for, as numbers of which the largest counts: widths, whether corners are read, whether a variant is
// in flight.
using Wish = std::array<int, 8>;

Wish wish_of(const Extent& extent, bool active) {
    Extent cross = extent;
    cross.corners = false;
    const auto& [lo, hi, corners] = extent;
    return {lo[0], lo[1], lo[2], hi[0], hi[1], hi[2], covers(cross, extent) ? 0 : 1, active ? 1 : 0};
}

Extent extent_of(const Wish& w) { return {{w[0], w[1], w[2]}, {w[3], w[4], w[5]}, w[6] != 0}; }

}  // namespace

HaloVariants::HaloVariants(Domain& domain, std::span<const AnyField* const> fields, std::vector<Extent> extents,
                           const ExchangeOptions& options)
    : domain_(domain), extents_(std::move(extents)) {
    require_same(domain.comm(), "halo variants", listed(extents_, "; "));
    if (extents_.empty()) user_error("halo variants", "none", "at least one extent", "name the extents to plan");
    std::ranges::stable_sort(extents_, narrower);
    fields_ = listed(fields, ", ", [](const AnyField* field) { return field->spec().name; });
    for (const Extent& extent : extents_) {
        std::vector<FieldSpec> narrow;
        together(domain.comm(), [&] { narrow = narrowed(specs_of(fields), extent); });
        exchanges_.push_back(std::make_unique<Exchange>(domain, fields, narrow, options));
    }
}

Pending HaloVariants::start(const Extent& extent) {
    require_idle(active());
    return exchanges_[number_of(extent)]->start();
}

Pending HaloVariants::start_agreed(const Extent& mine) {
    const Wish all = reduced(domain_.comm(), wish_of(mine, active()), MPI_MAX, "the widest halo that a rank asks for");
    require_idle(all.back() != 0);
    return exchanges_[number_of(extent_of(all))]->start();
}

Index HaloVariants::buffer_bytes() const {
    Index sum = 0;
    for (const auto& exchange : exchanges_) sum += exchange->buffer_bytes();
    return sum;
}

std::size_t HaloVariants::number_of(const Extent& extent) const {
    const auto found = std::ranges::find_if(extents_, [&](const Extent& planned) { return covers(planned, extent); });
    if (found == extents_.end()) {
        user_error("halo of " + fields_, extent, "an extent within one of: " + listed(extents_, "; "),
                   "plan a variant that reaches as far");
    }
    return found - extents_.begin();
}

bool HaloVariants::active() const {
    return std::ranges::any_of(exchanges_, [](const auto& exchange) { return exchange->active(); });
}

void HaloVariants::require_idle(bool active) const {
    if (!active) return;
    user_error("halo variants of " + fields_, "start while another is unfinished", "one at a time",
               "wait for the handle that start returned");
}

}  // namespace lapwing
