#pragma once
// The two kinds of failure a caller can meet; own bugs are assertions.

#include <stdexcept>
#include <string>
#include <string_view>

namespace lapwing {

// The request was wrong: what it was about, what came, what was expected, and what to do.
struct UserError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Something outside lapwing failed (MPI, memory, a file): the call and the rank.
struct OutsideError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws UserError with the four parts in one fixed form. Local.
[[noreturn]] void user_error(std::string_view name, std::string_view got, std::string_view expected,
                             std::string_view remedy);

}  // namespace lapwing
