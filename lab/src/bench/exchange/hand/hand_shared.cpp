#include "exchange/hand/hand_shared.hpp"

namespace lapwing::bench {

namespace {

// Where, in the segment of a rank, the slot for each other rank begins, in values.
std::vector<Index> places_of_slots(const std::vector<Message>& sends, const double* begin, int ranks) {
    std::vector<Index> places(ranks, 0);
    for (const Message& message : sends) places[message.peer] = message.buffer - begin;
    return places;
}

std::vector<Index> of_all_ranks(MPI_Comm comm, const std::vector<Index>& mine) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    std::vector<Index> all(ranks * mine.size());
    const auto count = static_cast<int>(mine.size());
    MPI_Allgather(mine.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, comm);
    return all;
}

Index values_of_one(const ExchangeWork& work) {
    const Index3 all = work.allocated();
    return padded(all[0] * all[1] * all[2]);
}

WorkArrays arrays_at(double* memory, const ExchangeWork& work) {
    const Index3 strides = work.strides();
    std::vector<double*> origins;
    for (int f = 0; f < work.fields; ++f) {
        origins.push_back(memory + f * values_of_one(work) + work.width * (strides[0] + strides[1]));
    }
    return {work, origins, strides};
}

}  // namespace

HandSlots::HandSlots(MPI_Comm comm, const ExchangeWork& work)
    : ArrayMethod(comm),
      arrays_(work),
      plan_(arrays_, rank(), true),
      segments_(comm, 2 * plan_.volume(plan_.groups(End::send))),
      sent_(&segments_.sent(rank())) {
    int ranks = 1;
    MPI_Comm_size(comm, &ranks);
    double* const begin = segments_.of(rank());
    double* next = begin;
    for (auto& sends : sends_) sends = plan_.messages(plan_.groups(End::send), End::send, next);
    std::array<std::vector<Index>, 2> places;
    for (int odd = 0; odd < 2; ++odd) places[odd] = of_all_ranks(comm, places_of_slots(sends_[odd], begin, ranks));
    for (const auto& group : plan_.groups(End::receive)) {
        const int peer = group.first.first;
        Source source{&segments_.sent(peer), {}};
        for (int odd = 0; odd < 2; ++odd) {
            double* slot = segments_.of(peer) + places[odd][peer * ranks + rank()];
            source.copies[odd] = plan_.message(group, End::receive, slot).copies;
        }
        sources_.push_back(std::move(source));
    }
}

void HandSlots::exchange() {
    const std::size_t odd = ++round_ % 2;
    run(plan_.wraps_before);
    for (const Message& message : sends_[odd]) run(message.copies);
    sent_->store(round_, std::memory_order_release);
    run(plan_.wraps_meanwhile);
    for (const Source& source : sources_) {
        segments_.wait_for(*source.sent, round_);
        run(source.copies[odd]);
    }
}

HandInPlace::HandInPlace(MPI_Comm comm, const ExchangeWork& work)
    : ArrayMethod(comm),
      segments_(comm, work.fields * values_of_one(work)),
      arrays_(arrays_at(segments_.of(rank()), work)),
      plan_(arrays_, rank(), true),
      sent_(&segments_.sent(rank())),
      read_(&segments_.read(rank())) {
    for (const auto& [key, strips] : plan_.groups(End::receive)) {
        const int peer = key.first;
        const WorkArrays of_peer = arrays_at(segments_.of(peer), work);
        sources_.push_back({&segments_.sent(peer), &segments_.read(peer), plan_.direct(strips, of_peer)});
    }
}

void HandInPlace::exchange() {
    ++round_;
    run(plan_.wraps_before);
    sent_->store(round_, std::memory_order_release);
    for (const Source& source : sources_) {
        segments_.wait_for(*source.sent, round_);
        run(source.copies);
    }
    read_->store(round_, std::memory_order_release);
    run(plan_.wraps_meanwhile);
    for (const Source& source : sources_) segments_.wait_for(*source.read, round_);
}

}  // namespace lapwing::bench
