#pragma once
// What the handles of the C interface are, and how exceptions become codes.

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/c/lapwing.h"
#include "lapwing/exchange/exchange.hpp"
#include "lapwing/exchange/transpose.hpp"
#include "lapwing/mpi/domain.hpp"
#include "lapwing/step/step.hpp"

// Handles keep what they need, so that they may be freed in any order.
struct lapwing_domain {
    std::shared_ptr<lapwing::Domain> domain;
};
struct lapwing_field {
    std::shared_ptr<lapwing::Domain> domain;
    std::shared_ptr<lapwing::AnyField> field;
};
struct lapwing_exchange {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields;
    std::unique_ptr<lapwing::Exchange> exchange;
};
struct lapwing_transpose {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields, targets;
    std::unique_ptr<lapwing::Transpose> transpose;
};
struct lapwing_number {
    lapwing::Reduced number;
};
struct lapwing_step {
    std::shared_ptr<lapwing::Domain> domain;
    std::unique_ptr<lapwing::Step> step;
    std::string text;  // what was last asked for
};

namespace lapwing::c {

// Remembers the message for lapwing_message. Local.
void remember(const char* message);

// The code of what `work` throws. An exception must not leave a function of C.
template <class Work>
int coded(Work&& work) noexcept {
    try {
        work();
        return LAPWING_OK;
    } catch (const UserError& error) {
        remember(error.what());
        return LAPWING_USER_ERROR;
    } catch (const std::exception& error) {
        remember(error.what());
        return LAPWING_OUTSIDE_ERROR;
    }
}

// Throws UserError for a null pointer. Local.
template <class Thing>
Thing& needed(Thing* thing, const char* what) {
    if (thing == nullptr) {
        user_error(what, "null", "one that was made and not freed",
                   "create it first, and look at the code of that call");
    }
    return *thing;
}

// The caller's memory as the block of this rank's box; none where it has no box. Throws UserError for null pointers,
// and where the rank owns several boxes. Local.
std::optional<Block> block_of(const Domain& domain, const FieldSpec& spec, void* data, const lapwing_box* allocated,
                              const int64_t strides[4]);

[[nodiscard]] inline Extent extent_of(const lapwing_extent& given) {
    return {{given.lo[0], given.lo[1], given.lo[2]}, {given.hi[0], given.hi[1], given.hi[2]}, given.corners != 0};
}
[[nodiscard]] inline Box box_of(const lapwing_box& given) {
    return {{given.lo[0], given.lo[1], given.lo[2]}, {given.hi[0], given.hi[1], given.hi[2]}};
}
[[nodiscard]] inline lapwing_box given_box(const Box& box) {
    return {{box.lo[0], box.lo[1], box.lo[2]}, {box.hi[0], box.hi[1], box.hi[2]}};
}

}  // namespace lapwing::c
