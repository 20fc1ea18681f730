#include "transport/own_copies.hpp"

#include <algorithm>

namespace lapwing {

OwnCopies::OwnCopies(std::span<const BoundCopy> copies, Arrival arrival, bool in_order) {
    std::vector<StridedBlock> from, to;
    Index largest = 0;
    for (const BoundCopy& copy : copies) {
        if (arrival == Arrival::add) {
            adding_.emplace_back(std::span(&copy.from, 1));
            added_to_.emplace_back(std::span(&copy.to, 1), std::vector<bool>{copy.integer});
            largest = std::max(largest, copy.from.bytes());
        } else if (in_order) {
            walks_.emplace_back(std::span(&copy.from, 1), std::span(&copy.to, 1));
        } else {
            from.push_back(copy.from);
            to.push_back(copy.to);
        }
    }
    if (!from.empty()) walks_.emplace_back(from, to);
    scratch_.resize(largest);
}

void OwnCopies::move(std::span<const Index> by) {
    for (CopyList& walk : walks_) walk.move(by);
    for (std::vector<PackList>* lists : {&adding_, &added_to_}) {
        for (PackList& list : *lists) list.move(by);
    }
}

void OwnCopies::run() {
    for (const CopyList& walk : walks_) walk.run();
    for (std::size_t n = 0; n < adding_.size(); ++n) {
        adding_[n].pack(scratch_.data());
        added_to_[n].unpack_add(scratch_.data());
    }
}

}  // namespace lapwing
