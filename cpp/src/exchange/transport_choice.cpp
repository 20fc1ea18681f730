#include "exchange/transport_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "exchange/transport_trial.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "lapwing/transport/transport.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;

// Worth trying: each was the fastest in some row of docs/measurements/exchange.md. The others hold communicators, of
// which an MPI has few, or need more messages.
constexpr std::array<std::string_view, 4> candidates{"shared", "p2p", "persistent", "onesided"};
constexpr std::string_view within_node = "onesided";  // between nodes it was behind everywhere
// Open MPI prints errors of its components for each window, and waits for ever where one rank is short of files.
#ifdef OPEN_MPI
constexpr bool tries_windows = false;
#else
constexpr bool tries_windows = true;
#endif

// Reading a field in place must be clearly faster than slots: if two cores stop sharing a cache, as virtual cores do
// without notice, it takes 2.5 times as long as slots, and if they share one it saves a third at most.
constexpr double handicap_of_split = 1.05, handicap_in_place = 1.2;

// The most bytes of fields that are copied for a measurement: this, or a share of the memory that is left. Only edges
// and halos of a copy are touched, so that pages in between cost nothing.
constexpr Index most_bytes = Index{64} << 20, share_of_memory = 8;

// If ranks share cores, times would tell about the scheduler, and a rule decides. A message wakes its receiver, while a
// rank that waits for memory keeps its turn on the core: with many ranks on a core, short messages are faster (1.6
// times with 9 ranks on 2 cores, 2d-60; long messages were not).
constexpr int crowd = 4;  // ranks of a core
constexpr Index short_bytes = Index{64} << 10;

constexpr int warm_up = 4;  // exchanges of a sample that are not timed: buffers lie where the trial before left them
constexpr int warm_up_of_long = 1;
constexpr double long_exchange = 1e-3;  // s
constexpr double shortest = 1e-8;       // s, that an exchange takes at least

// A choice that is not the usual one is measured again, against the usual one alone, when the same exchange is made
// again: what was clear may have been the moment's doing.
constexpr int all_looks = 3;

// A plan by one transport on scratch memory.
struct Trial {
    TransportChoice choice;
    std::unique_ptr<Exchange> exchange;
    double handicap = 1;  // factor on its time, rewriting not included; 1 for the usual way
    int rounds = 2;       // exchanges of a sample
    int before = 0;       // exchanges before it that are not timed
    double seconds = 0;   // of one of them
};

// A choice, and what decided it on this rank.
struct Known {
    std::string shapes;
    TransportChoice choice;
    int looks = 1;  // measurements so far
};

// Returns a digest of what decides the time of a plan on this rank: peers, counts and strides, but no addresses.
std::string shapes_of(const BoundPlan& plan, std::size_t plans, std::span<const std::string_view> names) {
    Digest digest;
    const auto add = [&](std::span<const Index> numbers) { digest.add(std::as_bytes(numbers)); };
    const auto add_block = [&](const StridedBlock& block) {
        const std::array<Index, 2> kind{block.value_size, block.list >= 0 ? 1 : 0};
        for (std::span<const Index> part :
             {std::span<const Index>(kind), std::span<const Index>(block.count), std::span<const Index>(block.stride)})
            add(part);
    };
    for (const BoundPhase& phase : plan.phases) {
        for (const auto* messages : {&phase.sends, &phase.receives}) {
            for (const BoundMessage& message : *messages) {
                add(std::array<Index, 2>{message.peer, static_cast<Index>(message.pieces.size())});
                for (const StridedBlock& piece : message.pieces) add_block(piece);
            }
        }
        for (const BoundCopy& copy : phase.copies) add_block(copy.from);
    }
    return concat(digest.text(), " ", plans, " ", plan.shared.size(), " ", listed(names, " "));
}

bool same_way(const TransportChoice& one, const TransportChoice& other) {
    return one.transport == other.transport && one.plan == other.plan && one.in_place == other.in_place;
}

// The same values, the nearest in memory first.
StridedBlock in_memory_order(const StridedBlock& piece) {
    if (piece.list >= 0) return piece;
    std::array<std::size_t, 4> loops{0, 1, 2, 3};
    std::ranges::stable_sort(loops, {}, [&](std::size_t loop) { return std::abs(piece.stride[loop]); });
    StridedBlock sorted = piece;
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
        sorted.count[loop] = piece.count[loops[loop]];
        sorted.stride[loop] = piece.stride[loops[loop]];
    }
    return sorted;
}

