#pragma once
// Choices and what people call them: an array of pairs of a value of an enum and its name.

#include <algorithm>
#include <string>
#include <string_view>

#include "lapwing/base/error.hpp"

namespace lapwing_coast {

template <class Table, class Value>
std::string_view name_of(const Table& table, Value value) {
    return std::ranges::find(table, value, &Table::value_type::first)->second;
}

// "a, b or c"
template <class Table>
std::string listed(const Table& table) {
    std::string text;
    for (std::size_t n = 0; n < table.size(); ++n) {
        if (n > 0) text += n + 1 < table.size() ? ", " : " or ";
        text += table[n].second;
    }
    return text;
}

// Throws UserError, naming `what` and the choices, for a name that is not in the table.
template <class Table>
auto value_of(const Table& table, std::string_view what, std::string_view name) {
    const auto found = std::ranges::find(table, name, &Table::value_type::second);
    if (found == table.end()) lapwing::user_error(what, name, listed(table), "choose one of these");
    return found->first;
}

}  // namespace lapwing_coast
