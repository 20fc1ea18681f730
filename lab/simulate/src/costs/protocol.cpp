#include "protocol.hpp"

#include <mpi.h>  // SMPI's, with smpi_execute
#include <simgrid/host.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "network.hpp"
#include "polled.hpp"

// The calls as they are without this file: names that the linker makes.
extern "C" {
int __real_MPI_Isend(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __real_MPI_Irecv(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __real_MPI_Send_init(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __real_MPI_Recv_init(void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
int __real_MPI_Start(MPI_Request*);
int __real_MPI_Startall(int, MPI_Request*);
int __real_MPI_Test(MPI_Request*, int*, MPI_Status*);
int __real_MPI_Testsome(int, MPI_Request*, int*, int*, MPI_Status*);
int __real_MPI_Wait(MPI_Request*, MPI_Status*);
int __real_MPI_Waitany(int, MPI_Request*, int*, MPI_Status*);
int __real_MPI_Waitall(int, MPI_Request*, MPI_Status*);
int __real_MPI_Barrier(MPI_Comm);
int __real_MPI_Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
int __real_MPI_Iallreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request*);
int __real_MPI_Improbe(int, int, MPI_Comm, int*, MPI_Message*, MPI_Status*);
}

namespace lapwing_simulate {

namespace {

// A message: who is at the other end, and its tag.
struct Message {
    int peer;
    int tag;
    double bytes;
    MPI_Comm comm;
};

enum class Way { send, receive };

class Protocol {
  public:
    Protocol(const MessageCosts& costs, const std::vector<int>& groups) {
        MPI_Comm_dup(MPI_COMM_WORLD, &asks_);
        MPI_Comm_dup(MPI_COMM_WORLD, &answers_);
        const std::string here = sg_host_get_name(sg_host_self());
        const int mine = std::stoi(here.substr(here.rfind('-') + 1));  // the number of the node
        int ranks = 0;
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        std::vector<int> nodes(ranks);
        MPI_Allgather(&mine, 1, MPI_INT, nodes.data(), 1, MPI_INT, MPI_COMM_WORLD);
        for (const int node : nodes) {
            const auto found = costs.find(link_between(here, "node-" + std::to_string(node), groups));
            links_.push_back(found == costs.end() ? MessageCost{} : found->second);
        }
    }
    Protocol(const Protocol&) = delete;
    Protocol& operator=(const Protocol&) = delete;
    ~Protocol() {
        MPI_Comm_free(&asks_);
        MPI_Comm_free(&answers_);
    }

    // True if somebody has to answer for the message.
    [[nodiscard]] bool asks(const Message& message) const {
        return is_long(message) && link(message).calls && knows(message.comm);
    }
    [[nodiscard]] bool is_long(const Message& message) const {
        return message.peer >= 0 && message.bytes > link(message).eager_limit;
    }
    // A send that begins once the receiver has answered. `own`: made for a call that knows no persistent requests.
    void ask(MPI_Request request, const Message& message, bool own) {
        MPI_Request asked = MPI_REQUEST_NULL, answer = MPI_REQUEST_NULL;
        __real_MPI_Irecv(nullptr, 0, MPI_BYTE, message.peer, message.tag, answers_, &answer);
        __real_MPI_Isend(nullptr, 0, MPI_BYTE, message.peer, message.tag, asks_, &asked);
        MPI_Request_free(&asked);
        waiting_.push_back({answer, request});
        if (own) own_.push_back(request);
    }
    // A receive whose sender will ask, or that costs what SMPI charges for short ones only.
    void expect(MPI_Request request, const Message& message) {
        const MessageCost& cost = link(message);
        seconds_[request] = cost.receive_seconds(message.bytes);
        if (!asks(message)) return;
        MPI_Request asked = MPI_REQUEST_NULL;
        __real_MPI_Irecv(nullptr, 0, MPI_BYTE, message.peer, message.tag, asks_, &asked);
        expected_.push_back({asked, message});
    }
    // Does what a rank does in any call of MPI.
    void move_on() {
        std::erase_if(expected_, [&](Expected& one) { return done(one.asked) && answered(one.message); });
        std::erase_if(waiting_, [&](Waiting& one) { return done(one.answer) && started(one.request); });
    }
    void poll() const {
        double seconds = 0;
        for (const MessageCost& cost : links_) seconds = std::max(seconds, cost.poll);
        if (seconds > 0) smpi_execute(seconds);
    }
    [[nodiscard]] bool is_waiting(MPI_Request request) const {
        return std::ranges::any_of(waiting_, [&](const Waiting& one) { return one.request == request; });
    }
    [[nodiscard]] bool nothing_waits() const { return waiting_.empty(); }
    // The requests without those of sends that wait for an answer.
    [[nodiscard]] std::vector<MPI_Request> begun(std::vector<MPI_Request> requests) const {
        for (MPI_Request& request : requests)
            if (is_waiting(request)) request = MPI_REQUEST_NULL;
        return requests;
    }
    // Blocks until one of these is complete or there is something to answer. The number, or -1.
    int wait_for_any(std::vector<MPI_Request>& requests, MPI_Status* status) {
        std::vector<MPI_Request> all = begun(requests);
        for (const Expected& one : expected_) all.push_back(one.asked);
        for (const Waiting& one : waiting_) all.push_back(one.answer);
        int number = MPI_UNDEFINED;
        __real_MPI_Waitany(static_cast<int>(all.size()), all.data(), &number, status);
        if (number == MPI_UNDEFINED) return number;
        const auto place = static_cast<std::size_t>(number);
        if (place < requests.size()) {
            requests[place] = all[place];
            return number;
        }
        const std::size_t other = place - requests.size();  // complete: the next test of it says so
        MPI_Request& ended =
            other < expected_.size() ? expected_[other].asked : waiting_[other - expected_.size()].answer;
        ended = MPI_REQUEST_NULL;
        return -1;
    }
    // Does what follows the end of requests: `before` as they were, `now` as they are.
    void ended(MPI_Request before, MPI_Request& now) {
        if (const auto found = seconds_.find(before); found != seconds_.end()) {
            if (found->second > 0) smpi_execute(found->second);
            seconds_.erase(found);
        }
        if (std::erase(own_, before) > 0) MPI_Request_free(&now);
    }

    // A persistent request, in the place of one that was freed, perhaps.
    void made(MPI_Request request, const Message& message, Way way) {
        sends.erase(request);
        receives.erase(request);
        (way == Way::send ? sends : receives)[request] = message;
    }

    std::map<MPI_Request, Message> sends, receives;  // persistent ones

  private:
    struct Expected {
        MPI_Request asked;
        Message message;
    };
    struct Waiting {
        MPI_Request answer;
        MPI_Request request;
    };

    static bool done(MPI_Request& request) {
        if (request == MPI_REQUEST_NULL) return true;
        int flag = 0;
        __real_MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        return flag != 0;
    }
    bool answered(const Message& message) const {
        MPI_Request answer = MPI_REQUEST_NULL;
        __real_MPI_Isend(nullptr, 0, MPI_BYTE, message.peer, message.tag, answers_, &answer);
        MPI_Request_free(&answer);
        return true;
    }
    static bool started(MPI_Request request) {
        __real_MPI_Start(&request);
        return true;
    }
    // Ranks are those of the world: so are they in all domains.
    [[nodiscard]] bool knows(MPI_Comm comm) const {
        int ranks = 0;
        MPI_Comm_size(comm, &ranks);
        return ranks == static_cast<int>(links_.size());
    }
    [[nodiscard]] const MessageCost& link(const Message& message) const {
        static const MessageCost none;
        const bool known = message.peer >= 0 && message.peer < static_cast<int>(links_.size());
        return known ? links_[message.peer] : none;
    }

    MPI_Comm asks_ = MPI_COMM_NULL, answers_ = MPI_COMM_NULL;
    std::vector<MessageCost> links_;         // to each rank
    std::vector<Expected> expected_;         // long messages whose senders have not been answered
    std::vector<Waiting> waiting_;           // sends that have not been answered
    std::vector<MPI_Request> own_;           // persistent requests whose callers do not know that
    std::map<MPI_Request, double> seconds_;  // of the processor for long receives
};

// The state of this rank: SMPI gives each its own. Calls of MPI have no place for it.
std::unique_ptr<Protocol>& here() {
    static std::unique_ptr<Protocol> protocol;
    return protocol;
}

Message message_of(int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {
    int size = 0;
    MPI_Type_size(type, &size);
    return {peer, tag, static_cast<double>(count) * size, comm};
}

int wait_for_any(std::span<MPI_Request> requests, int* number, MPI_Status* status) {
    Protocol& protocol = *here();
    const std::vector<MPI_Request> before(requests.begin(), requests.end());
    std::vector<MPI_Request> now = before;
    do {
        protocol.move_on();
        *number = protocol.wait_for_any(now, status);
    } while (*number == -1);
    if (*number == MPI_UNDEFINED) return MPI_SUCCESS;
    protocol.ended(before[*number], now[*number]);
    requests[*number] = now[*number];
    return MPI_SUCCESS;
}

int test(MPI_Request* request, int* flag, MPI_Status* status) {
    if (here() == nullptr) return __real_MPI_Test(request, flag, status);
    here()->move_on();
    here()->poll();
    *flag = 0;
    if (here()->is_waiting(*request)) return MPI_SUCCESS;
    const MPI_Request before = *request;
    const int code = __real_MPI_Test(request, flag, status);
    if (*flag != 0) here()->ended(before, *request);
    return code;
}

int test_some(std::span<MPI_Request> requests, int* completed, int* numbers, MPI_Status* statuses) {
    const auto count = static_cast<int>(requests.size());
    if (here() == nullptr) return __real_MPI_Testsome(count, requests.data(), completed, numbers, statuses);
    here()->move_on();
    here()->poll();
    const std::vector<MPI_Request> before(requests.begin(), requests.end());
    // sends that were not answered are not begun, which SMPI takes for complete
    std::vector<MPI_Request> begun = here()->begun(before);
    const int code = __real_MPI_Testsome(count, begun.data(), completed, numbers, statuses);
    for (int n = 0; n < count; ++n)
        if (!here()->is_waiting(before[n])) requests[n] = begun[n];
    if (*completed == MPI_UNDEFINED && !here()->nothing_waits()) *completed = 0;
    for (int n = 0; n < *completed; ++n) here()->ended(before[numbers[n]], requests[numbers[n]]);
    return code;
}

}  // namespace

void use_protocol(const MessageCosts& costs, const std::vector<int>& groups) {
    here() = std::make_unique<Protocol>(costs, groups);
}
void end_protocol() { here().reset(); }

}  // namespace lapwing_simulate

using lapwing_simulate::here;
using lapwing_simulate::message_of;
using lapwing_simulate::Polled;
using lapwing_simulate::Way;

extern "C" {

int __wrap_MPI_Isend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     MPI_Request* request) {
    if (here() == nullptr) return __real_MPI_Isend(buffer, count, type, peer, tag, comm, request);
    here()->move_on();
    const auto message = message_of(count, type, peer, tag, comm);
    if (!here()->asks(message)) return __real_MPI_Isend(buffer, count, type, peer, tag, comm, request);
    const int code = __real_MPI_Send_init(buffer, count, type, peer, tag, comm, request);
    here()->ask(*request, message, true);
    return code;
}

int __wrap_MPI_Irecv(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     MPI_Request* request) {
    const int code = __real_MPI_Irecv(buffer, count, type, peer, tag, comm, request);
    if (here() == nullptr) return code;
    const auto message = message_of(count, type, peer, tag, comm);
    if (here()->is_long(message)) here()->expect(*request, message);
    here()->move_on();
    return code;
}

int __wrap_MPI_Send_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Request* request) {
    const int code = __real_MPI_Send_init(buffer, count, type, peer, tag, comm, request);
    if (here() != nullptr) here()->made(*request, message_of(count, type, peer, tag, comm), Way::send);
    return code;
}

int __wrap_MPI_Recv_init(void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                         MPI_Request* request) {
    const int code = __real_MPI_Recv_init(buffer, count, type, peer, tag, comm, request);
    if (here() != nullptr) here()->made(*request, message_of(count, type, peer, tag, comm), Way::receive);
    return code;
}

int __wrap_MPI_Start(MPI_Request* request) {
    if (here() == nullptr) return __real_MPI_Start(request);
    here()->move_on();
    const auto sent = here()->sends.find(*request);
    if (sent != here()->sends.end() && here()->asks(sent->second)) {
        here()->ask(*request, sent->second, false);
        return MPI_SUCCESS;
    }
    const int code = __real_MPI_Start(request);
    const auto received = here()->receives.find(*request);
    if (received != here()->receives.end() && here()->is_long(received->second))
        here()->expect(*request, received->second);
    return code;
}

int __wrap_MPI_Startall(int count, MPI_Request* requests) {
    if (here() == nullptr) return __real_MPI_Startall(count, requests);
    for (int n = 0; n < count; ++n) __wrap_MPI_Start(&requests[n]);
    return MPI_SUCCESS;
}

int __wrap_MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    if (*request == MPI_REQUEST_NULL) {  // a wait has seen it complete
        *flag = 1;
        return MPI_SUCCESS;
    }
    const int code = lapwing_simulate::test(request, flag, status);
    if (*flag == 0) Polled::here().note(*request);
    return code;
}

int __wrap_MPI_Testsome(int count, MPI_Request* requests, int* completed, int* numbers, MPI_Status* statuses) {
    const int code =
        lapwing_simulate::test_some({requests, static_cast<std::size_t>(count)}, completed, numbers, statuses);
    const int found = *completed == MPI_UNDEFINED ? 0 : *completed;
    const int before = Polled::here().take_ended(requests, numbers + found);
    if (before > 0) *completed = found + before;
    Polled::here().note({requests, static_cast<std::size_t>(count)});
    return code;
}

// The receiver of a letter, which no request tells of.
int __wrap_MPI_Improbe(int peer, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    Polled::here().note_probe();
    return __real_MPI_Improbe(peer, tag, comm, flag, message, status);
}

int __wrap_MPI_Wait(MPI_Request* request, MPI_Status* status) {
    if (here() == nullptr) return __real_MPI_Wait(request, status);
    int number = 0;
    return lapwing_simulate::wait_for_any({request, 1}, &number, status);
}

int __wrap_MPI_Waitany(int count, MPI_Request* requests, int* number, MPI_Status* status) {
    if (here() == nullptr) return __real_MPI_Waitany(count, requests, number, status);
    return lapwing_simulate::wait_for_any({requests, static_cast<std::size_t>(count)}, number, status);
}

int __wrap_MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
    if (here() == nullptr) return __real_MPI_Waitall(count, requests, statuses);
    for (int number = 0; number != MPI_UNDEFINED;)
        lapwing_simulate::wait_for_any({requests, static_cast<std::size_t>(count)}, &number, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

// Ranks answer in collective calls as well.
int __wrap_MPI_Barrier(MPI_Comm comm) {
    if (here() == nullptr) return __real_MPI_Barrier(comm);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm, &request);
    return __wrap_MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int __wrap_MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    if (here() == nullptr) return __real_MPI_Allreduce(mine, all, count, type, op, comm);
    MPI_Request request = MPI_REQUEST_NULL;
    __real_MPI_Iallreduce(mine, all, count, type, op, comm, &request);
    return __wrap_MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// SMPI's nonblocking reductions send from each rank to each.
int __wrap_MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request* request) {
    *request = MPI_REQUEST_NULL;
    return __wrap_MPI_Allreduce(mine, all, count, type, op, comm);
}

// Simulated messages take no memory, so that their senders need no brake; the costs of plain sends are known.
int __wrap_MPI_Issend(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                      MPI_Request* request) {
    return __wrap_MPI_Isend(buffer, count, type, peer, tag, comm, request);
}

int __wrap_MPI_Ssend_init(const void* buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                          MPI_Request* request) {
    return __wrap_MPI_Send_init(buffer, count, type, peer, tag, comm, request);
}

// All ranks of the process are one thread.
int __wrap_MPI_Query_thread(int* provided) {
    *provided = MPI_THREAD_SERIALIZED;
    return MPI_SUCCESS;
}

}  // extern "C"