// Adds zero to all that is sent, as a model writes it: value by value, after reading it. Data that never changes stays
// in the reader's cache and flatters; whole lines written without reading them hide what lines in another core cost.
class Rewriting {
  public:
    explicit Rewriting(const BoundPlan& plan) {
        Index largest = 0;
        for (const BoundPhase& phase : plan.phases) {
            for (BoundMessage message : phase.sends) {
                std::ranges::transform(message.pieces, message.pieces.begin(), in_memory_order);
                sends_.emplace_back(message);
                largest = std::max(largest, message.bytes);
            }
        }
        zeros_.resize(largest);
    }
    void run() {
        for (const PackedMessage& message : sends_) message.unpack(zeros_.data(), Arrival::add);
    }

  private:
    std::vector<PackedMessage> sends_;
    std::vector<std::byte> zeros_;
};

double largest(double value, MPI_Comm comm) {
    return reduced(comm, value, MPI_MAX, "the slowest rank of a measurement");
}

// Stands for a model that computes while messages travel: multiplications that each wait for the previous one. A fixed
// time would hide that the system's work on packets takes a core away from it.
void compute(Index operations) {
    volatile double kept = 1.0;
    double value = kept;
    for (Index n = 0; n < operations; ++n) value = value * 0.75 + 0.25;
    kept = value;
}

