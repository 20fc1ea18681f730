#pragma once
// The handles of the C interface, and how exceptions become codes.

#include <deque>
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
#include "lapwing/mpi/reduction.hpp"
#include "lapwing/solver/helmholtz.hpp"
#include "lapwing/solver/implicit_diffusion.hpp"
#include "lapwing/solver/line_solver.hpp"
#include "lapwing/solver/line_transform.hpp"
#include "lapwing/solver/tridiagonal.hpp"
#include "lapwing/step/step.hpp"
#include "lapwing/store/records.hpp"
#include "lapwing/store/restart.hpp"

// Handles keep what they need, so that they may be freed in any order.
struct lapwing_domain {
    std::shared_ptr<lapwing::Domain> domain;
    bool freed = false;
};
struct lapwing_field {
    std::shared_ptr<lapwing::Domain> domain;
    std::shared_ptr<lapwing::AnyField> field;
    bool freed = false;
    std::string units = "1", long_name{}, standard_name{};  // for files
};
struct lapwing_exchange {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields;
    std::unique_ptr<lapwing::Exchange> exchange;
    bool freed = false;
};
struct lapwing_transpose {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields, targets;
    std::unique_ptr<lapwing::Transpose> transpose;
    bool freed = false;
};
struct lapwing_line_transform {
    lapwing::LineTransform transform;
    bool freed = false;
};
struct lapwing_tridiagonal {
    lapwing::Tridiagonal system;
    bool freed = false;
};
struct lapwing_line_solver {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields;
    std::unique_ptr<lapwing::LineSolver> solver;
    bool contiguous_columns = false;
    bool freed = false;
};
struct lapwing_helmholtz {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields;
    std::unique_ptr<lapwing::Helmholtz> solver;
    bool freed = false;
};
struct lapwing_implicit_diffusion {
    std::shared_ptr<lapwing::Domain> domain;
    std::vector<std::shared_ptr<lapwing::AnyField>> fields;
    std::unique_ptr<lapwing::ImplicitDiffusion> solver;
    bool freed = false;
};
struct lapwing_records {
    std::shared_ptr<lapwing::Domain> domain;
    std::unique_ptr<lapwing::Records> records;
    bool freed = false;
};
struct lapwing_restart {
    std::shared_ptr<lapwing::Domain> domain;
    std::unique_ptr<lapwing::Restart> restart;
    bool freed = false;
};
struct lapwing_reduction {
    lapwing::Reduced number;
    bool freed = false;
};
struct lapwing_step {
    std::shared_ptr<lapwing::Domain> domain;
    std::unique_ptr<lapwing::Step> step;  // null: it was begun and not finished
    lapwing::StepOptions options{};       // of a step that was begun, as its stages
    std::vector<lapwing::Stages> cycle = std::vector<lapwing::Stages>(1);
    std::string text;  // last text that was requested
    std::vector<lapwing_census_entry> census;
    std::deque<std::string> names;  // in the census
    bool freed = false;
};

namespace lapwing::c {

// Remembers the message for lapwing_message. Local.
void remember(const char* message);

// Keeps the address of an empty handle, so that a search for leaks finds it. Local.
void keep_empty(void* handle);

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

// True if a handle has something in it.
template <class Handle>
bool alive(const Handle* handle) {
    return handle != nullptr && !handle->freed;
}

// Throws UserError for a null pointer, and for a handle that was freed. Local.
template <class Thing>
Thing& needed(Thing* thing, const char* what) {
    constexpr const char* expected = "one that was made and not freed";
    if (thing == nullptr) user_error(what, "null", expected, "create it first, and look at the code of that call");
    if constexpr (requires { thing->freed; }) {
        if (thing->freed) {
            user_error(what, "one that was freed", expected,
                       "create it again; in Fortran, domains go at the end of the scope that declares them, and their "
                       "fields with them");
        }
    }
    return *thing;
}

// Gives up what a handle holds; null is fine. The empty handle stays, some bytes, so that a later call with it is an
// error and not a crash. Local.
template <class Handle>
void give_up(Handle* handle) {
    if (!alive(handle)) return;
    handle->freed = true;
    const Handle held = std::move(*handle);
    keep_empty(handle);
}

// The caller's memory as the block of this rank's box; none if it has no box. Throws UserError for null pointers,
// and where the rank owns several boxes. Local.
std::optional<Block> block_of(const Domain& domain, const FieldSpec& spec, void* data, const lapwing_box* allocated,
                              const int64_t strides[4]);

// Throws UserError for a number that is no lapwing_reduction_kind. Local.
Total total_of(int kind);

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
