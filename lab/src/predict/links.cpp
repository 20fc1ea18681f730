#include "predict/links.hpp"

#include <limits>

namespace lapwing::predict {

void SharedLink::advance(double now) {
    if (!crossing_.empty()) served_ += (now - moment_) * bandwidth_ / static_cast<double>(crossing_.size());
    moment_ = now;
}

double SharedLink::next() const {
    if (crossing_.empty()) return std::numeric_limits<double>::infinity();
    const double left = std::max(0.0, crossing_.top().until - served_);
    return moment_ + left * static_cast<double>(crossing_.size()) / bandwidth_;
}

int SharedLink::take(double now) {
    advance(now);
    const int message = crossing_.top().message;
    served_ = crossing_.top().until;
    crossing_.pop();
    return message;
}

}  // namespace lapwing::predict
