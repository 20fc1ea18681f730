#include "lapwing/exchange/route.hpp"

#include <algorithm>
#include <array>

#include "exchange/transport_choice.hpp"
#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/plan/chunks.hpp"
#include "plan/early_messages.hpp"

namespace lapwing {

namespace {

std::string to_string(const ExchangeOptions& options) {
    std::string text = options.corners == Corners::cheapest  ? "best corners"
                       : options.corners == Corners::ordered ? "ordered corners"
                                                             : "direct corners";
    if (options.direction == Direction::copy_back) text += ", reverse, replaced";
    if (options.direction == Direction::add_back) text += ", reverse, added";
    if (options.wet != nullptr) {
        text += concat(", wet only, mask ", options.wet->fingerprint(), ", ", options.wet_rules.form,
                       options.wet_rules.declared_only ? " of fields that are constant on land" : "");
    }
    return concat(text, ", ", options.transport);
}

// Less than the eager limits that MPI libraries have over TCP. Between nodes a message beyond such a limit may take two
// or three times as long as the same bytes in several.
constexpr Index tried_chunk = Index{32} << 10;

// The share of the bytes that all ranks send with their land which `automatic` must leave at most: shorter messages in
// more pieces have to pay for the exchanges with land that steps begin with.
constexpr double worth_it = 0.95;

// The same options without a useless mask, where no field may lose its land, and with `automatic` decided. Collective
// if it must be decided.
ExchangeOptions settled(const Domain& domain, std::span<const FieldSpec> specs, ExchangeOptions options) {
    WetRules& rules = options.wet_rules;
    const bool allowed = !rules.declared_only || std::ranges::any_of(specs, &FieldSpec::constant_on_land);
    if (rules.form == WetForm::off || !allowed) options.wet = nullptr;
    if (options.wet == nullptr || rules.form != WetForm::automatic) return options;
    rules.form = WetForm::lists;
    if (!domain.node().is_there()) return options;  // this process knows one rank, and others would decide otherwise
    std::array<Index, 2> bytes{};                   // bytes with land and without
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

}  // namespace

MessagePlan exchange_plan(const Partition& partition, int rank, std::span<const FieldSpec> fields,
                          const ExchangeOptions& options) {
    if (options.direction != Direction::fill)
        require_no_turns(partition.grid(), "reverse exchange", "read around a cell instead of writing around it");
    MessagePlan plan = halo_plan(partition, rank, fields, options.corners);
    if (options.wet != nullptr) {
        check_size(*options.wet, partition.grid());
        plan = wet_only(plan, *options.wet, {}, options.wet_rules);
    }
    if (options.direction == Direction::fill) return messages_first(std::move(plan));
    return reversed(plan, options.direction == Direction::add_back ? Arrival::add : Arrival::replace);
}

// Nothing may throw on one rank only, or the other ranks wait for its messages for ever.
Route halo_route(Domain& domain, std::span<const AnyField* const> fields, std::span<const FieldSpec> specs,
                 const ExchangeOptions& given) {
    require_same(domain.comm(), "options of the exchange", to_string(given));
    require_same(domain.comm(), "fields of the exchange", listed(specs, " | "));
    ExchangeOptions options = settled(domain, specs, given);
    const bool measured = options.transport == "auto", leaves_land_out = options.wet != nullptr;
    std::vector<MessagePlan> plans;
    int split = -1;
    together(domain.comm(), [&] {
        for (const AnyField* field : fields) field->require_memory();
        const auto plan = [&] { return exchange_plan(domain.partition(), domain.rank(), specs, options); };
        plans.push_back(plan());
        // a reverse exchange adds in the order of its plan: another plan, other bits
        if (!measured || options.direction != Direction::fill) return;
        if (options.corners == Corners::cheapest && best_corners(domain.partition()) == Corners::ordered) {
            options.corners = Corners::direct;
            plans.push_back(plan());
        }
        if (domain.node().ranks() == domain.ranks()) return;
        split = static_cast<int>(plans.size());
        plans.push_back(in_chunks(plans[0], tried_chunk));
    });
    if (!measured && options.transport != "shared")
        return {std::move(plans[0]), options.transport, true, false, leaves_land_out};
    const TransportChoice choice = fastest_transport(domain, options.transport, plans, fields, split);
    return {std::move(plans[choice.plan]),         choice.transport, choice.in_place,
            measured && choice.transport != "p2p", leaves_land_out,  measured ? choice.why : std::string()};
}

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

}  // namespace lapwing
