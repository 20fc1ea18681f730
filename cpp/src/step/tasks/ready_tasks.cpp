#include "step/tasks/ready_tasks.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace lapwing {

TaskOrder::TaskOrder(const TaskList& list) : tasks(list.tasks.size()), number(list.tasks.size()) {
    std::iota(tasks.begin(), tasks.end(), 0);
    std::ranges::stable_sort(tasks, {}, [&](int n) { return list.tasks[n].priority; });
    for (std::size_t n = 0; n < tasks.size(); ++n) number[tasks[n]] = static_cast<int>(n);
}

ReadyTasks::ReadyTasks(const TaskList& list, const TaskOrder& order, int threads) {
    const std::size_t count = list.tasks.size();
    std::vector<std::vector<int>> following(count);
    for (std::size_t n = 0; n < count; ++n) {
        for (int before : list.tasks[n].after) following[order.number[before]].push_back(order.number[n]);
    }
    for (int n : order.tasks) {
        const Task& task = list.tasks[n];
        Item item{.thread = std::min(task.thread, threads - 1),
                  .happens = task.kind == Task::Kind::arrive,
                  .computes = task.kind == Task::Kind::compute,
                  .waits_for = static_cast<int>(task.after.size()),
                  .first = static_cast<int>(following_.size())};
        const auto& more = following[order.number[n]];
        following_.insert(following_.end(), more.begin(), more.end());
        item.last = static_cast<int>(following_.size());
        tasks_.push_back(item);
    }
    missing_.resize(count);
    ready_.assign(threads, std::vector<std::uint64_t>((count + 63) / 64));
}

void ReadyTasks::begin() {
    left_ = static_cast<int>(tasks_.size());
    for (auto& words : ready_) std::ranges::fill(words, 0);
    for (int n = 0; n < std::ssize(tasks_); ++n) {
        missing_[n] = tasks_[n].waits_for;
        if (missing_[n] == 0) set_ready(n, true);
    }
}

void ReadyTasks::begin_again(int first, int last) {
    left_ += last - first;
    for (int n = first; n <= last; ++n) {
        for (int f = tasks_[n].first; f < tasks_[n].last; ++f)
            if (following_[f] <= last) ++missing_[following_[f]];
    }
    for (int n = first; n <= last; ++n)
        if (missing_[n] == 0) set_ready(n, true);
}

bool ReadyTasks::finish(int number) {
    set_ready(number, false);
    --left_;
    bool news = left_ == 0;
    for (int n = tasks_[number].first; n < tasks_[number].last; ++n) {
        const int next = following_[n];
        if (--missing_[next] > 0 || tasks_[next].happens) continue;
        set_ready(next, true);
        news = true;
    }
    return news;
}

bool ReadyTasks::is_ready(int number) const {
    return (ready_[tasks_[number].thread][number / 64] >> (number % 64) & 1U) != 0;
}

void ReadyTasks::set_ready(int number, bool ready) {
    if (tasks_[number].happens) return;
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    std::uint64_t& word = ready_[tasks_[number].thread][number / 64];
    word = ready ? word | bit : word & ~bit;
}

int ReadyTasks::first_of(int thread) const {
    const auto& words = ready_[thread];
    for (std::size_t w = 0; w < words.size(); ++w) {
        if (words[w] != 0) return static_cast<int>(w * 64) + std::countr_zero(words[w]);
    }
    return -1;
}

int ReadyTasks::last_of_others(int thread) const {
    for (std::size_t w = ready_[0].size(); w-- > 0;) {
        for (int other = 0; other < std::ssize(ready_); ++other) {
            if (other == thread || ready_[other][w] == 0) continue;
            const int last = static_cast<int>(w * 64) + 63 - std::countl_zero(ready_[other][w]);
            if (tasks_[last].computes) return last;
        }
    }
    return -1;
}

}  // namespace lapwing
