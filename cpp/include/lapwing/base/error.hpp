#pragma once
// The two kinds of failure a caller can meet; bugs of lapwing itself are assertions.

#include <stdexcept>
#include <string_view>

#include "lapwing/base/concat.hpp"

namespace lapwing {

// The request was wrong: the message names its subject, what came, what was expected, and what to do.
struct UserError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Something outside lapwing failed (MPI, memory, a file): the call and the rank.
struct OutsideError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Throws UserError with the four parts in one fixed form; each may be whatever `concat` takes. Local.
template <class Name, class Got, class Expected>
[[noreturn]] void user_error(const Name& name, const Got& got, const Expected& expected, std::string_view remedy) {
    throw UserError(concat(name, ": got ", got, "; expected ", expected, "; ", remedy));
}

}  // namespace lapwing
