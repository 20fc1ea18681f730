#pragma once
// What the concentration at an interface is made of: the schemes that the advection of tracers can be run with.

#include <string>
#include <string_view>

namespace lapwing_coast {

// All but `p2` make no new extreme; the formulas are beside `tracer_interface`.
enum class Scheme {
    upstream,  // the cell it flows out of: first order
    p2,        // third order in space and time, unlimited: goes beyond the extremes at fronts
    superbee,  // second order, limited as little as can be: fronts stay steep, and waves become square
    muscl,     // second order, monotonised central: the mean of both slopes, limited
    p2_pdm,    // p2, limited such that no new extreme appears
};

std::string_view to_string(Scheme scheme);
Scheme scheme_from(std::string_view name);  // throws UserError
std::string scheme_names();                 // for errors and settings: "upstream, p2, ... or p2_pdm"

}  // namespace lapwing_coast
