#include "overlap/tcp/tcp_link.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing::bench {

namespace {

constexpr int patience = 10'000;  // ms
constexpr int looks_between_yields = 1000;
constexpr int kernel_bytes = 8 << 20;  // asked of the kernel for each direction; it gives what it may

[[noreturn]] void failed(const char* call) { throw OutsideError(std::string(call) + ": " + std::strerror(errno)); }

// A descriptor that is closed unless it is given away.
class Socket {
  public:
    explicit Socket(int descriptor) : descriptor_(descriptor) {
        if (descriptor < 0) failed("socket");
    }
    ~Socket() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Socket(Socket&& other) noexcept : descriptor_(other.release()) {}
    Socket& operator=(Socket&&) = delete;
    int release() { return std::exchange(descriptor_, -1); }
    [[nodiscard]] int get() const { return descriptor_; }

  private:
    int descriptor_;
};

void set(const Socket& socket, int level, int option, int value) {
    ::setsockopt(socket.get(), level, option, &value, sizeof value);
}

// Its buffers must be large before it connects: the kernel then agrees on the scale of windows.
Socket new_socket() {
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    set(socket, SOL_SOCKET, SO_SNDBUF, kernel_bytes);
    set(socket, SOL_SOCKET, SO_RCVBUF, kernel_bytes);
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    return socket;
}

void await_event(int descriptor, short events, const char* what) {
    pollfd one{descriptor, events, 0};
    const int ready = ::poll(&one, 1, patience);
    if (ready < 0) failed("poll");
    if (ready == 0)
        throw OutsideError(std::string(what) + ": nothing within " + std::to_string(patience / 1000) + " s");
}

// Where other ranks can reach this one: address and port, in network order.
struct Place {
    std::uint32_t address = 0;
    std::uint16_t port = 0;
};

std::uint32_t own_address() {
    std::uint32_t found = htonl(INADDR_LOOPBACK);
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return found;
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
        const bool usable = (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0;
        if (!usable || one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET) continue;
        sockaddr_in address{};
        std::memcpy(&address, one->ifa_addr, sizeof address);
        found = address.sin_addr.s_addr;
        break;
    }
    ::freeifaddrs(list);
    return found;
}

sockaddr_in address_of(const Place& place) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = place.address;
    address.sin_port = place.port;
    return address;
}

std::uint16_t listen_anywhere(const Socket& socket) {
    sockaddr_in address = address_of({htonl(INADDR_ANY), 0});
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), plain, size) != 0) failed("bind");
    if (::listen(socket.get(), SOMAXCONN) != 0) failed("listen");
    if (::getsockname(socket.get(), plain, &size) != 0) failed("getsockname");
    return address.sin_port;
}

// Connects, and says who is there: accepting ranks take connections as they come.
Socket call(const Place& place, int rank) {
    Socket socket = new_socket();
    const sockaddr_in address = address_of(place);
    const int code = ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (code != 0 && errno != EINPROGRESS) failed("connect");
    await_event(socket.get(), POLLOUT, "connect");
    int problem = 0;
    socklen_t size = sizeof problem;
    ::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &problem, &size);
    errno = problem;
    if (problem != 0) failed("connect");
    if (::send(socket.get(), &rank, sizeof rank, MSG_NOSIGNAL) != sizeof rank) failed("send");
    return socket;
}

std::pair<int, Socket> answer(const Socket& listening) {
    await_event(listening.get(), POLLIN, "accept");
    Socket socket(::accept4(listening.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
    await_event(socket.get(), POLLIN, "recv");
    int rank = -1;
    if (::recv(socket.get(), &rank, sizeof rank, 0) != sizeof rank) failed("recv");
    return {rank, std::move(socket)};
}

std::vector<Place> places_of_all(const Domain& domain, const Place& mine) {
    std::vector<Place> places(domain.ranks());
    MPI_Allgather(&mine, sizeof mine, MPI_BYTE, places.data(), sizeof mine, MPI_BYTE, domain.comm());
    return places;
}

}  // namespace

TcpLink::~TcpLink() {
    if (socket_ >= 0) ::close(socket_);
}

void TcpLink::start(const std::byte* out, std::byte* in, std::size_t bytes) {
    out_ = out;
    in_ = in;
    to_send_ = to_receive_ = bytes;
    move();
}

bool TcpLink::move() {
    while (to_send_ > 0) {
        const ssize_t taken = ::send(socket_, out_, to_send_, MSG_NOSIGNAL);
        if (taken < 0 && errno != EAGAIN) failed("send");
        if (taken < 0) break;
        out_ += taken;
        to_send_ -= taken;
    }
    while (to_receive_ > 0) {
        const ssize_t given = ::recv(socket_, in_, to_receive_, 0);
        if (given == 0) throw OutsideError("recv: the other rank has closed the connection");
        if (given < 0 && errno != EAGAIN) failed("recv");
        if (given < 0) break;
        in_ += given;
        to_receive_ -= given;
    }
    return to_send_ == 0 && to_receive_ == 0;
}

std::vector<TcpLink> connected(const Domain& domain, const std::vector<int>& peers) {
    Socket listening = new_socket();
    Place mine{own_address(), 0};
    together(domain.comm(), [&] { mine.port = listen_anywhere(listening); });
    const std::vector<Place> places = places_of_all(domain, mine);
    std::vector<Socket> sockets;
    together(domain.comm(), [&] {
        std::vector<std::pair<int, Socket>> answered;
        for (const int peer : peers) {
            if (peer < domain.rank()) answered.emplace_back(peer, call(places[peer], domain.rank()));
        }
        while (answered.size() < peers.size()) answered.push_back(answer(listening));
        for (const int peer : peers) {
            for (auto& [rank, socket] : answered) {
                if (rank == peer) sockets.push_back(std::move(socket));
            }
        }
    });
    std::vector<TcpLink> links;
    links.reserve(sockets.size());
    for (Socket& socket : sockets) links.emplace_back(socket.release());
    return links;
}

void finish(std::vector<TcpLink>& links) {
    const auto begin = std::chrono::steady_clock::now();
    for (int looks = 1;; ++looks) {
        bool all = true;
        for (TcpLink& link : links) all &= link.move();
        if (all) return;
        if (looks % looks_between_yields != 0) continue;
        ::sched_yield();
        const auto waited = std::chrono::steady_clock::now() - begin;
        if (waited > std::chrono::milliseconds(patience)) throw OutsideError("recv: the other rank sends nothing");
    }
}

}  // namespace lapwing::bench
