#pragma once
// ArrayExchange: the halo exchange of arrays that come and go.

#include <span>
#include <vector>

#include "lapwing/exchange/exchange.hpp"

namespace lapwing {

// An exchange that is made for specs and moves the arrays that `take` gives it. Arrays are numbered in the order of the
// specs; if a rank owns several boxes, the arrays of one spec follow each other. It starts once all arrays were given;
// they must live until it has been waited for.
class ArrayExchange : public Exchange {
  public:
    // Uses transports that pack: not datatype, direct or pull; `shared` reads nothing in place. `auto` measures on
    // memory in the order of the specs. Collective; throws what `halo_route` and Exchange throw, on all ranks.
    ArrayExchange(Domain& domain, std::span<const FieldSpec> specs, const ExchangeOptions& options = {});

    // Says where array `number` lies from the next start on, until the next call for it: `memory` says where (data),
    // which cells it holds (allocated), and its strides in bytes; its other members are not looked at. Throws UserError
    // while it is active, for another number, no data, cells that do not hold the box and its halo, or strides that are
    // no multiples of the value size. Cost: some additions per message; microseconds if cells or strides have changed.
    // Local.
    void take(int number, const Block& memory);
    // Returns where array `number` lies; before one was given, the box and the cells that it has to hold. Throws
    // UserError for another number. Local.
    [[nodiscard]] const Block& array(int number) const;
    // Returns the number of arrays. Local.
    [[nodiscard]] int arrays() const { return static_cast<int>(blocks_.size()); }
    using Exchange::run;
    // The same for these arrays, one for each number: `take` each, start and wait.
    void run(std::span<const Block> arrays);

  protected:
    // Moves what a route says between arrays of these shapes. Collective; throws what Exchange throws.
    ArrayExchange(Domain& domain, Route route, std::span<const AnyField* const> shapes);
    void prepare() override;
    // Throws UserError unless there are as many arrays as it takes. Local.
    void require_count(std::size_t given) const;
    [[nodiscard]] const FieldSpec& spec_of(std::size_t number) const { return plan().fields[number / boxes_]; }

  private:
    struct Scratch;
    ArrayExchange(Domain& domain, const Scratch& like, const ExchangeOptions& options);
    void require_all() const;
    [[nodiscard]] std::vector<AnyField> as_fields() const;

    std::size_t boxes_;          // boxes of this rank
    std::vector<Block> blocks_;  // specs outermost
    std::vector<char> given_;
    std::vector<Index> moved_;  // how far each array has moved since the last start, bytes
    bool any_moved_ = false;
    bool laid_out_otherwise_ = false;  // true if any array has had other strides or cells at the last start
};

}  // namespace lapwing
