#pragma once
// Structs that list their own settings: what binds them, reads them or compares them between ranks follows the list.
//
//     struct Sea {
//         double depth = 60.0;
//         Shape shape = Shape::flat;
//
//         static constexpr std::tuple declared{lapwing::Setting{"depth", &Sea::depth, "m"},
//                                              lapwing::Setting{"shape", &Sea::shape, "of the bottom"}};
//     };
//
// An enum is a setting by the names of its values, which `names_of(Shape)` in its namespace returns.

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "lapwing/base/digest.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

// A member of a struct that a case file may set.
template <class Struct, class Value>
struct Setting {
    const char* name;
    Value Struct::* member;
    const char* about;  // with the unit
};
template <class Struct, class Value>  // clang 16 deduces nothing for aggregates by itself
Setting(const char*, Value Struct::*, const char*) -> Setting<Struct, Value>;

// A struct that lists its settings.
template <class T>
concept HasSettings = requires { T::declared; };

// Runs `visit` on every Setting of a struct, in order. Local.
template <HasSettings Struct, class Visit>
constexpr void for_each_setting(Visit&& visit) {
    std::apply([&](const auto&... setting) { (visit(setting), ...); }, Struct::declared);
}

// The values of an enum with their names.
template <class Enum, std::size_t count>
using Names = std::array<std::pair<Enum, std::string_view>, count>;

// An enum whose values have names.
template <class T>
concept HasNames = std::is_enum_v<T> && requires(T value) { names_of(value); };

// The name of a value. Local.
template <HasNames Enum>
std::string_view name_of(Enum value) {
    return std::ranges::find(names_of(value), value, [](const auto& one) { return one.first; })->second;
}

// The value of this name. Local; throws UserError, naming `what` and the choices, if no value has it.
template <HasNames Enum>
Enum value_of(std::string_view what, std::string_view name) {
    const auto& all = names_of(Enum{});
    const auto found = std::ranges::find(all, name, [](const auto& one) { return one.second; });
    if (found != all.end()) return found->first;
    std::string listed;
    for (std::size_t n = 0; n < all.size(); ++n)
        listed.append(n == 0 ? "" : n + 1 < all.size() ? ", " : " or ").append(all[n].second);
    user_error(what, name, listed, "choose one of these");
}

// Writes a value of a setting to the bit; for a list of numbers, its count and digest. Local.
template <class Value>
void write_setting(std::ostream& out, const Value& value) {
    if constexpr (HasSettings<Value>) {
        for_each_setting<Value>(
            [&](const auto& setting) { write_setting(out << ' ' << setting.name << ' ', value.*setting.member); });
    } else if constexpr (HasNames<Value>) {
        out << name_of(value);
    } else if constexpr (std::is_arithmetic_v<Value>) {
        out << std::setprecision(17) << value;
    } else if constexpr (requires { to_string(value); }) {
        out << to_string(value);
    } else if constexpr (requires { std::tuple_size<Value>::value; } ||
                         !std::is_arithmetic_v<typename Value::value_type>) {
        for (const auto& one : value) write_setting(out << ' ', one);
    } else {
        out << value.size() << " values " << Digest().add(value).text();
    }
}

// The settings as text, equal where all values have the same bits. Local.
template <HasSettings Struct>
std::string text_of(const Struct& settings) {
    std::ostringstream out;
    write_setting(out, settings);
    return out.str();
}

}  // namespace lapwing