// Returns the number of operations that take `seconds` here. Local.
Index operations_in(double seconds) {
    constexpr Index sample = 20'000;
    double fastest = 1;
    for (int n = 0; n < 5; ++n) {
        const auto begin = Clock::now();
        compute(sample);
        fastest = std::min(fastest, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return static_cast<Index>(static_cast<double>(sample) * seconds / fastest);
}

// Least seconds of rewriting alone, which no exchange can be without. Collective.
double time_alone(const Domain& domain, Rewriting& rewriting) {
    double least = 1e30;
    for (int n = 0; n < 5; ++n) {
        const auto begin = Clock::now();
        rewriting.run();
        least = std::min(least, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return largest(least, domain.comm());
}

// Mean seconds of `rounds` exchanges after some that do not count, with arithmetic behind each and rewriting included:
// both are the same for all.
double measured(const Domain& domain, Exchange& exchange, Rewriting& rewriting, int rounds, int before,
                Index operations) {
    const auto run = [&](int times) {
        for (int n = 0; n < times; ++n) {
            rewriting.run();
            Pending pending = exchange.start();
            compute(operations);
            pending.wait();
        }
    };
    static_cast<void>(largest(0, domain.comm()));  // all begin together
    run(before);
    const auto begin = Clock::now();
    run(rounds);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count() / rounds;
    return largest(seconds, domain.comm());
}

std::vector<TransportChoice> choices_of(const Domain& domain, std::span<const std::string_view> names,
                                        std::size_t plans, bool shared_fields) {
    std::vector<TransportChoice> choices;
    for (const Transport& transport : transports()) {
        const bool wanted = std::ranges::find(names, transport.name) != names.end();
        const bool far = transport.name == within_node && (!tries_windows || domain.node().ranks() < domain.ranks());
        if (!wanted || far || !transport.unavailable(domain).empty()) continue;
        for (std::size_t p = 0; p < plans; ++p) {
            choices.push_back({std::string(transport.name), p, true});
            if (transport.on_node && shared_fields) choices.push_back({std::string(transport.name), p, false});
        }
    }
    return choices;
}

// Exchanges of one sample: enough that a sample takes a fifth of a millisecond.
int rounds_for(double seconds) {
    return std::clamp(static_cast<int>(2e-4 / seconds), seconds > long_exchange ? 1 : 2, 100);
}

// The number of the usual way among trials, or -1.
int number_of(const std::vector<Trial>& trials, const TransportChoice& usual) {
    const auto known = std::ranges::find_if(trials, [&](const Trial& one) { return same_way(one.choice, usual); });
    return known == trials.end() ? -1 : static_cast<int>(known - trials.begin());
}

// Runs each once, which warms up and tells how many exchanges make a sample; returns the least seconds.
double first_samples(const Domain& domain, std::vector<Trial>& trials, Rewriting& rewriting) {
    double fastest = 1e30;
    for (Trial& trial : trials) {
        const double seconds = measured(domain, *trial.exchange, rewriting, 2, warm_up, 0);
        trial.rounds = rounds_for(seconds);
        trial.before = seconds > long_exchange ? warm_up_of_long : warm_up;
        trial.seconds = seconds;
        fastest = std::min(fastest, seconds);
    }
    return fastest;
}

// Times the trials alternating, so that a drifting machine hits all of them, and returns the number of the one to take.
// Between nodes it counts how much of an exchange arithmetic as long as the fastest exchange hides, for an MPI may move
// messages fast, but not while no call looks after them; then the median counts, as it sometimes does move them.
int run_trials(Domain& domain, std::vector<Trial>& trials, Rewriting& rewriting, const TransportChoice& usual) {
    const double alone = time_alone(domain, rewriting), fastest = first_samples(domain, trials, rewriting);
    const Index operations = domain.node().ranks() < domain.ranks() ? operations_in(fastest) : 0;
    std::vector<double> handicaps;
    for (const Trial& trial : trials) handicaps.push_back(trial.handicap);
    const int known = number_of(trials, usual);
    TransportTrial ways(std::move(handicaps), known, operations > 0);
    const double most = trial_seconds(known < 0 ? fastest : trials[known].seconds);
    double spent = 0;  // s, the same on all ranks
    for (bool over = false; !over;) {
        const Trial& trial = trials[ways.way()];
        const double seconds = measured(domain, *trial.exchange, rewriting, trial.rounds, trial.before, operations);
        spent += seconds * (trial.rounds + trial.before);
        over = ways.took(std::max(seconds - alone, shortest)) || ways.out_of_time(spent, most);
    }
    for (std::size_t n = 0; n < trials.size(); ++n) trials[n].seconds = ways.seconds(static_cast<int>(n));
    return ways.stop();
}

std::string to_string(const TransportChoice& choice) {
    const bool reads_there = choice.transport == "shared" && choice.in_place;
    return concat(choice.transport, reads_there ? " in place" : "",
                  choice.plan > 0 ? concat(" with messages of kind ", choice.plan) : "");
}

std::string microseconds(double seconds) {
    char number[32];
    std::snprintf(number, sizeof number, "%.3g us", 1e6 * seconds);
    return number;
}

// Describes what was found, its cost, and when it has paid, compared with the choice without measurement.
std::string told(const std::vector<Trial>& trials, const Trial& best, const TransportChoice& untried, double cost) {
    std::string text = concat("auto took ", to_string(best.choice), ": ", microseconds(best.seconds));
    const char* separator = "; ";
    for (const Trial& trial : trials) {
        if (&trial == &best) continue;
        text += concat(separator, to_string(trial.choice), " ", microseconds(trial.seconds));
        separator = ", ";
    }
    text += concat("; measuring took ", microseconds(cost));
    const auto usual =
        std::ranges::find_if(trials, [&](const Trial& trial) { return same_way(trial.choice, untried); });
    const double gain = usual == trials.end() ? 0 : usual->seconds - best.seconds;
    if (gain <= 0) return text + ", and it is what would have been taken without";
    return text + concat(", paid after ", static_cast<Index>(cost / gain) + 1, " exchanges");
}

// Plans and the scratch memory that they move.
struct TriedPlans {
    std::span<const MessagePlan> plans;
    std::span<const AnyField* const> sources, targets;
    int split;                   // number of the plan in small messages, or -1
    bool shared_fields = false;  // true if the ranks of a node can read them in place
};

double handicap_of(const TransportChoice& choice, const TriedPlans& tried, const TransportChoice& usual) {
    if (same_way(choice, usual)) return 1;
    const bool split = static_cast<int>(choice.plan) == tried.split;
    const bool reads_there = tried.shared_fields && choice.transport == "shared" && choice.in_place;
    return (split ? handicap_of_split : 1.0) * (reads_there ? handicap_in_place : 1.0);
}

// Exchanges for all choices; one that cannot be made here (too many open files, groups or windows) is no candidate.
std::vector<Trial> trials_of(Domain& domain, const std::vector<TransportChoice>& choices, const TriedPlans& tried,
                             const TransportChoice& usual) {
    std::vector<Trial> trials;
    for (const TransportChoice& choice : choices) {
        try {
            auto exchange =
                std::make_unique<Exchange>(domain, Route{tried.plans[choice.plan], choice.transport, choice.in_place},
                                           tried.sources, tried.targets);
            trials.push_back({choice, std::move(exchange), handicap_of(choice, tried, usual)});
        } catch (const MpiError&) {  // an error of this rank alone
            throw;
        } catch (const OutsideError&) {  // both of all ranks together
            continue;
        } catch (const UserError&) {
            continue;
        }
    }
    return trials;
}

Index bytes_of(std::span<const AnyField* const> fields) {
    Index sum = 0;
    for (const AnyField* field : fields) {
        for (const Block& block : field->blocks()) {
            sum += block.allocated.volume() * field->spec().components * size_of(field->spec().type);
        }
    }
    return sum;
}

bool reaches_others(const MessagePlan& plan) { return messages_sent(plan) > 0 || bytes_received(plan) > 0; }

// Memory like that of some fields, for measurements.
class Copies {
  public:
    explicit Copies(std::span<const AnyField* const> fields) {
        for (const AnyField* field : fields) fields_.push_back(AnyField::like(*field));
        for (const AnyField& field : fields_) pointers_.push_back(&field);
    }
    [[nodiscard]] std::span<const AnyField* const> pointers() const { return pointers_; }

  private:
    std::vector<AnyField> fields_;
    std::vector<const AnyField*> pointers_;
};

// True if memory for the measurement may be taken, and there is anything to measure. Collective.
bool can_measure(const Domain& domain, const MessagePlan& plan, Index bytes) {
    if (domain.node().oversubscribed()) return false;
    const double too_many =
        bytes > most_bytes && bytes > available_memory() / (share_of_memory * domain.node().ranks()) ? 1 : 0;
    const double reaches = largest(reaches_others(plan) ? 1 : 0, domain.comm());
    return largest(too_many, domain.comm()) == 0 && reaches > 0;
}

// Returns the choice without a measurement. Collective where ranks share cores.
std::string usual_transport(const Domain& domain, const MessagePlan& plan) {
    if (!domain.node().no_shared_memory().empty()) return "p2p";
    if (!domain.node().oversubscribed()) return "shared";
    const bool crowded = domain.node().ranks() > crowd * domain.node().cores();
    const double bytes = largest(static_cast<double>(bytes_received(plan)), domain.comm());
    const double crowds = largest(crowded ? 1 : 0, domain.comm());
    return crowds > 0 && bytes < static_cast<double>(short_bytes) ? "p2p" : "shared";
}

// The fastest way for plans on scratch memory, or `untried` where none can be made. Collective.
TransportChoice fastest(Domain& domain, std::span<const std::string_view> names, TriedPlans tried,
                        const TransportChoice& untried) {
    const auto begin = Clock::now();
    BoundPlan bound;
    together(domain.comm(), [&] { bound = lapwing::bind(tried.plans[0], tried.sources, tried.targets); });
    tried.shared_fields = largest(bound.shared.empty() ? 0 : 1, domain.comm()) > 0;
    Pool<Known>& known = domain.leases().of<Known>();
    const std::string shapes = shapes_of(bound, tried.plans.size(), names);
    const auto same = [&](const Known& one) { return one.shapes == shapes; };
    const auto found = known.lease(domain.comm(), same);
    if (found && (found->looks == all_looks || same_way(found->choice, untried))) return found->choice;
    auto choices = choices_of(domain, names, tried.plans.size(), tried.shared_fields);
    if (found)
        std::erase_if(choices, [&](auto& one) { return !same_way(one, untried) && !same_way(one, found->choice); });
    std::vector<Trial> trials = trials_of(domain, choices, tried, untried);
    if (trials.empty()) return untried;
    Rewriting rewriting(bound);
    const Trial& best = trials[run_trials(domain, trials, rewriting, untried)];
    const double cost = largest(std::chrono::duration<double>(Clock::now() - begin).count(), domain.comm());
    TransportChoice choice = best.choice;
    choice.why = told(trials, best, untried, cost);
    if (!found) known.add(std::make_shared<Known>(Known{shapes, choice}));
    if (found) *found = {shapes, choice, found->looks + 1};
    return choice;
}

TransportChoice unmeasured(const std::string& transport, bool in_place) {
    return {transport, 0, in_place, concat("auto took ", transport, " unmeasured")};
}

}  // namespace

TransportChoice fastest_transport(Domain& domain, std::string_view name, std::span<const MessagePlan> plans,
                                  std::span<const AnyField* const> fields, int split) {
    const std::string usual = name == "auto" ? usual_transport(domain, plans[0]) : std::string(name);
    const TransportChoice untried = unmeasured(usual, false);
    if (!can_measure(domain, plans[0], bytes_of(fields))) return untried;
    std::optional<Copies> copies;
    together(domain.comm(), [&] { copies.emplace(fields); });
    const std::span<const std::string_view> one(&name, 1);  // where it cannot be made, make_legs says why
    return fastest(domain, name == "auto" ? std::span<const std::string_view>(candidates) : one,
                   {plans, copies->pointers(), copies->pointers(), split}, untried);
}

TransportChoice fastest_transport(Domain& domain, std::span<const std::string_view> names, const MessagePlan& plan,
                                  std::span<const AnyField* const> sources, std::span<const AnyField* const> targets) {
    const TransportChoice untried = unmeasured(usual_transport(domain, plan), true);
    if (!can_measure(domain, plan, bytes_of(sources) + bytes_of(targets))) return untried;
    std::optional<Copies> from, to;
    together(domain.comm(), [&] {
        from.emplace(sources);
        to.emplace(targets);
    });
    return fastest(domain, names, {{&plan, 1}, from->pointers(), to->pointers(), -1}, untried);
}

}  // namespace lapwing
