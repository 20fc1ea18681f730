#include "lapwing/exchange/array_exchange.hpp"

#include <algorithm>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/transport/transport.hpp"

namespace lapwing {

namespace {

std::vector<const AnyField*> pointers(const std::vector<AnyField>& fields) {
    std::vector<const AnyField*> all;
    for (const AnyField& field : fields) all.push_back(&field);
    return all;
}

}  // namespace

// Memory that is there while an exchange of arrays is made: nothing is bound to any later.
struct ArrayExchange::Scratch {
    Scratch(Domain& domain, std::span<const FieldSpec> specs, const std::string& transport) {
        require_same(domain.comm(), "fields of the exchange", listed(specs, " | "));
        together(domain.comm(), [&] {
            require_packing(transport);
            for (const FieldSpec& spec : specs)
                memory.push_back(AnyField::with_own_pages(domain.partition(), domain.rank(), spec));
        });
    }

    std::vector<AnyField> memory;
};

ArrayExchange::ArrayExchange(Domain& domain, std::span<const FieldSpec> specs, const ExchangeOptions& options)
    : ArrayExchange(domain, Scratch(domain, specs, options.transport), options) {}

ArrayExchange::ArrayExchange(Domain& domain, const Scratch& like, const ExchangeOptions& options)
    : ArrayExchange(domain, halo_route(domain, pointers(like.memory), specs_of(pointers(like.memory)), options),
                    pointers(like.memory)) {}

ArrayExchange::ArrayExchange(Domain& domain, Route route, std::span<const AnyField* const> shapes)
    : Exchange(domain, std::move(route), shapes, shapes),
      boxes_(domain.partition().subdomains_of(domain.rank()).size()) {
    for (const AnyField* field : shapes) blocks_.insert(blocks_.end(), field->blocks().begin(), field->blocks().end());
    given_.resize(blocks_.size());
    moved_.resize(blocks_.size());
    forget_memory();
}

const Block& ArrayExchange::array(int number) const {
    if (number < 0 || number >= arrays()) {
        user_error("number of an array of the exchange of " + listed(plan().fields, " | "), number,
                   concat("0 to below ", arrays(), ", one for each field and box of this rank"),
                   "number arrays in the order of the fields");
    }
    return blocks_[static_cast<std::size_t>(number)];
}

void ArrayExchange::take(int number, const Block& memory) {
    require_idle("an array");
    static_cast<void>(array(number));  // throws for another number
    const auto n = static_cast<std::size_t>(number);
    Block& now = blocks_[n];
    if (memory.data == nullptr) {
        user_error("array of field " + spec_of(n).name, "none", "memory of the box and its halo",
                   "allocate the array, or leave out a field that there is none for");
    }
    if (memory.allocated != now.allocated || memory.strides != now.strides) {
        Block block = memory;
        block.subdomain = now.subdomain;
        block.owned = now.owned;
        check_block(block, spec_of(n), now.owned);
        now.allocated = memory.allocated;
        now.strides = memory.strides;
        laid_out_otherwise_ = true;
    }
    given_[n] = 1;
    if (memory.data == now.data) return;
    moved_[n] += memory.data - now.data;
    now.data = memory.data;
    any_moved_ = true;
}

void ArrayExchange::require_count(std::size_t given) const {
    if (static_cast<int>(given) == arrays()) return;
    user_error("arrays of the exchange of " + listed(plan().fields, " | "), given,
               concat(arrays(), ", one for each field and box of this rank"), "pass all of them");
}

void ArrayExchange::run(std::span<const Block> arrays) {
    require_count(arrays.size());
    for (std::size_t n = 0; n < arrays.size(); ++n) take(static_cast<int>(n), arrays[n]);
    run();
}

void ArrayExchange::prepare() {
    require_all();
    if (laid_out_otherwise_) {
        const std::vector<AnyField> fields = as_fields();
        rebind(pointers(fields));
    } else if (any_moved_) {
        move(moved_);
    }
    std::ranges::fill(moved_, 0);
    any_moved_ = laid_out_otherwise_ = false;
}

void ArrayExchange::require_all() const {
    const auto missing = std::ranges::find(given_, 0);
    if (missing == given_.end()) return;
    const auto n = static_cast<std::size_t>(missing - given_.begin());
    user_error("arrays of the exchange of " + listed(plan().fields, " | "), concat("none for field ", spec_of(n).name),
               concat(arrays(), ", one for each field and box of this rank"),
               "give it an array before the first start");
}

std::vector<AnyField> ArrayExchange::as_fields() const {
    std::vector<AnyField> fields;
    auto first = blocks_.begin();
    for (const FieldSpec& spec : plan().fields) {
        const auto last = first + static_cast<Index>(boxes_);
        fields.emplace_back(domain().partition(), domain().rank(), spec, std::vector<Block>(first, last), nullptr);
        first = last;
    }
    return fields;
}

}  // namespace lapwing
