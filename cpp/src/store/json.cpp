#include "store/json.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <type_traits>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr int deepest = 100;  // levels of lists and objects

void append_code(std::string& text, unsigned code) {
    constexpr const char* digits = "0123456789abcdef";
    text += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) text += digits[code >> shift & 0xf];
}

// The next character of UTF-8, of which `at` is then the last byte; invalid bytes stand for themselves.
unsigned next_character(std::string_view from, std::size_t& at) {
    const auto byte = static_cast<unsigned char>(from[at]);
    const int more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0;
    unsigned code = more == 0 ? byte : byte & (0x3fU >> more);
    for (int n = 0; n < more && at + 1 < from.size(); ++n)
        code = code << 6 | (static_cast<unsigned>(from[++at]) & 0x3f);
    return code;
}

void append_quoted(std::string& text, std::string_view value) {
    text += '"';
    for (std::size_t at = 0; at < value.size(); ++at) {
        const char byte = value[at];
        if (byte == '"' || byte == '\\') {
            text += {'\\', byte};
        } else if (byte == '\n') {
            text += "\\n";
        } else if (byte == '\t') {
            text += "\\t";
        } else if (byte >= 0x20 && byte < 0x7f) {
            text += byte;
        } else {
            const unsigned code = next_character(value, at);
            if (code >= 0x10000) {  // two halves
                append_code(text, 0xd800 + ((code - 0x10000) >> 10));
                append_code(text, 0xdc00 + ((code - 0x10000) & 0x3ff));
            } else {
                append_code(text, code);
            }
        }
    }
    text += '"';
}

