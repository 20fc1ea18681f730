#include "exchange/lapwing_method.hpp"

namespace lapwing::bench {

namespace {

FieldSpec spec_of(const ExchangeWork& work, int field) {
    FieldSpec spec;
    spec.name = "f" + std::to_string(field);
    spec.levels = work.levels;
    spec.extents = {Extent::horizontal(work.width)};
    if (work.levels_fastest) spec.order = {2, 0, 1, 3};
    return spec;
}

// The array of a work item as the one block of this rank.
Block block_of(const WorkArrays& arrays, int field, const Domain& domain) {
    const ExchangeWork& work = arrays.work();
    const int w = work.width;
    Block block;
    block.owned = domain.partition().subdomain(domain.partition().subdomains_of(domain.rank())[0]).box;
    block.owned.hi[2] = work.layers();
    block.allocated = grow(block.owned, Extent::horizontal(w));
    block.data = reinterpret_cast<std::byte*>(arrays.at(field, -w, -w));
    constexpr Index value = sizeof(double);
    for (std::size_t a = 0; a < 3; ++a) block.strides[a] = arrays.strides()[a] * value;
    block.strides[3] = value;
    return block;
}

// What lapwing allocated, seen as the arrays of a work item.
WorkArrays arrays_of(const ExchangeWork& work, const std::vector<Field>& fields) {
    std::vector<double*> origins;
    Index3 strides{};
    for (const Field& field : fields) {
        const Block& block = field.blocks()[0];
        origins.push_back(reinterpret_cast<double*>(block.at(block.owned.lo)));
        for (std::size_t a = 0; a < 3; ++a) strides[a] = block.strides[a] / static_cast<Index>(sizeof(double));
    }
    return {work, std::move(origins), strides};
}

}  // namespace

LapwingMethod::LapwingMethod(Domain& domain, const ExchangeWork& work, const Options& options) {
    if (options.wrapped) arrays_ = std::make_unique<WorkArrays>(work);
    for (int f = 0; f < work.fields; ++f) {
        if (options.wrapped) {
            fields_.emplace_back(domain.partition(), domain.rank(), spec_of(work, f),
                                 std::vector{block_of(*arrays_, f, domain)}, nullptr);
        } else {
            fields_.emplace_back(domain.partition(), domain.rank(), spec_of(work, f));
        }
    }
    if (!arrays_) arrays_ = std::make_unique<WorkArrays>(arrays_of(work, fields_));
    std::vector<const Field*> pointers;
    for (const Field& field : fields_) pointers.push_back(&field);
    const ExchangeOptions how{.transport = options.transport};
    const std::size_t together = options.separate ? 1 : pointers.size();
    for (std::size_t f = 0; f < pointers.size(); f += together) {
        const std::span<const Field* const> group(&pointers[f], together);
        exchanges_.push_back(std::make_unique<Exchange>(domain, group, how));
    }
    pending_.reserve(exchanges_.size());
}

void LapwingMethod::exchange() {
    if (exchanges_.size() == 1) return exchanges_[0]->run();
    pending_.clear();
    for (const auto& exchange : exchanges_) pending_.push_back(exchange->start());
    for (Pending& pending : pending_) pending.wait();
}

}  // namespace lapwing::bench
