#pragma once
// Halo on demand: exchanges of the same fields in several widths, planned beforehand.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lapwing/exchange/exchange.hpp"

namespace lapwing {

// One exchange per extent. Only one of them may be in flight at a time: they share halos.
class HaloVariants {
  public:
    // Plans the exchange of `fields` once for every extent: per side and field the smaller of it and of what the field
    // was made for. Collective over the domain. Throws UserError on all ranks when there is no extent, one reaches
    // further than every field on any side, or the ranks disagree. Cost: that of an exchange, per extent.
    HaloVariants(Domain& domain, std::span<const AnyField* const> fields, std::vector<Extent> extents,
                 const ExchangeOptions& options = {});
    HaloVariants(const HaloVariants&) = delete;
    HaloVariants& operator=(const HaloVariants&) = delete;

    // Starts the narrowest variant that covers `extent`; halo cells beyond it stay as they are. Local: the caller
    // promises that all ranks ask alike, or the exchange never completes. Throws UserError when no variant covers it,
    // or one is in flight.
    Pending start(const Extent& extent);

    // Starts the narrowest variant that covers what every rank asks for. Collective; throws UserError on all ranks when
    // no variant does, or one is in flight on any of them. Cost: one reduction of eight numbers, which blocks.
    Pending start_agreed(const Extent& mine);

    // What was planned, narrowest first: by the sum of the widths, of equal ones those without corners. Local.
    [[nodiscard]] const std::vector<Extent>& extents() const { return extents_; }
    // The exchange that `start` would start. Local; throws UserError when no variant covers `extent`.
    [[nodiscard]] const Exchange& variant(const Extent& extent) const { return *exchanges_[number_of(extent)]; }
    // Bytes of message buffers of all variants on this rank. Local.
    [[nodiscard]] Index buffer_bytes() const;

  private:
    [[nodiscard]] std::size_t number_of(const Extent& extent) const;
    [[nodiscard]] bool active() const;
    void require_idle(bool active) const;

    Domain& domain_;
    std::string fields_;  // names, for errors
    std::vector<Extent> extents_;
    std::vector<std::unique_ptr<Exchange>> exchanges_;  // one per extent
};

}  // namespace lapwing
