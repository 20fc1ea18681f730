#include "lapwing/base/error.hpp"

namespace lapwing {

void user_error(std::string_view name, std::string_view got, std::string_view expected, std::string_view remedy) {
    std::string text(name);
    text.append(": got ").append(got);
    text.append("; expected ").append(expected);
    text.append("; ").append(remedy);
    throw UserError(text);
}

}  // namespace lapwing
