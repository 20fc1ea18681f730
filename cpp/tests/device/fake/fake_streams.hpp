#pragma once
// Streams that run late: on a thread of their own, in random order as far as events allow.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace lapwing::testing {

// One thread carries out the work of all streams, one step at a time. Each task is eager or lazy, in random runs:
// eager, it is carried out as soon as possible; lazy, not before something waits for it, or a time has passed. So what
// nothing waits for is carried out too early or too late.
class FakeStreams {
  public:
    struct Stream;
    // Some work of a stream; happened once that has been carried out. The null stream: happened.
    struct Mark {
        Stream* stream = nullptr;
        std::int64_t ticket = 0;
    };

    explicit FakeStreams(unsigned seed);
    ~FakeStreams();
    FakeStreams(const FakeStreams&) = delete;
    FakeStreams& operator=(const FakeStreams&) = delete;

    Stream* make();
    // `begin` is carried out first, then, when others may have run, `end`.
    void put(Stream* stream, std::function<void()> begin, std::function<void()> end);
    void put_wait(Stream* stream, Mark mark);
    // Marks what is on the stream so far.
    [[nodiscard]] Mark mark(Stream* stream);
    // True if it has happened; else something waits for it from now on.
    [[nodiscard]] bool has_happened(Mark mark);
    // Blocks until it has happened.
    void finish(Mark mark);
    void finish_all();

  private:
    using Clock = std::chrono::steady_clock;
    struct Task {
        std::function<void()> begin, end;
        Mark awaited;  // nothing runs before it has happened
        Clock::time_point latest;
        bool lazy = false, begun = false;
    };

    void add(Stream* stream, Task task);
    void pass_demands_on();
    [[nodiscard]] bool may_run(const Stream& stream, Clock::time_point now) const;
    Stream* choose();
    void run_one(Stream& stream, std::unique_lock<std::mutex>& lock);
    void run();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::unique_ptr<Stream>> streams_;
    std::mt19937 random_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace lapwing::testing
