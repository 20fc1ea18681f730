#include "fake_streams.hpp"

#include <algorithm>
#include <utility>

namespace lapwing::testing {

namespace {
constexpr auto longest = std::chrono::milliseconds(50);  // that lazy tasks hold their stream back
constexpr unsigned run_length = 2;                       // tasks of one kind in a row, on average
}  // namespace

struct FakeStreams::Stream {
    std::deque<Task> tasks;
    std::int64_t put = 0, done = 0;  // tickets
    std::int64_t demanded = 0;       // up to which something waits
    bool lazy = false;               // the kind of the task before
};

FakeStreams::FakeStreams(unsigned seed) : random_(seed), thread_([this] { run(); }) {}

FakeStreams::~FakeStreams() {
    finish_all();
    {
        const std::scoped_lock lock(mutex_);
        closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

FakeStreams::Stream* FakeStreams::make() {
    const std::scoped_lock lock(mutex_);
    streams_.push_back(std::make_unique<Stream>());
    return streams_.back().get();
}

void FakeStreams::add(Stream* stream, Task task) {
    {
        const std::scoped_lock lock(mutex_);
        if (random_() % run_length == 0) stream->lazy = !stream->lazy;
        task.lazy = stream->lazy;
        task.latest = Clock::now() + longest;
        stream->tasks.push_back(std::move(task));
        ++stream->put;
    }
    changed_.notify_all();
}

void FakeStreams::put(Stream* stream, std::function<void()> begin, std::function<void()> end) {
    add(stream, {std::move(begin), std::move(end), {}, {}});
}

void FakeStreams::put_wait(Stream* stream, Mark mark) { add(stream, {{}, {}, mark, {}}); }

FakeStreams::Mark FakeStreams::mark(Stream* stream) {
    const std::scoped_lock lock(mutex_);
    return {stream, stream->put};
}

bool FakeStreams::has_happened(Mark mark) {
    if (mark.stream == nullptr) return true;
    {
        const std::scoped_lock lock(mutex_);
        if (mark.stream->done >= mark.ticket) return true;
        mark.stream->demanded = std::max(mark.stream->demanded, mark.ticket);
    }
    changed_.notify_all();
    return false;
}

void FakeStreams::finish(Mark mark) {
    if (has_happened(mark)) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return mark.stream->done >= mark.ticket; });
}

void FakeStreams::finish_all() {
    std::vector<Mark> marks;
    {
        const std::scoped_lock lock(mutex_);
        for (const auto& stream : streams_) {
            stream->demanded = stream->put;
            marks.push_back({stream.get(), stream->put});
        }
    }
    changed_.notify_all();
    for (const Mark& mark : marks) finish(mark);
}

// Where something waits for a stream whose next task waits for another stream, it waits for that one too.
void FakeStreams::pass_demands_on() {
    for (bool more = true; more;) {
        more = false;
        for (const auto& stream : streams_) {
            if (stream->tasks.empty() || stream->demanded <= stream->done) continue;
            const Mark& awaited = stream->tasks.front().awaited;
            if (awaited.stream == nullptr || awaited.stream->demanded >= awaited.ticket) continue;
            awaited.stream->demanded = awaited.ticket;
            more = true;
        }
    }
}

bool FakeStreams::may_run(const Stream& stream, Clock::time_point now) const {
    if (stream.tasks.empty()) return false;
    const Task& next = stream.tasks.front();
    if (next.awaited.stream != nullptr && next.awaited.stream->done < next.awaited.ticket) return false;
    return !next.lazy || stream.demanded > stream.done || now >= next.latest;
}

FakeStreams::Stream* FakeStreams::choose() {
    pass_demands_on();
    std::vector<Stream*> ready;
    const auto now = Clock::now();
    for (const auto& stream : streams_) {
        if (may_run(*stream, now)) ready.push_back(stream.get());
    }
    return ready.empty() ? nullptr : ready[random_() % ready.size()];
}

// The first or the second half of the next task.
void FakeStreams::run_one(Stream& stream, std::unique_lock<std::mutex>& lock) {
    Task& task = stream.tasks.front();  // stays where it is: others only append
    const std::function<void()>& half = task.begun ? task.end : task.begin;
    const bool last = task.begun || !task.end;
    lock.unlock();
    if (half) half();
    lock.lock();
    task.begun = true;
    if (!last) return;
    stream.tasks.pop_front();
    ++stream.done;
}

void FakeStreams::run() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
        Stream* const stream = choose();
        if (stream == nullptr) {
            changed_.wait_for(lock, std::chrono::milliseconds(1));
            continue;
        }
        run_one(*stream, lock);
        changed_.notify_all();
    }
}

}  // namespace lapwing::testing
