#include "lapwing/exchange/exchange.hpp"

#include <algorithm>

#include "exchange/arrays_of_calls.hpp"
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
    if (options.wet != nullptr) {
        text += concat(", wet only, mask ", options.wet->fingerprint(), ", ", options.wet_rules.form,
                       options.wet_rules.declared_only ? " of fields that are constant on land" : "");
    }
    return concat(text, ", ", options.transport);
}

constexpr Index tried_chunk = Index{32} << 10;  // less than the eager limits that MPI libraries have over TCP

// The candidates to try: all that the options leave open, with `auto`; only `shared` has two variants.
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

// The share of the bytes that all ranks send with their land which `automatic` must leave at most: shorter messages in
// more pieces have to pay for the exchanges with land that steps begin with.
constexpr double worth_it = 0.95;

// The same without what leads to nothing: no mask where no field may lose its land, and `automatic` decided. Collective
// where it is to be decided.
ExchangeOptions settled(const Domain& domain, std::span<const FieldSpec> specs, ExchangeOptions options) {
    WetRules& rules = options.wet_rules;
    const bool allowed = !rules.declared_only || std::ranges::any_of(specs, &FieldSpec::constant_on_land);
    if (rules.form == WetForm::off || !allowed) options.wet = nullptr;
    if (options.wet == nullptr || rules.form != WetForm::automatic) return options;
    rules.form = WetForm::lists;
    if (!domain.node().is_there()) return options;  // this process knows one rank, and others would decide otherwise
    std::array<Index, 2> bytes{};                   // with land and without
    together(domain.comm(), [&] {
        ExchangeOptions whole = options;
        whole.wet = nullptr;
        bytes = {bytes_sent(exchange_plan(domain.partition(), domain.rank(), specs, whole)),
                 bytes_sent(exchange_plan(domain.partition(), domain.rank(), specs, options))};
    });
    bytes = reduced(domain.comm(), bytes, MPI_SUM, "the bytes that other ranks send");
    if (static_cast<double>(bytes[1]) > worth_it * static_cast<double>(bytes[0])) options.wet = nullptr;
    return options;
}

// Throws UserError for a field that another domain has declared, or one that is there twice. Local.
void require_fields_of(const Domain& domain, std::span<const std::shared_ptr<AnyField>> fields) {
    const auto mine = domain.declared_fields();
    for (const auto& field : fields) {
        const std::string& name = field->spec().name;
        if (std::ranges::find(mine, field) == mine.end()) {
            user_error("exchange", concat("field ", name, " of another domain"), "fields of the exchange's domain",
                       "make the exchange on the domain of its fields");
        }
        if (std::ranges::count(fields, field) > 1) {
            user_error("exchange", concat("field ", name, " twice"), "each field once", "leave one out");
        }
    }
}

// The fields of a domain, each with memory; a halo of one cell, where it gets it here.
std::vector<const AnyField*> with_memory(Domain& domain, std::initializer_list<std::shared_ptr<AnyField>> fields) {
    std::vector<const AnyField*> all;
    const Index3& size = domain.partition().grid().size;
    Extent around;
    for (std::size_t a = 0; a < 3; ++a) around.lo[a] = around.hi[a] = size[a] > 1 ? 1 : 0;
    together(domain.comm(), [&] {
        require_fields_of(domain, {fields.begin(), fields.size()});
        for (const std::shared_ptr<AnyField>& field : fields) {
            if (!field->has_memory()) field->allocate(around);
            all.push_back(field.get());
        }
    });
    return all;
}

}  // namespace

MessagePlan exchange_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields,
                          const ExchangeOptions& options) {
    const Corners corners = options.corners.value_or(best_corners(partition));
    MessagePlan plan = halo_plan(partition, rank, fields, corners);
    if (options.wet != nullptr) {
        check_size(*options.wet, partition.grid());
        plan = wet_only(plan, *options.wet, {}, options.wet_rules);
    }
    plan = regrouped(plan, options.grouping);
    return options.reverse ? reversed(plan, options.arrival) : messages_first(std::move(plan));
}

bool Pending::test() { return exchange_->timed_test(); }
void Pending::wait() { exchange_->wait(static_cast<int>(exchange_->plan().phases.size())); }
void Pending::wait_phase(int phase) { exchange_->wait(phase); }
int Pending::phases_done() const { return exchange_->phases_done(); }
bool Pending::complete() const { return !exchange_->active_; }

// Nothing may throw on one rank only, or the other ranks wait for its messages for ever.
Exchange::Chosen Exchange::choose(Domain& domain, std::span<const AnyField* const> fields,
                                  std::span<const FieldSpec> specs, const ExchangeOptions& given) {
    require_same(domain.comm(), "options of the exchange", to_string(given));
    require_same(domain.comm(), "fields of the exchange", listed(specs, " | "));
    const ExchangeOptions options = settled(domain, specs, given);
    const bool leaves_land_out = options.wet != nullptr;
    const auto planned = [&](const ExchangeOptions& way) {
        MessagePlan plan;
        together(domain.comm(), [&] {
            for (const AnyField* field : fields) field->require_memory();
            plan = exchange_plan(domain.partition(), domain.rank(), specs, way);
        });
        return plan;
    };
    if (options.transport != "auto" && options.transport != "shared")
        return {planned(options), options.transport, true, false, leaves_land_out};
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
            may_change,
            leaves_land_out,
            options.transport == "auto" ? choice.why : std::string()};
}

Exchange::Exchange(Domain& domain, std::span<const AnyField* const> fields, const ExchangeOptions& options)
    : Exchange(domain, fields, specs_of(fields), options) {}

