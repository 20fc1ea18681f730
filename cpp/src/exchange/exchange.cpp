#include "lapwing/exchange/exchange.hpp"

#include "exchange/phase_on_its_way.hpp"
#include "exchange/transport_choice.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/waiting.hpp"
#include "lapwing/transport/transport.hpp"
#include "plan/early_messages.hpp"

namespace lapwing {

namespace {

std::string_view to_string(Arrival arrival) { return arrival == Arrival::add ? "added" : "replaced"; }

std::string to_string(const ExchangeOptions& options) {
    std::string text = !options.corners                       ? "best corners"
                       : *options.corners == Corners::ordered ? "ordered corners"
                                                              : "direct corners";
    if (options.reverse) text += concat(", reverse, ", to_string(options.arrival));
    if (options.grouping.separate) text += ", a message per field";
    if (options.grouping.chunk_bytes > 0) text += concat(", chunks of ", options.grouping.chunk_bytes, " bytes");
    if (options.wet != nullptr) text += concat(", wet only, mask ", options.wet->fingerprint());
    return concat(text, ", ", options.transport);
}

constexpr Index tried_chunk = Index{32} << 10;  // less than the eager limits that MPI libraries have over TCP

// The ways to try: what the options leave open, with `auto`; `shared` alone has two ways of its own.
std::vector<ExchangeOptions> ways(const Domain& domain, std::size_t fields, const ExchangeOptions& options) {
    std::vector<ExchangeOptions> all{options};
    const Partition& partition = domain.partition();
    // a reverse exchange adds in the order of its plan: another plan, other bits
    if (options.transport != "auto" || options.reverse) return all;
    if (!options.corners && best_corners(partition) == Corners::ordered) {
        all.push_back(options);
        all.back().corners = Corners::direct;
    }
    if (fields > 1 && !options.grouping.separate) {
        all.push_back(options);
        all.back().grouping.separate = true;
    }
    // between nodes a message beyond MPI's eager limit may take two or three times as long as the same bytes in several
    if (domain.node().ranks() < domain.ranks() && options.grouping.chunk_bytes == 0) {
        all.push_back(options);
        all.back().grouping.chunk_bytes = tried_chunk;
    }
    return all;
}

}  // namespace

MessagePlan exchange_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields,
                          const ExchangeOptions& options) {
    if (options.threads < 1) {
        user_error("threads of the exchange", options.threads, "at least 1", "leave it out for one");
    }
    const Corners corners = options.corners.value_or(best_corners(partition));
    MessagePlan plan = halo_plan(partition, rank, fields, corners);
    if (options.wet != nullptr) {
        check_size(*options.wet, partition.grid());
        plan = wet_only(plan, *options.wet);
    }
    plan = regrouped(plan, options.grouping);
    return options.reverse ? reversed(plan, options.arrival) : messages_first(std::move(plan));
}

bool Pending::test() { return exchange_->timed_test(); }
void Pending::wait() { exchange_->wait(static_cast<int>(exchange_->plan().phases.size())); }
void Pending::wait_phase(int phase) { exchange_->wait(phase); }
int Pending::phases_done() const { return exchange_->phases_done(); }
bool Pending::complete() const { return !exchange_->active_; }

// Nothing may throw on one rank only, or the others wait for its messages for ever.
Exchange::Chosen Exchange::choose(Domain& domain, std::span<const AnyField* const> fields,
                                  std::span<const FieldSpec> specs, const ExchangeOptions& options) {
    require_same(domain.comm(), "options of the exchange", to_string(options));
    require_same(domain.comm(), "fields of the exchange", listed(specs, " | "));
    const auto planned = [&](const ExchangeOptions& way) {
        MessagePlan plan;
        together(domain.comm(), [&] { plan = exchange_plan(domain.partition(), domain.rank(), specs, way); });
        return plan;
    };
    if (options.transport != "auto" && options.transport != "shared")
        return {planned(options), options.transport, true, options.threads};
    std::vector<MessagePlan> plans;
    int split = -1;
    for (const ExchangeOptions& way : ways(domain, fields.size(), options)) {
        if (way.grouping.chunk_bytes != options.grouping.chunk_bytes) split = static_cast<int>(plans.size());
        plans.push_back(planned(way));
    }
    const TransportChoice choice = fastest_transport(domain, options.transport, plans, fields, split);
    const bool may_change = options.transport == "auto" && choice.transport != "p2p";
    return {std::move(plans[choice.plan]),
            choice.transport,
            choice.in_place,
            options.threads,
            may_change,
            options.transport == "auto" ? choice.why : std::string()};
}

