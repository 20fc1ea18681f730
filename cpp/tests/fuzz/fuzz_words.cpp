// Names of strategies, locations and types, in any text: the name of a strategy makes the same strategy again.

#include "input/fuzz_input.hpp"
#include "lapwing/grid/grid.hpp"
#include "lapwing/plan/field_spec.hpp"
#include "lapwing/schedule/strategy.hpp"

using namespace lapwing;
using namespace lapwing::fuzzing;

namespace {

void read_strategy(const std::string& text) {
    Strategy strategy;
    if (refused([&] { strategy = parse_strategy(text); })) return;
    require(strategy.alpha >= 0.0 && strategy.alpha <= 1.0, "a share is from 0 to 1");
    require(strategy.tiles >= 0 && strategy.repetitions >= 0, "numbers of a strategy are not negative");
    require(parse_strategy(to_string(strategy)) == strategy, "the name of a strategy makes the same one");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes bytes(data, size);
    const int what = bytes.byte() % 4;
    std::string text = bytes.rest();
    std::erase(text, char{0});  // where the message of an error would end
    if (what == 0) refused([&] { require(to_string(location_from(text)) == text, "a location keeps its name"); });
    if (what == 1) refused([&] { require(to_string(element_type_from(text)) == text, "a type keeps its name"); });
    if (what > 1) read_strategy(text);
    return 0;
}
