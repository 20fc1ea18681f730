#include "lapwing/schedule/strategy.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

// Returns how many letters have to be put in, taken out or replaced to get from one word to the other.
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> above(to.size() + 1);
    std::iota(above.begin(), above.end(), std::size_t{0});
    for (const char letter : from) {
        std::size_t diagonal = above[0]++;
        for (std::size_t j = 0; j < to.size(); ++j) {
            const std::size_t replaced = diagonal + (letter == to[j] ? 0 : 1);
            diagonal = above[j + 1];
            above[j + 1] = std::min({replaced, above[j] + 1, diagonal + 1});
        }
    }
    return above.back();
}

// Returns the remedy for an unknown name: the nearest known one, if one is near.
std::string remedy(std::string_view name) {
    const std::vector<std::string> names = strategy_names();
    const auto far = [&](const std::string& known) { return distance(name.substr(0, 64), known); };
    const auto nearest = std::ranges::min_element(names, {}, far);
    const std::size_t letters = far(*nearest);
    const bool near = letters < name.size() && letters <= std::max<std::size_t>(2, nearest->size() / 3);
    return near ? "did you mean " + *nearest + "?" : "choose a strategy by its name";
}

[[noreturn]] void refuse(std::string_view name) {
    user_error("strategy", name,
               "one of: " + listed(strategy_names()) +
                   "; 6s:alpha with any alpha from 0 to 1, dataflow:tiles, tiled:rows and deep:k with any "
                   "number from 1, deep:k+dataflow, deep:k+tiled",
               remedy(name));
}

// Returns what stands behind `head` in `head:...`, or in the older `head(...)`, which a shell needs quotes for.
std::optional<std::string_view> argument(std::string_view name, std::string_view head) {
    if (!name.starts_with(head) || name.size() < head.size() + 2) return {};
    const std::string_view behind = name.substr(head.size());
    if (behind.front() == ':') return behind.substr(1);
    if (behind.front() != '(' || behind.back() != ')') return {};
    return behind.substr(1, behind.size() - 2);
}

template <class Number>
std::optional<Number> number(std::string_view text) {
    Number value{};
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

std::optional<Order> plain_order(std::string_view name) {
    if (name == "blocking" || name == "1s") return Order::blocking;
    if (name == "3s") return Order::three;
    if (name == "5s") return Order::five;
    if (name == "6s") return Order::six;
    if (name == "dataflow") return Order::dataflow;
    if (name == "tiled") return Order::tiled;
    return {};
}

std::optional<Strategy> parse_order(std::string_view name) {
    if (const auto order = plain_order(name)) return Strategy{.order = *order};
    if (name == "edge-first") return Strategy{.order = Order::edge_first};
    if (const auto version = argument(name, "edge-first"); version == "A" || version == "B")
        return Strategy{.order = Order::edge_first, .whole_chain = version == "A"};
    if (const auto inside = argument(name, "6s")) {
        const auto alpha = number<double>(*inside);
        if (alpha && *alpha >= 0.0 && *alpha <= 1.0) return Strategy{.order = Order::six_alpha, .alpha = *alpha};
    }
    if (const auto inside = argument(name, "dataflow")) {
        const auto tiles = number<int>(*inside);
        if (tiles && *tiles >= 1) return Strategy{.order = Order::dataflow, .tiles = *tiles};
    }
    if (const auto inside = argument(name, "tiled")) {
        const auto rows = number<int>(*inside);
        if (rows && *rows >= 1) return Strategy{.order = Order::tiled, .rows = *rows};
    }
    return {};
}

// Uses the fewest digits that give the same number.
std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string order_name(const Strategy& strategy) {
    switch (strategy.order) {
        case Order::blocking:
            return "blocking";
        case Order::three:
            return "3s";
        case Order::five:
            return "5s";
        case Order::six:
            return "6s";
        case Order::edge_first:
            return strategy.whole_chain ? "edge-first" : "edge-first:B";
        case Order::dataflow:
            return strategy.tiles == 0 ? "dataflow" : concat("dataflow:", strategy.tiles);
        case Order::tiled:
            return strategy.rows == 0 ? "tiled" : concat("tiled:", strategy.rows);
        case Order::six_alpha:
            break;
    }
    return concat("6s:", shortest(strategy.alpha));
}

}  // namespace

std::vector<std::string> strategy_names() {
    return {"blocking",   "3s",    "5s",      "6s",     "6s:0.3", "edge-first",        "edge-first:B", "dataflow",
            "dataflow:4", "tiled", "tiled:4", "deep:2", "deep:4", "deep:1+dataflow:4", "deep:2+tiled", "auto"};
}

Strategy parse_strategy(std::string_view name) {
    if (name == "auto") return Strategy{.automatic = true};
    const std::size_t plus = name.find('+');
    const auto repetitions = argument(name.substr(0, plus), "deep");
    if (!repetitions) {
        if (const auto strategy = parse_order(name)) return *strategy;
        refuse(name);
    }
    const auto order = plus == std::string_view::npos ? Strategy{} : parse_order(name.substr(plus + 1));
    const auto k = number<int>(*repetitions);
    if (!order || !k || *k < 1) refuse(name);
    Strategy strategy = *order;
    strategy.repetitions = *k;
    return strategy;
}

Strategy on_grid(Strategy strategy, const Grid& grid) {
    if (turns(grid)) strategy.repetitions = 0;
    return strategy;
}

std::string to_string(const Strategy& strategy) {
    if (strategy.automatic) return "auto";
    if (strategy.repetitions == 0) return order_name(strategy);
    const std::string deep = concat("deep:", strategy.repetitions);
    return strategy.order == Order::blocking ? deep : deep + "+" + order_name(strategy);
}

}  // namespace lapwing
