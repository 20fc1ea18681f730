#pragma once
// The concentration at an interface: the schemes that the advection of tracers can be run with.

#include "lapwing/base/settings.hpp"

namespace lapwing_coast {

// All but `p2` make no new extreme; the formulas are next to `TracerInterface`.
enum class Scheme {
    upstream,  // the cell it flows out of: first order
    p2,        // third order in space and time, unlimited: goes beyond the extremes at fronts
    superbee,  // second order, limited as little as can be: fronts stay steep, and waves become square
    muscl,     // second order, monotonised central: the mean of both slopes, limited
    p2_pdm,    // p2, limited such that no new extreme appears
};

inline constexpr lapwing::Names<Scheme, 5> schemes{{{Scheme::upstream, "upstream"},
                                                    {Scheme::p2, "p2"},
                                                    {Scheme::superbee, "superbee"},
                                                    {Scheme::muscl, "muscl"},
                                                    {Scheme::p2_pdm, "p2_pdm"}}};
constexpr const auto& names_of(Scheme) { return schemes; }

}  // namespace lapwing_coast
