#pragma once
// The water of the boxes that stages compute: what is left of them without their land.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lapwing/grid/mask.hpp"
#include "lapwing/plan/field_spec.hpp"
#include "lapwing/schedule/stage.hpp"
#include "schedule/land/wet_parts.hpp"
#include "schedule/zones/zoning.hpp"

namespace lapwing {

// Knows the land that no stage needs to compute: columns that are dry in all fields that the stage writes, if all of
// these are constant on land. A stage that ends with work of all ranks computes everything: its number may come from
// land, and its work may undo what the kernel did there.
class Water {
  public:
    // `places`: for each field the place of its values in a cell, or nothing if its land may change.
    Water(std::shared_ptr<const Mask> mask, std::vector<std::optional<Location>> places,
          NorthFold fold = NorthFold::none)
        : mask_(std::move(mask)), places_(std::move(places)), fold_(fold) {}

    // Describes the mask: another one has another text, except for bad luck. Local.
    [[nodiscard]] std::string fingerprint() const;
    // Returns the parts of `box` that the stage computes. Remembers them: nodes and strategies meet the same boxes
    // again. Local.
    [[nodiscard]] const std::vector<Box>& parts(const StageSpec& stage, const Box& box, const BoxCost& cost) const;

  private:
    using Places = std::vector<Location>;  // distinct, ascending
    // The places of what the stage writes; nothing if it computes land too.
    [[nodiscard]] std::optional<Places> places_of(const StageSpec& stage) const;
    [[nodiscard]] std::vector<Box> cut(const Places& places, const Box& box, const BoxCost& cost) const;

    std::shared_ptr<const Mask> mask_;
    std::vector<std::optional<Location>> places_;
    NorthFold fold_;
    mutable std::map<std::tuple<Places, Box, BoxCost>, std::vector<Box>> known_;
};

// Returns the zones cut to the water of the step. `in_cache`: its stages find what they read in a cache. Local.
Zoning without_land(Zoning zoning, const RankStep& step, bool in_cache);

}  // namespace lapwing