Exchange::Exchange(Domain& domain, std::span<const AnyField* const> fields, const ExchangeOptions& options)
    : Exchange(domain, fields, specs_of(fields), options) {}

Exchange::Exchange(Domain& domain, std::span<const AnyField* const> fields, std::span<const FieldSpec> specs,
                   const ExchangeOptions& options)
    : Exchange(domain, choose(domain, fields, specs, options), fields, fields) {}

Exchange::Exchange(Domain& domain, MessagePlan plan, std::span<const AnyField* const> sources,
                   std::span<const AnyField* const> targets, const std::string& transport, const MemoryUse& use)
    : Exchange(domain, Chosen{std::move(plan), transport == "auto" ? "p2p" : transport, use.in_place, use.threads},
               sources, targets) {}

Exchange::Exchange(Domain& domain, Chosen chosen, std::span<const AnyField* const> sources,
                   std::span<const AnyField* const> targets)
    : domain_(domain),
      plan_(std::move(chosen.plan)),
      transport_(std::move(chosen.transport)),
      choice_(std::move(chosen.why)) {
    const MPI_Comm comm = domain.comm();
    require_same(comm, "fields of the exchange", listed(plan_.fields, " | "));
    require_same(comm, "arrival of the exchange", std::string(to_string(plan_.arrival)));
    require_same(comm, "transport", transport_);
    require_same(comm, "phases of the exchange", std::to_string(plan_.phases.size()));
    tag_ = domain.next_tag();
    BoundPlan bound;
    together(comm, [&] { bound = lapwing::bind(plan_, sources, targets, Threads{chosen.threads}); });
    connect(bound, chosen);
}

void Exchange::connect(const BoundPlan& bound, const Chosen& chosen) {
    std::vector<PhaseLegs> legs;
    try {
        legs = make_legs(transport_, domain_, tag_.number(), bound, chosen.in_place);
    } catch (const OutsideError&) {  // of all ranks together
        if (!chosen.may_change) throw;
        transport_ = "p2p";
        legs = make_legs(transport_, domain_, tag_.number(), bound);
    }
    for (std::size_t p = 0; p < legs.size(); ++p) phases_.emplace_back(bound, bound.phases[p], std::move(legs[p]));
    in_order_ = bound.in_order;
    keep_ = bound.keep;
    phase_ = phases_.size();
}

// Waiting here could block for ever (a neighbour may never start), so the legs give their buffers up: the program
// has a mistake, its memory stays whole.
Exchange::~Exchange() {
    if (active_) domain_.in_flight().release(*this);
    if (phase_ == phases_.size()) return;
    tag_.spoil();
    for (const PhaseLegs::Part& part : phases_[phase_].legs.parts) part.leg->abandon();
}

Pending Exchange::start() {
    static_cast<void>(domain_.comm());  // throws after close
    if (active_) {
        user_error("exchange of " + listed(plan_.fields, " | "), "start while a former start is unfinished",
                   "one start at a time", "wait for the handle that start returned");
    }
    const std::int64_t begin = ticks();
    domain_.in_flight().enlist(*this);
    try {
        start_phases();
    } catch (...) {
        domain_.in_flight().release(*this);
        throw;
    }
    active_ = true;
    ++count_.exchanges;
    count_.start_ticks += ticks() - begin;
    return Pending(*this);
}

bool Exchange::finished() {
    if (active_ && test()) {
        active_ = false;
        domain_.in_flight().release(*this);
    }
    return !active_;
}

bool Exchange::timed_test() {
    if (active_) static_cast<void>(domain_.comm());  // throws in another thread
    const std::int64_t begin = ticks();
    const bool complete = finished();
    count_.wait_ticks += ticks() - begin;
    return complete;
}

void Exchange::wait(int phase) {
    if (active_) static_cast<void>(domain_.comm());  // throws in another thread
    const auto over = [this, phase] { return finished() || phases_done() > phase; };
    if (over()) return;
    const std::int64_t begin = ticks();
    wait_until(over, [this] { return describe(); }, domain_.comm(), domain_.node().polls());
    count_.wait_ticks += ticks() - begin;
}

std::string Exchange::describe() const {
    const std::vector<int> missing = this->missing(), unsent = this->unsent();
    std::string text = concat("rank ", plan_.rank, " waits");
    if (!missing.empty()) text += " for ranks " + listed(missing, " ");
    text += " in the exchange of " + listed(plan_.fields, " | ");
    if (!unsent.empty()) text += "; what it sent is not taken yet by ranks " + listed(unsent, " ");
    return text;
}

}  // namespace lapwing
