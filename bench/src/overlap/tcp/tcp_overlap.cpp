#include "overlap/tcp/tcp_overlap.hpp"

namespace lapwing::bench {

namespace {

std::vector<int> peers_of(const std::vector<Face>& faces) {
    std::vector<int> peers;
    for (const Face& face : faces) peers.push_back(face.peer);
    return peers;
}

}  // namespace

TcpOverlap::TcpOverlap(const Domain& domain, const OverlapWork& work)
    : OverlapMethod(domain, work),
      faces_(faces_of(domain, model())),
      parts_(split(model(), faces_)),
      links_(connected(domain, peers_of(faces_))) {}

void TcpOverlap::step(bool /*another_follows*/) {
    start(model().field(model().position()));
    model().compute(parts_.interior);
    finish(model().field(model().position()));
    for (const Box& edge : parts_.edges) model().compute(edge);
    model().turn();
}

void TcpOverlap::communicate() {
    start(model().field(0));
    finish(model().field(0));
}

void TcpOverlap::start(Field& field) {
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        Face& face = faces_[f];
        pack(field, face.sent, face.out.data());
        const auto bytes = face.out.size() * sizeof(double);
        links_[f].start(reinterpret_cast<const std::byte*>(face.out.data()),
                        reinterpret_cast<std::byte*>(face.in.data()), bytes);
    }
}

void TcpOverlap::finish(Field& field) {
    bench::finish(links_);
    for (const Face& face : faces_) unpack(field, face.received, face.in.data());
}

}  // namespace lapwing::bench
