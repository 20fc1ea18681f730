#include "exchange/arrays_of_calls.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"

namespace lapwing {

ArraysOfCalls::ArraysOfCalls(const Partition& partition, int rank, std::span<const AnyField* const> bound)
    : partition_(partition), rank_(rank), specs_(specs_of(bound)), boxes_(partition.subdomains_of(rank).size()) {
    for (const AnyField* field : bound) blocks_.insert(blocks_.end(), field->blocks().begin(), field->blocks().end());
    given_.resize(blocks_.size());
    moved_.resize(blocks_.size());
}

void ArraysOfCalls::take(std::size_t n, const Block& memory) {
    Block& now = blocks_[n];
    if (memory.data == nullptr) {
        user_error("array of field " + spec_of(n).name, "none", "memory of the box and its halo",
                   "allocate the array, or leave out a field that there is none for");
    }
    if (memory.allocated != now.allocated || memory.strides != now.strides) {
        Block block = memory;
        block.subdomain = now.subdomain;
        block.owned = now.owned;
        check_block(block, spec_of(n), now.owned);
        now.allocated = memory.allocated;
        now.strides = memory.strides;
        laid_out_otherwise_ = true;
    }
    given_[n] = 1;
    if (memory.data == now.data) return;
    moved_[n] += memory.data - now.data;
    now.data = memory.data;
    any_moved_ = true;
}

void ArraysOfCalls::require_all() const {
    const auto missing = std::ranges::find(given_, 0);
    if (missing == given_.end()) return;
    const auto n = static_cast<std::size_t>(missing - given_.begin());
    user_error("arrays of the exchange of " + listed(specs_, " | "), concat("none for field ", spec_of(n).name),
               concat(count(), ", one for each field and box of this rank"), "give it an array before the first start");
}

void ArraysOfCalls::settled() {
    std::ranges::fill(moved_, 0);
    any_moved_ = laid_out_otherwise_ = false;
}

std::vector<AnyField> ArraysOfCalls::as_fields() const {
    std::vector<AnyField> fields;
    auto first = blocks_.begin();
    for (const FieldSpec& spec : specs_) {
        const auto last = first + static_cast<Index>(boxes_);
        fields.emplace_back(partition_, rank_, spec, std::vector<Block>(first, last), nullptr);
        first = last;
    }
    return fields;
}

}  // namespace lapwing
