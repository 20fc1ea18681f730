#include "lapwing/schedule/strategy.hpp"

#include <charconv>
#include <optional>

#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

[[noreturn]] void refuse(std::string_view name) {
    user_error("strategy", name,
               "one of: " + listed(strategy_names()) +
                   "; 6s(alpha) with any alpha from 0 to 1, dataflow(tiles), tiled(rows) and deep(k) with any "
                   "number from 1, deep(k)+dataflow, deep(k)+tiled",
               "choose a strategy by its name");
}

// Returns the text in the brackets of `name`, if it is `head(...)`.
std::optional<std::string_view> argument(std::string_view name, std::string_view head) {
    if (!name.starts_with(head) || name.size() < head.size() + 3) return {};
    if (name[head.size()] != '(' || name.back() != ')') return {};
    return name.substr(head.size() + 1, name.size() - head.size() - 2);
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
    if (name == "edge-first" || name == "edge-first(A)") return Strategy{.order = Order::edge_first};
    if (name == "edge-first(B)") return Strategy{.order = Order::edge_first, .whole_chain = false};
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
            return strategy.whole_chain ? "edge-first" : "edge-first(B)";
        case Order::dataflow:
            return strategy.tiles == 0 ? "dataflow" : concat("dataflow(", strategy.tiles, ")");
        case Order::tiled:
            return strategy.rows == 0 ? "tiled" : concat("tiled(", strategy.rows, ")");
        case Order::six_alpha:
            break;
    }
    return concat("6s(", shortest(strategy.alpha), ")");
}

}  // namespace

std::vector<std::string> strategy_names() {
    return {"blocking",      "3s",          "5s",    "6s",       "6s(0.3)", "edge-first", "edge-first(B)",
            "dataflow",      "dataflow(4)", "tiled", "tiled(4)", "deep(2)", "deep(4)",    "deep(1)+dataflow(4)",
            "deep(2)+tiled", "auto"};
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

std::string to_string(const Strategy& strategy) {
    if (strategy.automatic) return "auto";
    if (strategy.repetitions == 0) return order_name(strategy);
    const std::string deep = concat("deep(", strategy.repetitions, ")");
    return strategy.order == Order::blocking ? deep : deep + "+" + order_name(strategy);
}

}  // namespace lapwing
