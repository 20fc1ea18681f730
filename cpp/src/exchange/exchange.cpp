#include "lapwing/exchange/exchange.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/transport/packed_messages.hpp"
#include "lapwing/transport/transport.hpp"
#include "transport/own_copies.hpp"

namespace lapwing {

// A phase: its legs, and what of it has come.
struct Exchange::PhaseOnItsWay {
    struct Place {
        Leg* leg;
        int number;  // in that leg
    };
    PhaseOnItsWay(const BoundPlan& plan, const BoundPhase& phase, PhaseLegs given)
        : legs(std::move(given)),
          copies(phase.copies, plan.arrival, plan.in_order),
          places(phase.receives.size()),
          arrived(phase.receives.size()),
          news(phase.receives.size()) {
        for (const PhaseLegs::Part& part : legs.parts) {
            for (std::size_t n = 0; n < part.receives.size(); ++n)
                places[part.receives[n]] = {part.leg.get(), static_cast<int>(n)};
            for (const auto& messages : {part.leg->packed_messages().sends, part.leg->packed_messages().receives})
                packed.insert(packed.end(), messages.begin(), messages.end());
        }
    }
    // The same messages about memory that is laid out otherwise. Local.
    void rebind(const BoundPlan& plan, const BoundPhase& phase) {
        copies = OwnCopies(phase.copies, plan.arrival, plan.in_order);
        for (const PhaseLegs::Part& part : legs.parts) {
            std::vector<BoundMessage> sends, receives;
            for (const int number : part.sends) sends.push_back(phase.sends[number]);
            for (const int number : part.receives) receives.push_back(phase.receives[number]);
            part.leg->rebind(sends, receives);
        }
    }

