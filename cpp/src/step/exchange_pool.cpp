#include "step/exchange_pool.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// The halo of each component where stages read that of `halo`: its own, and what rims of `deep` reach beyond that of
// the whole field. One for all where the field has one.
std::vector<Extent> component_halos(const FieldSpec& spec, const Extent& halo) {
    if (spec.extents.size() == 1) return {halo};
    const Extent largest = spec.largest_extent();
    std::vector<Extent> halos;
    for (const Extent& own : spec.extents) {
        Extent one{{}, {}, halo.corners};
        for (std::size_t a = 0; a < 3; ++a) {
            one.lo[a] = std::min(own.lo[a], halo.lo[a]) + std::max(0, halo.lo[a] - largest.lo[a]);
            one.hi[a] = std::min(own.hi[a], halo.hi[a]) + std::max(0, halo.hi[a] - largest.hi[a]);
        }
        halos.push_back(one);
    }
    return halos;
}

}  // namespace

int StepExchange::choose() {
    current_ = ways_.size() - 1;
    for (std::size_t w = ways_.size() - 1; w-- > 0;)
        if (*cells_ <= ways_[w].width) current_ = w;
    return ways_[current_].number;
}

int ExchangePool::number_of(const std::vector<Read>& halos, bool ordered_corners) {
    const Key key{halos, ordered_corners};
    const auto known = std::ranges::find(keys_, key) - keys_.begin();
    if (known < std::ssize(keys_)) {
        auto& step = steps_[known];
        if (!step) step = std::make_unique<StepExchange>(*exchanges_[known], static_cast<int>(known));
        return static_cast<int>(known);
    }
    ExchangeOptions options{.transport = transport_};
    if (ordered_corners) options.corners = Corners::ordered;
    const int number = add(key, options);
    steps_.back() = std::make_unique<StepExchange>(*exchanges_.back(), number);
    if (!halos.empty() && !halos[0].widths.empty()) add_narrower(key, number);
    return number;
}

// One of a way that was found for another exchange: what the machine cannot make once more goes by p2p.
int ExchangePool::add_alike(const Key& key, ExchangeOptions options) {
    try {
        return add(key, options);
    } catch (const MpiError&) {  // of this rank alone
        throw;
    } catch (const OutsideError&) {  // of all ranks together
        if (transport_ != "auto" || options.transport == "p2p") throw;
    }
    options.transport = "p2p";
    return add(key, options);
}

int ExchangePool::add(const Key& key, const ExchangeOptions& options) {
    std::vector<FieldSpec> specs;
    std::vector<const AnyField*> fields;
    for (const Read& halo : key.halos) {
        fields.push_back(stages_.fields()[halo.field]);
        specs.push_back(fields.back()->spec());
        specs.back().extents = component_halos(specs.back(), halo.extent);
    }
    exchanges_.push_back(std::make_unique<Exchange>(domain_, fields, specs, options));
    keys_.push_back(key);
    steps_.emplace_back();
    return static_cast<int>(exchanges_.size()) - 1;
}

// The less wide ones go the way of the widest: tasks wait for its phases.
void ExchangePool::add_narrower(const Key& key, int number) {
    const Exchange& widest = *exchanges_[number];
    ExchangeOptions options{.transport = widest.transport()};
    options.corners = widest.plan().phases.size() > 1 ? Corners::ordered : Corners::direct;
    const std::vector<int> widths = key.halos[0].widths;
    StepExchange& step = exchange(number);
    step.serve(stages_.demanded(key.halos[0].field));
    for (std::size_t w = 0; w + 1 < widths.size(); ++w) {
        Key narrow = key;
        for (Read& halo : narrow.halos) halo = {halo.field, shrunk(halo.extent, widths.back() - widths[w])};
        const auto known = std::ranges::find(keys_, narrow) - keys_.begin();
        const int added = known < std::ssize(keys_) ? static_cast<int>(known) : add_alike(narrow, options);
        step.add_narrower(widths[w], *exchanges_[added], added);
    }
}

}  // namespace lapwing
