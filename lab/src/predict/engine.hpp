#pragma once
// The events of a forecast: ranks that work through their tasks, and messages on their way between them.

#include <limits>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "predict/forecast.hpp"
#include "predict/links.hpp"
#include "predict/network.hpp"

namespace lapwing::predict {

inline constexpr double never = std::numeric_limits<double>::infinity();

// The places of the arrivals and phases of a step's exchanges in a rank's memory.
struct StepPlaces {
    std::vector<std::vector<int>> receives;   // [entry][phase]: of the first receive
    std::vector<std::vector<int>> phases;     // [entry][phase]
    std::vector<int> order;                   // numbers of the tasks by priority
    std::vector<std::vector<int>> following;  // tasks that wait for a task
    std::vector<int> arrivals;                // tasks that are arrivals
};

// An outline with what is looked up again and again.
struct RankProgram {
    RankProgram(const RankOutline& outline, double cache);
    const RankOutline* outline;
    std::vector<StepPlaces> steps;
    std::vector<std::vector<double>> memory;  // [step][task]: bytes that `cache` does not hold
    int receives = 0, phases = 0;             // the most that any of its steps has
};

class Engine {
  public:
    explicit Engine(const ForecastRequest& request);
    Forecast run();

  private:
    enum class Arrived : char { no, here, delivered };
    enum class Doing : char { choosing, polling, waiting };
    enum class Kind : char { resume, posted, crosses, crossed, ask, answer };

    struct Active {
        int step, entry, phase, missing, unsent;
    };
    struct Late {  // a message whose receive has not been posted
        int message, phase;
    };
    struct Peer {
        int outlined, rank;
        Route route;
    };
    struct Rank {
        double now = 0;
        int step = 0;
        std::size_t task = 0;  // in order: the next one
        Doing doing = Doing::choosing;
        bool blocked = false;
        double blocked_since = 0;
        double compute = 0, messages = 0, waiting = 0;
        std::vector<Active> active;
        std::vector<int> phases_done[2];  // of this step and the next, by entry
        std::vector<char> begun[2];       // exchanges likewise
        std::vector<Arrived> arrived;     // of all steps
        std::vector<double> posted;       // of all steps, by phase
        std::vector<Late> late;
        std::vector<int> asked, answered;  // messages whose sender asks, or is answered
        // where tasks are done as they become ready
        std::vector<int> missing;
        std::vector<char> done;
        int left = 0;
        int returning = -1;  // entry of the stage whose halos return: nothing else is done meanwhile
        int awaited = -1;    // entry
        int last_sender = -1;
        std::map<std::pair<std::string, int>, double> waits;
    };
    struct Message {
        int from = 0, to = 0;
        double bytes = 0;
        int receive = 0, phase = 0;  // where it arrives
        int step = 0, entry = 0;     // of the sender's exchange
        const MessageCost* cost = nullptr;
        const Route* route = nullptr;
        bool waits_for_receive = false;  // it begins to travel once that is posted
        bool holds_sender = false;       // its send ends when it has arrived
        int crossing = 0;                // links that it has still to cross
        double earliest = 0;             // s, when it has come at its own speed
    };
    struct Event {
        double time;
        std::int64_t number;
        Kind kind;
        int subject, version;
        friend bool operator>(const Event& a, const Event& b) {
            return a.time != b.time ? a.time > b.time : a.number > b.number;
        }
    };

    [[nodiscard]] std::vector<Peer> peers_of(const ForecastRank& rank) const;

    // ---- ranks
    void go(int rank);
    bool choose(int rank);
    bool choose_in_order(int rank);
    bool choose_ready(int rank);
    bool await(int rank);
    bool rest(int rank, int entry);
    void start(int rank, int step, int entry);
    void start_phase(int rank, Active& active);
    bool skip_empty_phases(int rank, Active& active);
    bool poll(int rank);
    bool poll_one(int rank, Active& active);
    void answer_and_begin(int rank);
    [[nodiscard]] const std::vector<double>& memory_of(int rank) const;
    void compute(int rank, const TaskOutline& task, double bytes);
    // The work of some calls of a kernel.
    struct Amount {
        double cells = 0, rows = 0, calls = 1;
    };
    void compute(int rank, const std::string& stage, const Amount& amount, double bytes);
    void compute_between(int rank);
    void compute_with_neighbours(int rank, int number);
    void finish(int rank, int number);
    bool note_arrivals(int rank);
    void begin_step(int rank);
    void end_step(int rank);
    bool end_together(int rank, int entry);
    void join(int rank, int entry);
    void wake(int rank);
    void charge(Rank& rank, double seconds) const;
    [[nodiscard]] bool is_over(const Rank& rank, int entry, int phase) const;
    [[nodiscard]] const StepOutline& step_of(int rank, int step) const;
    [[nodiscard]] const StepPlaces& places_of(int rank, int step) const;
    [[nodiscard]] int receive_at(int rank, int step, int entry, int phase, int receive) const;
    [[nodiscard]] int phase_at(int rank, int step, int entry, int phase) const;
    [[nodiscard]] const Peer& peer_of(int rank, int outlined) const;

    // ---- messages
    void post(int rank, Active& active, const MessageOutline& sent);
    void posted(int message);
    void leave(int message, double when);
    void cross(int message);
    void crossed(int link);
    void arrive(int message);
    void announce(int link);
    [[nodiscard]] double queued(const Message& message);
    void schedule(double time, Kind kind, int subject, int version = 0);

    [[nodiscard]] double reduction_seconds() const;
    // A random number in [0, 1), the same sequence in every forecast.
    double random_share() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
    [[nodiscard]] Forecast result();

    const ForecastRequest& request_;
    std::vector<RankProgram> programs_;
    std::vector<Rank> ranks_;
    std::vector<std::vector<Peer>> peers_;  // of each rank, by their outlined number
    std::vector<Message> messages_;
    std::vector<int> free_;
    Network network_;
    std::vector<SharedLink> links_;
    MessageCost costs_[3];
    std::vector<Outlet> outlets_;  // of each node, inside and outside
    std::mt19937_64 random_{1};    // the same in every forecast
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::int64_t number_ = 0;
    double now_ = 0;
    int total_ = 0;                   // steps
    std::vector<double> ends_;        // of each step, of the last rank
    std::vector<int> ended_;          // ranks
    std::vector<RankTimes> at_warm_;  // what ranks had spent before the steps that count
    std::vector<int> joined_;         // ranks that wait for all others
    int unfinished_ = 0;
};

}  // namespace lapwing::predict
