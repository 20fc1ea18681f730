#pragma once
// Halo exchange of a masked grid without its land: the same plan, wet values only.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lapwing/grid/mask.hpp"
#include "lapwing/plan/message_plan.hpp"

namespace lapwing {

// The costs of moving, to weigh land that travels along against more and smaller pieces: bytes, and for every walk over
// the columns of a message its pieces and the columns that a list names. Columns are walked once where levels and
// components are faster than x and y in the message, else once for each slower level and component. The defaults are
// rough: packing and unpacking halos of width 2 in cache took 0.02 to 0.4 ns per byte on an AMD EPYC that had other
// work to do, one piece more mostly 3 to 9 ns per walk, a listed column 1.4 to 5 ns where it holds one value per walk
// (with 60 levels in it the plain loop took 200). What sending adds to a byte is a guess.
struct WetCost {
    double seconds_per_byte = 2e-10;
    double seconds_per_piece = 8e-9;
    double seconds_per_column = 1.5e-9;
};

// The forms that pieces with land may take, each including the forms before it: nothing at all; their part within the
// wet bounds; several patches; index lists. `automatic`: lists where they make messages shorter by enough, else off.
enum class WetForm { off, clip, patches, lists, automatic };

std::string_view to_string(WetForm form);      // "off", "clip", "patches", "lists", "auto"
std::vector<std::string> wet_form_names();     // these
WetForm wet_form_from(std::string_view name);  // throws UserError

// Says which pieces may take which form.
struct WetRules {
    WetForm form = WetForm::lists;  // a plan of its own knows no others: `automatic` is the same here
    bool declared_only = false;     // only of fields that are constant on land; the others stay whole
};

// The mask of a domain whose steps leave land out, and the form of their messages; null: they do not know any land.
struct Land {
    std::shared_ptr<const Mask> mask{};
    WetForm messages = WetForm::off;
};

// True if a value at column (i, j) is wet: a face or corner when any cell that touches it is, across the edge of the
// grid, or its north fold, too. Local.
bool touches_water(const Mask& mask, Index i, Index j, Location location, NorthFold fold = NorthFold::none);

// Throws UserError where a fold through T points passes through a row of which the halves differ: both are one sea.
// Local.
void check_fold_row(const Mask& mask, NorthFold fold);

// Returns the plan without its land. Each piece becomes whichever costs least: nothing (all dry), itself, its part
// within the wet bounds, several patches around the wet columns, or an index list of them. Values are wet where their
// location is: a face or corner when any cell that touches it is wet, across the edge of the grid too (a plan does not
// know whether an axis is periodic; at a closed edge a dry face may travel in vain). Pieces without land stay as they
// are, and so do pieces of the array of a whole grid, of fields with a frame, and pieces that `rules` exclude; messages
// without pieces vanish on both sides. Every wet value arrives as it does in `plan`. Some dry values arrive and some do
// not: results stay the same as long as dry cells, in halos too, hold a constant fill that nothing changes. `mask` must
// be the mask of the grid, the same on all ranks. Throws UserError if it is seen to be smaller, and as `check_fold_row`
// does. Local, equal arguments give matching plans. Cost: the number of columns in the plan, for each field.
MessagePlan wet_only(const MessagePlan& plan, const Mask& mask, const WetCost& cost = {}, const WetRules& rules = {});

// The messages of this rank before and after the land was left out, and the forms that its pieces took.
struct WetShare {
    Index bytes_before = 0, bytes_after = 0;
    int messages_before = 0, messages_after = 0;
    int dry = 0, whole = 0, clipped = 0, patched = 0, listed = 0;  // pieces of the plan before

    WetShare& operator+=(const WetShare& other);  // adds the pieces of another rank
    friend bool operator==(const WetShare&, const WetShare&) = default;
};

// Compares `plan` with `wet`, which `wet_only` made of it. Local.
WetShare wet_share(const MessagePlan& plan, const MessagePlan& wet);

// Describes it in one line, with the share of the bytes that is saved.
std::string to_string(const WetShare& share);

}  // namespace lapwing
