#include "overlap/tcp_overlap.hpp"

#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "lapwing/base/error.hpp"

namespace lapwing::bench {

namespace {

constexpr std::chrono::seconds patience{10};
constexpr int looks_between_yields = 1000;

[[noreturn]] void failed(const char* call) { throw OutsideError(std::string(call) + ": " + std::strerror(errno)); }

}  // namespace

TcpLink::~TcpLink() {
    if (socket_ >= 0) ::close(socket_);
}

void TcpLink::start(Face& face) {
    out_ = reinterpret_cast<const std::byte*>(face.out.data());
    in_ = reinterpret_cast<std::byte*>(face.in.data());
    to_send_ = to_receive_ = face.out.size() * sizeof(double);
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

void TcpOverlap::wait() {
    const auto begin = std::chrono::steady_clock::now();
    for (int looks = 1;; ++looks) {
        bool all = true;
        for (TcpLink& link : links_) all &= link.move();
        if (all) return;
        if (looks % looks_between_yields != 0) continue;
        ::sched_yield();
        const auto waited = std::chrono::steady_clock::now() - begin;
        if (waited > patience) throw OutsideError("recv: the other rank sends nothing");
    }
}

}  // namespace lapwing::bench
