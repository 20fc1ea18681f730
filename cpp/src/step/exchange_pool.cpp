#include "step/exchange_pool.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

// The halo of each component where stages read `halo`: its own, plus the part by which rims of `deep` exceed the halo
// of the whole field. One for all if the field has one.
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
    const ExchangeWay& way = ways_[current_];
    whole_ = way.whole != nullptr && way.lacks_land;
    return whole_ ? way.whole_number : way.number;
}

void StepExchange::start() {
    static_cast<void>(current().start());
    ways_[current_].lacks_land = false;
}

int ExchangePool::number_of(const std::vector<Read>& halos, bool ordered_corners) {
    const Key key{halos, ordered_corners};
    const auto known = std::ranges::find(keys_, key) - keys_.begin();
    if (known < std::ssize(keys_)) {
        const int number = static_cast<int>(known);
        if (!steps_[known]) {
            auto step = std::make_unique<StepExchange>(way(number));
            steps_[known] = std::move(step);
        }
        return number;
    }
    ExchangeOptions options{.transport = transport_};
    if (ordered_corners) options.corners = Corners::ordered;
    const int number = add(key, options);
    auto step = std::make_unique<StepExchange>(way(number));
    steps_[number] = std::move(step);
    if (!halos.empty() && !halos[0].widths.empty()) add_narrower(key, number);
    return number;
}

void ExchangePool::require_land() {
    for (const auto& step : steps_)
        if (step) step->require_land();
}

// An exchange of the pool as a way to run an entry. The exchange with its land, seldom run, goes by p2p; tasks wait for
// its phases as for the phases of the other.
ExchangeWay ExchangePool::way(int number, double width) {
    ExchangeWay way{.width = width, .exchange = exchanges_[number].get(), .number = number};
    if (!way.exchange->leaves_land_out()) return way;
    ExchangeOptions options{.transport = "p2p"};
    options.corners = way.exchange->plan().phases.size() > 1 ? Corners::ordered : Corners::direct;
    Key whole = keys_[number];
    whole.whole = true;
    way.whole_number = known_or_added(whole, options);
    way.whole = exchanges_[way.whole_number].get();
    return way;
}

int ExchangePool::known_or_added(const Key& key, const ExchangeOptions& options) {
    const auto known = std::ranges::find(keys_, key) - keys_.begin();
    return known < std::ssize(keys_) ? static_cast<int>(known) : add_alike(key, options);
}

// Makes an exchange with a transport that was chosen for another one; p2p if the machine cannot make that once more.
int ExchangePool::add_alike(const Key& key, ExchangeOptions options) {
    try {
        return add(key, options);
    } catch (const MpiError&) {  // an error of this rank alone
        throw;
    } catch (const OutsideError&) {  // an error of all ranks together
        if (transport_ != "auto" || options.transport == "p2p") throw;
    }
    options.transport = "p2p";
    return add(key, options);
}

int ExchangePool::add(const Key& key, ExchangeOptions options) {
    if (!key.whole) {
        options.wet = domain_.land.mask.get();
        options.wet_rules = {domain_.land.messages, true};
    }
    std::vector<FieldSpec> specs;
    std::vector<const AnyField*> fields;
    for (const Read& halo : key.halos) {
        fields.push_back(stages_.fields()[halo.field]);
        specs.push_back(fields.back()->spec());
        specs.back().extents = component_halos(specs.back(), halo.extent);
    }
    exchanges_.push_back(
        std::make_unique<Exchange>(domain_, halo_route(domain_, fields, specs, options), fields, fields));
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
        step.add_narrower(way(known_or_added(narrow, options), widths[w]));
    }
}

}  // namespace lapwing