Exchange::Exchange(Domain& domain, std::initializer_list<std::shared_ptr<AnyField>> fields,
                   const ExchangeOptions& options)
    : Exchange(domain, with_memory(domain, fields), options) {}

Exchange::Exchange(Domain& domain, std::span<const AnyField* const> fields, std::span<const FieldSpec> specs,
                   const ExchangeOptions& options)
    : Exchange(domain, choose(domain, fields, specs, options), fields, fields) {}

// Memory that is there while an exchange of arrays is made: nothing is bound to any later.
struct Exchange::Scratch {
    Scratch(Domain& domain, std::span<const FieldSpec> specs, const std::string& transport) {
        require_same(domain.comm(), "fields of the exchange", listed(specs, " | "));
        together(domain.comm(), [&] {
            require_packing(transport);
            for (const FieldSpec& spec : specs) {
                memory.push_back(AnyField::with_own_pages(domain.partition(), domain.rank(), spec));
            }
        });
        for (const AnyField& field : memory) fields.push_back(&field);
    }

    std::vector<AnyField> memory;
    std::vector<const AnyField*> fields;
};

Exchange::Exchange(Domain& domain, std::span<const FieldSpec> specs, const ExchangeOptions& options)
    : Exchange(domain, Scratch(domain, specs, options.transport), options) {}

Exchange::Exchange(Domain& domain, const Scratch& like, const ExchangeOptions& options)
    : Exchange(domain, like.fields, options) {
    arrays_ = std::make_unique<ArraysOfCalls>(domain.partition(), domain.rank(), like.fields);
    keep_.clear();
}

Exchange::Exchange(Domain& domain, MessagePlan plan, std::span<const AnyField* const> sources,
                   std::span<const AnyField* const> targets, const std::string& transport, const MemoryUse& use)
    : Exchange(domain, Chosen{std::move(plan), transport == "auto" ? "p2p" : transport, use.in_place}, sources,
               targets) {}

Exchange::Exchange(Domain& domain, Chosen chosen, std::span<const AnyField* const> sources,
                   std::span<const AnyField* const> targets)
    : domain_(domain),
      plan_(std::move(chosen.plan)),
      transport_(std::move(chosen.transport)),
      choice_(std::move(chosen.why)),
      leaves_land_out_(chosen.leaves_land_out) {
    const MPI_Comm comm = domain.comm();
    require_same(comm, "fields of the exchange", listed(plan_.fields, " | "));
    require_same(comm, "arrival of the exchange", std::string(to_string(plan_.arrival)));
    require_same(comm, "transport", transport_);
    require_same(comm, "phases of the exchange", std::to_string(plan_.phases.size()));
    tag_ = domain.next_tag();
    BoundPlan bound;
    together(comm, [&] { bound = lapwing::bind(plan_, sources, targets); });
    for (BoundPhase& phase : bound.phases) {
        if (domain.node().is_there()) break;
        phase.sends.clear();  // to no rank that exists
        phase.receives.clear();
    }
    connect(bound, chosen);
}

void Exchange::connect(const BoundPlan& bound, const Chosen& chosen) {
    std::vector<PhaseLegs> legs;
    try {
        legs = make_legs(transport_, domain_, tag_.number(), bound, chosen.in_place);
    } catch (const MpiError&) {  // an error of this rank alone
        throw;
    } catch (const OutsideError&) {  // an error of all ranks together
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

void Exchange::require_idle(const char* call) const {
    if (!active_) return;
    user_error("exchange of " + listed(plan_.fields, " | "), concat(call, " while a former start is unfinished"),
               "one start at a time", "wait for the handle that start returned");
}

void Exchange::require_array(int number) const {
    if (arrays_ == nullptr) {
        user_error("exchange of " + listed(plan_.fields, " | "), "an array", "none, as it was made for fields",
                   "make an exchange for their specs, whose arrays come and go");
    }
    if (number >= 0 && number < arrays()) return;
    user_error("number of an array of the exchange of " + listed(plan_.fields, " | "), number,
               concat("0 to below ", arrays(), ", one for each field and box of this rank"),
               "number arrays in the order of the fields");
}

void Exchange::take(int number, const Block& memory) {
    require_idle("an array");
    require_array(number);
    arrays_->take(static_cast<std::size_t>(number), memory);
}

const Block& Exchange::array(int number) const {
    require_array(number);
    return arrays_->block(static_cast<std::size_t>(number));
}

int Exchange::arrays() const { return arrays_ == nullptr ? 0 : arrays_->count(); }

void Exchange::run(std::span<const Block> arrays) {
    if (static_cast<int>(arrays.size()) != this->arrays()) {
        user_error("arrays of the exchange of " + listed(plan_.fields, " | "), arrays.size(),
                   concat(this->arrays(), ", one for each field and box of this rank"), "pass all of them");
    }
    for (std::size_t n = 0; n < arrays.size(); ++n) take(static_cast<int>(n), arrays[n]);
    run();
}

void Exchange::move_to_arrays() {
    arrays_->require_all();
    if (arrays_->laid_out_otherwise()) {
        const std::vector<AnyField> fields = arrays_->as_fields();
        std::vector<const AnyField*> pointers;
        for (const AnyField& field : fields) pointers.push_back(&field);
        const BoundPlan bound = lapwing::bind(plan_, pointers, pointers);
        for (std::size_t p = 0; p < phases_.size(); ++p) phases_[p].rebind(bound, bound.phases[p]);
    } else if (arrays_->any_moved()) {
        for (PhaseOnItsWay& phase : phases_) phase.move(arrays_->moved());
    }
    arrays_->settled();
}

Pending Exchange::start() {
    static_cast<void>(domain_.comm());  // throws after close
    require_idle("start");
    if (arrays_ != nullptr) move_to_arrays();
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
