#pragma once
// Waiting for another thread: awake for a moment, then asleep, so that more threads than cores do not starve each
// other.

#include <atomic>
#include <cstdint>

namespace lapwing {

// A number that rises when there is news. A thread notes the number, looks for work, and waits until it has risen.
class Signal {
  public:
    // `spins`: looks at the number before a waiting thread sleeps.
    explicit Signal(int spins = 0) : spins_(spins) {}

    [[nodiscard]] std::uint32_t seen() const { return number_.load(std::memory_order_acquire); }
    void raise() {
        number_.fetch_add(1, std::memory_order_acq_rel);
        number_.notify_all();
    }
    void wait(std::uint32_t seen) const {
        for (int n = 0; n < spins_; ++n) {
            if (this->seen() != seen) return;
            pause();
        }
        number_.wait(seen, std::memory_order_acquire);
    }

  private:
    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

    std::atomic<std::uint32_t> number_{0};
    int spins_;
};

}  // namespace lapwing