// Numbers that JSON has no words for have those of Python's json module.
void append_number(std::string& text, double value) {
    if (!std::isfinite(value)) {
        text += std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
        return;
    }
    char digits[32];
    const std::string_view found(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
    text += found;
    if (found.find_first_of(".en") == std::string_view::npos) text += ".0";  // not a whole number
}

// Reads a text from its beginning on.
class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    Json whole() {
        Json value = next(0);
        skip_space();
        if (at_ != text_.size()) refuse("nothing more");
        return value;
    }

  private:
    Json next(int depth) {
        if (depth > deepest) refuse(concat("at most ", deepest, " levels"));
        skip_space();
        if (take('{')) return members(depth);
        if (take('[')) return list(depth);
        if (take('"')) return quoted();
        if (take_word("true")) return true;
        if (take_word("false")) return false;
        if (take_word("null")) return {};
        if (take_word("NaN")) return std::numeric_limits<double>::quiet_NaN();
        if (take_word("Infinity")) return std::numeric_limits<double>::infinity();
        if (take_word("-Infinity")) return -std::numeric_limits<double>::infinity();
        return number();
    }

    Json members(int depth) {
        Json::Members found;
        skip_space();
        if (take('}')) return found;
        do {
            skip_space();
            need('"');
            std::string name = quoted();
            skip_space();
            need(':');
            found.emplace_back(std::move(name), next(depth + 1));
            skip_space();
        } while (take(','));
        need('}');
        return found;
    }

    Json list(int depth) {
        Json::List found;
        skip_space();
        if (take(']')) return found;
        do {
            found.push_back(next(depth + 1));
            skip_space();
        } while (take(','));
        need(']');
        return found;
    }

    std::string quoted() {
        std::string found;
        while (!take('"')) {
            if (at_ == text_.size()) refuse("the end of a text");
            const char byte = text_[at_++];
            if (byte == '\\') {
                escaped(found);
            } else {
                found += byte;
            }
        }
        return found;
    }

    void escaped(std::string& found) {
        if (at_ == text_.size()) refuse("the end of a text");
        const char byte = text_[at_++];
        constexpr std::string_view letters = "nrtbf", meant = "\n\r\t\b\f";
        if (byte == 'u') return append_utf8(found, code());
        const std::size_t known = letters.find(byte);
        found += known == std::string_view::npos ? byte : meant[known];
    }

    unsigned code() {
        const unsigned first = four_digits();
        if (first < 0xd800 || first >= 0xdc00) return first;
        need('\\');
        need('u');
        return 0x10000 + ((first - 0xd800) << 10) + ((four_digits() - 0xdc00) & 0x3ff);
    }

    unsigned four_digits() {
        unsigned value = 0;
        const char* begin = text_.data() + at_;
        const std::size_t left = text_.size() - at_;
        if (left < 4 || std::from_chars(begin, begin + 4, value, 16).ptr != begin + 4) refuse("four digits");
        at_ += 4;
        return value;
    }

    static void append_utf8(std::string& found, unsigned code) {
        if (code < 0x80) {
            found += static_cast<char>(code);
            return;
        }
        const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        found += static_cast<char>((0xff00U >> (more + 1) & 0xff) | code >> (6 * more));
        for (int n = more - 1; n >= 0; --n) found += static_cast<char>(0x80 | (code >> (6 * n) & 0x3f));
    }

    Json number() {
        const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
        const char *begin = text_.data() + at_, *stop = text_.data() + end;
        Index whole = 0;
        double value = 0;
        const auto as_whole = std::from_chars(begin, stop, whole);
        const auto as_value = std::from_chars(begin, stop, value);
        if (begin == stop || as_value.ptr != stop || as_value.ec != std::errc{}) refuse("a value");
        at_ = end;
        if (as_whole.ptr == stop && as_whole.ec == std::errc{}) return whole;
        return value;
    }

    void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }
    bool take(char letter) {
        if (at_ == text_.size() || text_[at_] != letter) return false;
        ++at_;
        return true;
    }
    bool take_word(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    void need(char letter) {
        if (!take(letter)) refuse(concat("'", letter, "'"));
    }
    [[noreturn]] void refuse(const std::string& expected) const {
        user_error(concat("JSON at byte ", at_), concat("'", text_.substr(at_, 20), "'"), expected,
                   "take an intact copy of the file");
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

Json Json::parse(std::string_view text) { return Reader(text).whole(); }

std::string Json::pretty() const {
    std::string text;
    write(text, 0);
    return text;
}

std::string Json::line() const {
    std::string text;
    write(text, -1);
    return text;
}

void Json::write(std::string& text, int indent) const {
    const auto new_line = [&](int by) {
        if (indent >= 0) text.append("\n").append(static_cast<std::size_t>(by), ' ');
    };
    const int inside = indent < 0 ? -1 : indent + 1;
    const auto enclosed = [&](const auto& items, char open, char close, const auto& write_item) {
        text += open;
        for (const auto& item : items) {
            if (&item != &items.front()) text += indent < 0 ? ", " : ",";
            new_line(inside);
            write_item(item);
        }
        if (!items.empty()) new_line(indent);
        text += close;
    };
    std::visit(
        [&]<class Kind>(const Kind& value) {
            if constexpr (std::is_same_v<Kind, std::monostate>) text += "null";
            if constexpr (std::is_same_v<Kind, bool>) text += value ? "true" : "false";
            if constexpr (std::is_same_v<Kind, Index>) text += std::to_string(value);
            if constexpr (std::is_same_v<Kind, double>) append_number(text, value);
            if constexpr (std::is_same_v<Kind, std::string>) append_quoted(text, value);
            if constexpr (std::is_same_v<Kind, List>)
                enclosed(value, '[', ']', [&](const Json& item) { item.write(text, inside); });
            if constexpr (std::is_same_v<Kind, Members>)
                enclosed(value, '{', '}', [&](const std::pair<std::string, Json>& member) {
                    append_quoted(text, member.first);
                    text += ": ";
                    member.second.write(text, inside);
                });
        },
        value_);
}

const Json* Json::find(std::string_view name) const {
    for (const auto& [own, value] : members())
        if (own == name) return &value;
    return nullptr;
}

const Json& Json::at(std::string_view name) const {
    const Json* found = find(name);
    if (found == nullptr) user_error("JSON", "no " + std::string(name), "one", "take an intact copy of the file");
    return *found;
}

void Json::refuse(const char* expected) const {
    user_error("JSON", line(), expected, "take an intact copy of the file");
}

}  // namespace lapwing
