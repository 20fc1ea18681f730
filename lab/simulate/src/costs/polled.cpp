#include "polled.hpp"

#include <algorithm>

namespace lapwing_simulate {

Polled& Polled::here() {
    static Polled polled;
    return polled;
}

void Polled::forget() {
    together_.clear();
    alone_.clear();
    probed_ = false;
}

int Polled::take_ended(MPI_Request* requests, int* numbers) {
    const auto found = ended_.find(requests);
    if (found == ended_.end()) return 0;
    const auto count = static_cast<int>(found->second.size());
    std::ranges::copy(found->second, numbers);
    ended_.erase(found);
    return count;
}

bool Polled::wait_for_one() {
    struct Place {
        MPI_Request* requests;
        int number;  // -1: alone
    };
    std::vector<MPI_Request> requests;
    std::vector<Place> places;
    for (const auto& [first, count] : together_) {
        for (std::size_t n = 0; n < count; ++n) {
            requests.push_back(first[n]);
            places.push_back({first, static_cast<int>(n)});
        }
    }
    for (MPI_Request* one : alone_) {
        requests.push_back(*one);
        places.push_back({one, -1});
    }
    const bool probed = probed_;
    forget();
    if (probed) return false;
    int number = MPI_UNDEFINED;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &number, MPI_STATUS_IGNORE);
    if (number == MPI_UNDEFINED) return false;
    const auto [first, place] = places[number];
    first[std::max(place, 0)] = requests[number];
    if (place >= 0) ended_[first].push_back(place);
    return true;
}

}  // namespace lapwing_simulate
