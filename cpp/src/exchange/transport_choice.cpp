#include "exchange/transport_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "lapwing/transport/transport.hpp"

namespace lapwing {

namespace {

using Clock = std::chrono::steady_clock;

// Worth trying: inside a node none of the others was faster than `shared` (docs/measurements/exchange.md), and they
// hold windows or communicators, of which an MPI has few.
constexpr std::array<std::string_view, 3> candidates{"shared", "p2p", "persistent"};

constexpr double handicap_of_split = 1.05;

constexpr Index most_bytes = Index{64} << 20;  // of fields that are copied for a measurement

// A plan by one transport on scratch memory.
struct Trial {
    TransportChoice choice;
    std::unique_ptr<Exchange> exchange;
    double handicap = 1;  // factor on its time
    int rounds = 2;
    double seconds = 1e30;
    std::vector<double> turns{};  // s
};

// Adds zero to all that is sent, as a model writes it: value by value, after reading it. Data that never changes stays
// in the reader's cache and flatters; whole lines written without reading them hide what lines in another core cost.
class Rewriting {
  public:
    explicit Rewriting(const BoundPlan& plan) {
        Index largest = 0;
        for (const BoundPhase& phase : plan.phases) {
            for (const BoundMessage& message : phase.sends) {
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

// What a model computes while messages travel: so many multiplications that each wait for the one before. A fixed time
// would hide that the system's work on packets takes a core away from it.
void compute(Index operations) {
    volatile double kept = 1.0;
    double value = kept;
    for (Index n = 0; n < operations; ++n) value = value * 0.75 + 0.25;
    kept = value;
}

// How many operations take so many seconds here. Local.
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

// Mean seconds of `rounds` exchanges, with so much arithmetic behind each and rewriting included: both are the same
// for all.
double measured(const Domain& domain, Exchange& exchange, Rewriting& rewriting, int rounds, Index operations) {
    static_cast<void>(largest(0, domain.comm()));  // all begin together
    const auto begin = Clock::now();
    for (int n = 0; n < rounds; ++n) {
        rewriting.run();
        Pending pending = exchange.start();
        compute(operations);
        pending.wait();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count() / rounds;
    return largest(seconds, domain.comm());
}

std::vector<TransportChoice> choices_of(const Domain& domain, std::span<const std::string_view> names,
                                        std::size_t plans, bool shared_fields) {
    std::vector<TransportChoice> choices;
    for (const Transport& transport : transports()) {
        const bool wanted = std::ranges::find(names, transport.name) != names.end();
        if (!wanted || !transport.unavailable(domain).empty()) continue;
        for (std::size_t p = 0; p < plans; ++p) {
            choices.push_back({std::string(transport.name), p, true});
            if (transport.on_node && shared_fields) choices.push_back({std::string(transport.name), p, false});
        }
    }
    return choices;
}

// Exchanges of one sample: enough that a sample takes a fifth of a millisecond.
int rounds_for(double seconds) { return std::clamp(static_cast<int>(2e-4 / seconds), 2, 100); }

// Times the trials alternating, so that a drifting machine hits all of them, and drops those that fall behind. The
// first turn warms up; nobody is dropped for one bad sample. Between nodes it counts what an exchange hides behind
// arithmetic that takes as long as the fastest one, for an MPI may move a message fast that it does not move while
// nobody looks; and then the median counts, as now and then it does.
void run_trials(Domain& domain, std::vector<Trial>& trials, Rewriting& rewriting) {
    const int turns = domain.node().oversubscribed() ? 4 : 9;
    double fastest = 1e30;
    Index operations = 0;
    for (int turn = 0; turn < turns; ++turn) {
        for (Trial& trial : trials) {
            const double seconds =
                measured(domain, *trial.exchange, rewriting, turn == 0 ? 2 : trial.rounds, operations);
            if (turn == 0) {
                trial.rounds = rounds_for(seconds);
                fastest = std::min(fastest, seconds);
            } else {
                trial.turns.push_back(trial.handicap * seconds);
                std::ranges::sort(trial.turns);
                trial.seconds = trial.turns[operations > 0 ? trial.turns.size() / 2 : 0];
            }
        }
        if (turn == 0 && domain.node().ranks() < domain.ranks()) operations = operations_in(fastest);
        if (turn < 3) continue;
        std::ranges::stable_sort(trials, {}, &Trial::seconds);
        const double limit = 1.3 * trials.front().seconds;
        std::erase_if(trials, [=](const Trial& trial) { return trial.seconds > limit; });
    }
    std::ranges::stable_sort(trials, {}, &Trial::seconds);
}

// Plans and the scratch memory that they move.
struct TriedPlans {
    std::span<const MessagePlan> plans;
    std::span<const AnyField* const> sources, targets;
    int split;  // number of the plan in small messages, or -1
};

// Exchanges for all choices; one that cannot be made here (too many open files, groups or windows) is no candidate.
std::vector<Trial> trials_of(Domain& domain, const std::vector<TransportChoice>& choices, const TriedPlans& tried) {
    std::vector<Trial> trials;
    for (const TransportChoice& choice : choices) {
        try {
            auto exchange = std::make_unique<Exchange>(domain, tried.plans[choice.plan], tried.sources, tried.targets,
                                                       choice.transport, MemoryUse{choice.in_place});
            const bool handicapped = static_cast<int>(choice.plan) == tried.split;
            trials.push_back({choice, std::move(exchange), handicapped ? handicap_of_split : 1.0});
        } catch (const MpiError&) {  // of this rank alone
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

// Whether times would tell anything, and memory for the measurement may be taken. Collective.
bool can_measure(const Domain& domain, const MessagePlan& plan, Index bytes) {
    if (domain.node().oversubscribed()) return false;  // times would be those of the scheduler
    const bool anything = largest(reaches_others(plan) ? 1 : 0, domain.comm()) > 0;
    return largest(static_cast<double>(bytes), domain.comm()) <= static_cast<double>(most_bytes) && anything;
}

// The fastest way for plans on scratch memory, or `untried` where none can be made. Collective.
TransportChoice fastest(Domain& domain, std::span<const std::string_view> names, const TriedPlans& tried,
                        const TransportChoice& untried) {
    BoundPlan bound;
    together(domain.comm(), [&] { bound = lapwing::bind(tried.plans[0], tried.sources, tried.targets); });
    const bool shared_fields = largest(bound.shared.empty() ? 0 : 1, domain.comm()) > 0;
    std::vector<Trial> trials = trials_of(domain, choices_of(domain, names, tried.plans.size(), shared_fields), tried);
    if (trials.empty()) return untried;
    Rewriting rewriting(bound);
    run_trials(domain, trials, rewriting);
    return trials.front().choice;
}

}  // namespace

TransportChoice fastest_transport(Domain& domain, std::string_view name, std::span<const MessagePlan> plans,
                                  std::span<const AnyField* const> fields, int split) {
    const bool on_nodes = domain.node().no_shared_memory().empty();
    const TransportChoice untried{name != "auto" ? std::string(name) : on_nodes ? "shared" : "p2p", 0, false};
    if (!can_measure(domain, plans[0], bytes_of(fields))) return untried;
    std::optional<Copies> copies;
    together(domain.comm(), [&] { copies.emplace(fields); });
    const std::span<const std::string_view> one(&name, 1);  // where it cannot be made, make_legs says why
    return fastest(domain, name == "auto" ? std::span<const std::string_view>(candidates) : one,
                   {plans, copies->pointers(), copies->pointers(), split}, untried);
}

TransportChoice fastest_transport(Domain& domain, std::span<const std::string_view> names, const MessagePlan& plan,
                                  std::span<const AnyField* const> sources, std::span<const AnyField* const> targets) {
    const TransportChoice untried{domain.node().no_shared_memory().empty() ? "shared" : "p2p", 0, true};
    if (!can_measure(domain, plan, bytes_of(sources) + bytes_of(targets))) return untried;
    std::optional<Copies> from, to;
    together(domain.comm(), [&] {
        from.emplace(sources);
        to.emplace(targets);
    });
    return fastest(domain, names, {{&plan, 1}, from->pointers(), to->pointers(), -1}, untried);
}

}  // namespace lapwing
