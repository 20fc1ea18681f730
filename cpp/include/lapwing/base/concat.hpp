#pragma once
// Texts of parts: <format> comes with GCC 13 only.

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

namespace lapwing {

// A text or a number that is appended to a text. Local.
template <class Part>
void append(std::string& text, const Part& part) {
    if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
        text += std::string_view(part);
    } else if constexpr (std::is_same_v<Part, char>) {
        text += part;
    } else {
        using std::to_string;  // for numbers; other types have their own in their namespace
        text += to_string(part);
    }
}

// Joins the parts: texts, numbers, and values that have a `to_string`. Local.
template <class... Parts>
[[nodiscard]] std::string concat(const Parts&... parts) {
    std::string text;
    (append(text, parts), ...);
    return text;
}

// Joins what `of` returns for each item, with `separator` between them. Local.
template <class Items, class Of = std::identity>
[[nodiscard]] std::string listed(Items&& items, std::string_view separator = ", ", Of of = {}) {
    std::string text;
    bool first = true;
    for (const auto& item : items) {
        if (!first) text += separator;
        append(text, std::invoke(of, item));
        first = false;
    }
    return text;
}

}  // namespace lapwing
