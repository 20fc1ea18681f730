#pragma once
// The shared parts of targets: numbers made of the bytes that a fuzzer gives, and the definition of a fault.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lapwing/base/error.hpp"
#include "lapwing/grid/box.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace lapwing::fuzzing {

// The input, read from its beginning; zeros once it is used up.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

    std::uint8_t byte() {
        if (left_ == 0) return 0;
        --left_;
        return *data_++;
    }
    [[nodiscard]] bool empty() const { return left_ == 0; }
    bool coin() { return (byte() & 1) != 0; }
    // lo <= number <= hi, of at most 256 values.
    int between(int lo, int hi) { return lo + byte() % (hi - lo + 1); }
    // Any number of 64 bits.
    Index any() {
        std::uint64_t bits = 0;
        for (int n = 0; n < 8; ++n) bits = bits << 8U | byte();
        return static_cast<Index>(bits);
    }
    // From lo to hi, but one in sixteen may be anything.
    Index mostly(int lo, int hi) { return (byte() & 15) == 15 ? any() : between(lo, hi); }
    int mostly_int(int lo, int hi) { return static_cast<int>(mostly(lo, hi)); }
    // A size: from lo to hi, but one in sixteen may be negative or beyond 2^44, which no memory holds. Sizes between
    // are allowed where the machine has gigabytes, and take seconds there.
    Index size(int lo, int hi) {
        const Index number = mostly(lo, hi);
        return number <= hi || number > Index{1} << 44U ? number : number % (hi + 1);
    }
    int size_int(int lo, int hi) {
        const int number = mostly_int(lo, hi);
        return number <= hi ? number : number % (hi + 1);
    }
    std::string rest() {
        std::string text(data_, data_ + left_);
        left_ = 0;
        return text;
    }

  private:
    const std::uint8_t* data_;
    std::size_t left_;
};

// Ends the program where something that must hold does not.
inline void require(bool holds, std::string_view what) {
    if (holds) return;
    std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
    std::abort();
}

// True if the call was refused in words of lapwing; any other exception ends the program.
template <class Call>
bool refused(const Call& call) {
    try {
        call();
        return false;
    } catch (const UserError& error) {
        const std::string_view text = error.what();
        require(text.find("; expected ") != std::string_view::npos, "an error says what was expected");
        require(text.size() < 4000, "an error is short enough to be read");
        return true;
    }
}

}  // namespace lapwing::fuzzing
