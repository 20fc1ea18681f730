#include "lapwing/partition/cuts/cut_order.hpp"

#include <string>

#include "lapwing/base/error.hpp"

namespace lapwing {

CutOrders::CutOrders(int parts) {
    if (parts < 1) user_error("parts", parts, "at least 1", "ask for a rank");
    for (const int prime : {2, 3, 5, 7}) {
        int times = 0;
        for (; parts % prime == 0; parts /= prime) {
            // orders of the factors so far, times the places that this one may take, shared by its likes
            orders_ = orders_ * ++factors_ / ++times;
        }
        if (times > 0) kinds_.push_back({prime, times});
    }
}

std::vector<Cut> CutOrders::at(Index n) const {
    if (n < 0 || n >= count()) {
        user_error("number of a way to cut", n, concat("0 to ", count() - 1), "go through 0 to count() - 1");
    }
    const Index axes = n & ((Index{1} << factors_) - 1);
    Index order = n >> factors_, orders = orders_;
    std::vector<Kind> left = kinds_;
    std::vector<Cut> cuts;
    for (int remaining = factors_; remaining > 0; --remaining) {
        for (Kind& kind : left) {
            const Index with_this = orders * kind.times / remaining;
            if (order >= with_this) {
                order -= with_this;
                continue;
            }
            cuts.push_back({static_cast<int>(axes >> (remaining - 1) & 1), kind.prime});
            orders = with_this;
            --kind.times;
            break;
        }
    }
    return cuts;
}

}  // namespace lapwing
