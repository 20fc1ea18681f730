#include "lapwing_coast/tracer/tracer_scheme.hpp"

#include <array>
#include <utility>

#include "name_table.hpp"

namespace lapwing_coast {

namespace {

constexpr std::array<std::pair<Scheme, std::string_view>, 5> names{{{Scheme::upstream, "upstream"},
                                                                    {Scheme::p2, "p2"},
                                                                    {Scheme::superbee, "superbee"},
                                                                    {Scheme::muscl, "muscl"},
                                                                    {Scheme::p2_pdm, "p2_pdm"}}};

}  // namespace

std::string_view to_string(Scheme scheme) { return name_of(names, scheme); }

Scheme scheme_from(std::string_view name) { return value_of(names, "scheme", name); }

std::string scheme_names() { return listed(names); }

}  // namespace lapwing_coast
