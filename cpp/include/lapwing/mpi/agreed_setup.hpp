#pragma once
// The set-up of a model, checked and compared between ranks before anything is made of it.

#include <string>
#include <string_view>
#include <utility>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// Runs `check`, which throws a UserError for what makes no sense, and compares the set-up in words (`text_of`) between
// ranks. Throws UserError on all ranks where any has a problem, or theirs differ, by the name `what`. Collective, two
// reductions.
template <class Check>
void require_agreed(const Domain& domain, std::string_view what, const std::string& text, Check&& check) {
    together(domain.comm(), std::forward<Check>(check));
    require_same(domain.comm(), what, text);
}

}  // namespace lapwing