    PhaseLegs legs;
    OwnCopies copies;
    std::vector<Place> places;           // one for each receive
    std::vector<char> arrived;           // one for each receive
    std::vector<int> news;               // scratch of poll
    std::vector<PackedMessage*> packed;  // messages of legs that pack
    int waiting_for = 0;                 // receives that have not come
    bool received = false;               // true if all have come and are where they belong
};

bool Pending::test() { return exchange_->timed_test(); }
void Pending::wait() { exchange_->wait(static_cast<int>(exchange_->plan().phases.size())); }
void Pending::wait_phase(int phase) { exchange_->wait(phase); }
int Pending::phases_done() const { return exchange_->phases_done(); }
bool Pending::complete() const { return !exchange_->active_; }

// ---- made once

Exchange::Exchange(Domain& domain, Route route, std::span<const AnyField* const> sources,
                   std::span<const AnyField* const> targets)
    : domain_(domain), route_(std::move(route)) {
    const MPI_Comm comm = domain.comm();
    if (route_.transport == "auto") route_.transport = "p2p";
    require_same(comm, "fields of the exchange", listed(plan().fields, " | "));
    require_same(comm, "arrival of the exchange", plan().arrival == Arrival::add ? "added" : "replaced");
    require_same(comm, "transport", transport());
    require_same(comm, "phases of the exchange", std::to_string(plan().phases.size()));
    tag_ = domain.next_tag();
    BoundPlan bound;
    together(comm, [&] { bound = lapwing::bind(plan(), sources, targets); });
    for (BoundPhase& phase : bound.phases) {
        if (domain.node().is_there()) break;
        phase.sends.clear();  // no such rank exists
        phase.receives.clear();
    }
    connect(bound);
}

void Exchange::connect(const BoundPlan& bound) {
    std::vector<PhaseLegs> legs;
    try {
        legs = make_legs(transport(), domain_, tag_.number(), bound, route_.in_place, route_.device);
    } catch (const MpiError&) {  // an error of this rank alone
        throw;
    } catch (const OutsideError&) {  // an error of all ranks together
        if (!route_.may_change) throw;
        route_.transport = "p2p";
        legs = make_legs(transport(), domain_, tag_.number(), bound);
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

void Exchange::move(std::span<const Index> by) {
    for (PhaseOnItsWay& phase : phases_) {
        phase.copies.move(by);
        for (PackedMessage* message : phase.packed) message->move(by);
    }
}

void Exchange::rebind(std::span<const AnyField* const> fields) {
    const BoundPlan bound = lapwing::bind(plan(), fields, fields);
    for (std::size_t p = 0; p < phases_.size(); ++p) phases_[p].rebind(bound, bound.phases[p]);
}

// ---- run often: prepare, then for each phase pack and post, take what arrives and unpack it

Pending Exchange::start() {
    static_cast<void>(domain_.comm());  // throws after close
    require_idle("start");
    prepare();
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

void Exchange::start_phases() {
    phase_ = 0;
    if (phases_.empty()) return;
    start_phase();
    // phases without messages are over at once: the messages of the first phase that has some leave now
    while (phases_[phase_].legs.parts.empty() && finish_phase()) {
    }
}

// Legs pack and post their messages; copies within the rank follow.
void Exchange::start_phase() {
    PhaseOnItsWay& phase = phases_[phase_];
    const std::int64_t begin = drawn_.begin();
    std::ranges::fill(phase.arrived, 0);
    phase.waiting_for = static_cast<int>(phase.arrived.size());
    phase.received = false;
    for (const PhaseLegs::Part& part : phase.legs.parts) part.leg->start();
    // An exchange in order applies nothing before everything is there.
    if (!in_order_) phase.copies.run();
    drawn_.end(TimelineEvent::Kind::start, begin);
}

bool Exchange::test() {
    while (phase_ < phases_.size()) {
        PhaseOnItsWay& phase = phases_[phase_];
        if (!phase.received) {
            if (!receive()) return false;
            if (in_order_) deliver_in_order();
            phase.received = true;
        }
        for (const PhaseLegs::Part& part : phase.legs.parts) {
            if (!part.leg->sent()) return false;
        }
        static_cast<void>(finish_phase());
    }
    return true;
}

// Takes what has come; true when nothing is missing any more.
bool Exchange::receive() {
    PhaseOnItsWay& phase = phases_[phase_];
    for (const PhaseLegs::Part& part : phase.legs.parts) {
        const std::size_t count = part.leg->poll(phase.news);
        for (std::size_t n = 0; n < count; ++n) {
            const int number = phase.news[n];
            phase.arrived[part.receives[number]] = 1;
            if (!in_order_) deliver(*part.leg, number);
        }
        phase.waiting_for -= static_cast<int>(count);
    }
    return phase.waiting_for == 0;
}

void Exchange::deliver(Leg& leg, int number) {
    const std::int64_t begin = drawn_.begin();
    leg.deliver(number);
    drawn_.end(TimelineEvent::Kind::unpack, begin);
}

void Exchange::deliver_in_order() {
    PhaseOnItsWay& phase = phases_[phase_];
    phase.copies.run();
    for (const PhaseOnItsWay::Place& place : phase.places) deliver(*place.leg, place.number);
}

// Goes on to the next phase; false after the last.
bool Exchange::finish_phase() {
    PhaseOnItsWay& phase = phases_[phase_];
    if (in_order_ && !phase.received) deliver_in_order();
    if (++phase_ == phases_.size()) return false;
    start_phase();
    return true;
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

// ---- what is told about it

void Exchange::require_idle(const char* call) const {
    if (!active_) return;
    user_error("exchange of " + listed(plan().fields, " | "), concat(call, " while a former start is unfinished"),
               "one start at a time", "wait for the handle that start returned");
}

std::string Exchange::describe() const {
    const std::vector<int> missing = this->missing(), unsent = this->unsent();
    std::string text = concat("rank ", plan().rank, " waits");
    if (!missing.empty()) text += " for ranks " + listed(missing, " ");
    text += " in the exchange of " + listed(plan().fields, " | ");
    if (!unsent.empty()) text += "; what it sent is not taken yet by ranks " + listed(unsent, " ");
    return text;
}

std::vector<int> Exchange::missing() const {
    std::vector<int> peers;
    if (phase_ == phases_.size()) return peers;
    const PhaseOnItsWay& phase = phases_[phase_];
    for (std::size_t r = 0; r < phase.arrived.size(); ++r) {
        if (phase.arrived[r] == 0) peers.push_back(plan().phases[phase_].receives[r].peer);
    }
    return peers;
}

std::vector<int> Exchange::unsent() const {
    std::vector<int> peers;
    if (phase_ == phases_.size()) return peers;
    for (const PhaseLegs::Part& part : phases_[phase_].legs.parts) {
        const std::vector<int> more = part.leg->unsent();
        peers.insert(peers.end(), more.begin(), more.end());
    }
    return peers;
}

Index Exchange::buffer_bytes() const {
    Index sum = 0;
    for (const PhaseOnItsWay& phase : phases_) {
        sum += phase.copies.buffer_bytes();
        for (const PhaseLegs::Part& part : phase.legs.parts) sum += part.leg->buffer_bytes();
    }
    return sum;
}

}  // namespace lapwing
