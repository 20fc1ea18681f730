#pragma once
// JSON: the form of a store's metadata. Values, their text as Python's json module writes it, and the reader.

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lapwing/grid/box.hpp"

namespace lapwing {

// A value. Objects keep the order of their members.
class Json {
  public:
    using List = std::vector<Json>;
    using Members = std::vector<std::pair<std::string, Json>>;

    Json() = default;  // null
    Json(bool value) : value_(value) {}
    Json(int value) : value_(Index{value}) {}
    Json(Index value) : value_(value) {}
    Json(double value) : value_(value) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(std::string_view value) : value_(std::string(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(List value) : value_(std::move(value)) {}
    Json(Members value) : value_(std::move(value)) {}

    // The value that a text says. Throws UserError naming the place where it is no JSON. Local.
    static Json parse(std::string_view text);
    // One value per line, indented by one space a level; or all in one line. Local.
    [[nodiscard]] std::string pretty() const;
    [[nodiscard]] std::string line() const;

    // The value. All throw UserError for another kind of value, and for a missing member.
    [[nodiscard]] const std::string& text() const { return of<std::string>("a text"); }
    [[nodiscard]] Index number() const { return of<Index>("a whole number"); }
    [[nodiscard]] const List& list() const { return of<List>("a list"); }
    [[nodiscard]] const Members& members() const { return of<Members>("an object"); }
    [[nodiscard]] const Json& at(std::string_view name) const;
    // Null if there is no such member.
    [[nodiscard]] const Json* find(std::string_view name) const;

    friend bool operator==(const Json&, const Json&) = default;

  private:
    template <class Kind>
    const Kind& of(const char* expected) const;
    [[noreturn]] void refuse(const char* expected) const;
    void write(std::string& text, int indent) const;

    std::variant<std::monostate, bool, Index, double, std::string, List, Members> value_;
};

template <class Kind>
const Kind& Json::of(const char* expected) const {
    const Kind* found = std::get_if<Kind>(&value_);
    if (found == nullptr) refuse(expected);
    return *found;
}

}  // namespace lapwing
