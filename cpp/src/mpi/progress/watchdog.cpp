#include "lapwing/mpi/watchdog.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/tags.hpp"
#include "mpi/progress/end_job.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double patience = 2;                   // s, until a rank that waits has answered
constexpr std::chrono::milliseconds between{5};  // looks: each asks MPI about every open domain
constexpr std::size_t longest = 500;             // bytes of an answer, which must leave at once
constexpr int most_listed = 32;                  // answers

Clock::duration duration_of(double seconds) { return std::chrono::duration_cast<Clock::duration>(Seconds(seconds)); }

std::vector<MPI_Comm>& rolls() {
    static std::vector<MPI_Comm> all;
    return all;
}

// The next message with a tag, from any rank, if one has come. Asks more than once: MPI looks at what it knows, and
// then receives more.
std::optional<MPI_Status> arrived(MPI_Comm comm, int tag) {
    int found = 0;
    MPI_Status status;
    for (int looks = 0; looks < 8 && found == 0; ++looks)
        check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, &status), "MPI_Iprobe");
    return found != 0 ? std::optional(status) : std::nullopt;
}

void take_question(MPI_Comm comm, int rank) {
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, rank, Tags::question, comm, MPI_STATUS_IGNORE), "MPI_Recv");
}

void answer(MPI_Comm comm, int rank, Occupation mine, const std::string& text) {
    const std::string words = static_cast<char>(mine) + text.substr(0, longest);
    check_mpi(MPI_Send(words.data(), static_cast<int>(words.size()), MPI_CHAR, rank, Tags::answer, comm), "MPI_Send");
}

std::string take_answer(MPI_Comm comm, const MPI_Status& status) {
    int length = 0;
    check_mpi(MPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    std::string words(length, ' ');
    check_mpi(MPI_Recv(words.data(), length, MPI_CHAR, status.MPI_SOURCE, Tags::answer, comm, MPI_STATUS_IGNORE),
              "MPI_Recv");
    return words;
}

// One calling of the roll, over one communicator.
struct RollCall {
    MPI_Comm comm;
    std::string mine;
    Occupation occupation;
    int rank = rank_in(comm), ranks = size_of(comm);
    std::vector<std::string> said = std::vector<std::string>(ranks);
    bool lower_asks = false;  // a lower rank, which then tells the result
    bool any_works = false, any_server = occupation == Occupation::waits_for_server;

    void ask() {
        said[rank] = mine;
        for (int other = 0; other < ranks; ++other) {
            if (other == rank) continue;
            MPI_Request request;
            check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, other, Tags::question, comm, &request), "MPI_Isend");
            check_mpi(MPI_Request_free(&request), "MPI_Request_free");
        }
    }
    void hear() {
        while (const auto status = arrived(comm, Tags::answer)) {
            const std::string words = take_answer(comm, *status);
            any_works |= words[0] == static_cast<char>(Occupation::works);
            any_server |= words[0] == static_cast<char>(Occupation::waits_for_server);
            said[status->MPI_SOURCE] = words.substr(1);
        }
        while (const auto status = arrived(comm, Tags::question)) {
            take_question(comm, status->MPI_SOURCE);
            answer(comm, status->MPI_SOURCE, occupation, mine);
            lower_asks |= status->MPI_SOURCE < rank;
        }
    }
    [[nodiscard]] bool complete() const {
        return std::ranges::none_of(said, [](const std::string& text) { return text.empty(); });
    }
    void print() const {
        std::string text = concat("lapwing: the roll-call of ", ranks, " ranks:\n");
        std::vector<int> silent;
        int listed_ranks = 0, others = 0;
        for (int other = 0; other < ranks; ++other) {
            if (said[other].empty())
                silent.push_back(other);
            else if (listed_ranks < most_listed)
                ++listed_ranks, text += "  " + said[other] + "\n";
            else
                ++others;
        }
        if (others > 0) text += concat("  ", others, " more ranks wait\n");
        if (!silent.empty()) {
            text += concat("  no answer of rank", silent.size() > 1 ? "s " : " ", listed(silent, " "),
                           ": computing, stopped, or on a host that is cut off\n");
        }
        std::fputs(text.c_str(), stderr);
    }
};

double limit() {
    static const double seconds = watchdog_seconds();
    return seconds;
}

}  // namespace

double watchdog_seconds() {
    const char* text = std::getenv("LAPWING_WATCHDOG");
    if (text == nullptr || *text == '\0') return 0.0;
    char* end = nullptr;
    const double seconds = std::strtod(text, &end);
    if (*end != '\0' || !(seconds >= 0.0)) {
        user_error("LAPWING_WATCHDOG", text, "seconds, 0 for none", "set it to a number such as 60");
    }
    return seconds;
}

void open_roll(MPI_Comm comm) { rolls().push_back(comm); }

void forget_roll(MPI_Comm comm) { std::erase(rolls(), comm); }

void close_roll(MPI_Comm comm) {
    forget_roll(comm);
    // questions and answers that came after a roll-call was over
    while (const auto status = arrived(comm, Tags::question)) take_question(comm, status->MPI_SOURCE);
    while (const auto status = arrived(comm, Tags::answer)) static_cast<void>(take_answer(comm, *status));
}

bool answer_roll_call(Occupation mine, const std::string& text) {
    bool any = false;
    if (limit() <= 0.0) return any;
    for (MPI_Comm comm : rolls()) {
        while (const auto status = arrived(comm, Tags::question)) {
            take_question(comm, status->MPI_SOURCE);
            answer(comm, status->MPI_SOURCE, mine, text);
            any = true;
        }
    }
    return any;
}

Watchdog::Watchdog(Occupation mine)
    : mine_(mine), next_look_(Clock::now() + between), due_(Clock::now() + duration_of(limit())) {}

void Watchdog::look(std::string (*call)(const void*), const void* describe) {
    if (limit() <= 0.0 || Clock::now() < next_look_) return;
    next_look_ = Clock::now() + between;
    const auto asked = [&] {
        return std::ranges::any_of(rolls(), [](MPI_Comm comm) { return arrived(comm, Tags::question).has_value(); });
    };
    // the rank that asks ends the job, if it ends, before this rank asks itself
    if (asked() && answer_roll_call(mine_, call(describe)))
        due_ = std::max(due_, Clock::now() + duration_of(limit() + 2 * patience));
    if (Clock::now() < due_) return;
    const std::string mine = call(describe);
    if (!all_wait(mine)) {
        due_ = Clock::now() + duration_of(limit());
        return;
    }
    end_job(3);
}

// Calls the roll and prints it; false where a rank answers that it works.
bool Watchdog::all_wait(const std::string& mine) {
    std::optional<RollCall> roll;
    const auto largest = std::ranges::max_element(rolls(), {}, [](MPI_Comm comm) { return size_of(comm); });
    if (largest != rolls().end()) {
        roll.emplace(*largest, mine, mine_);
        const auto begin = Clock::now();
        roll->ask();
        const auto wanted = [&] {
            const double seconds = (roll->any_server ? std::max(limit(), patience) : patience) + 2 * roll->lower_asks;
            return Clock::now() < begin + duration_of(seconds) && (roll->lower_asks || !roll->complete());
        };
        while (wanted()) {
            roll->hear();
            if (roll->any_works) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }
    std::fprintf(stderr, "lapwing: no progress for %g s (LAPWING_WATCHDOG): %s\n", limit(), mine.c_str());
    if (roll && roll->ranks > 1) roll->print();
    return true;
}

}  // namespace lapwing
