#pragma once
// The set-up of a model, checked and compared between ranks before anything is made of it.

#include <string>
#include <string_view>
#include <utility>

#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"

namespace lapwing {

// Runs `check`, which throws a UserError for what makes no sense, and compares the set-up as text (`text_of`) between
// ranks. Throws UserError on all ranks, naming `what`, if any rank has a problem or the texts differ. Collective, two
// reductions.
template <class Check>
void require_agreed(const Domain& domain, std::string_view what, const std::string& text, Check&& check) {
    together(domain.comm(), std::forward<Check>(check));
    require_same(domain.comm(), what, text);
}

}  // namespace lapwing
