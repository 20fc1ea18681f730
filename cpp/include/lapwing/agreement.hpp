#pragma once
// Raising together: an error of one rank becomes an error of all, before the first message.

#include <mpi.h>

#include <exception>
#include <string>
#include <string_view>

namespace lapwing {

// Throws the problem of the lowest rank that has one, on all ranks, with its rank and text: a UserError
// stays one, everything else (memory, MPI, a bug) becomes an OutsideError. Null: no problem on this rank.
// Collective over `comm`; one reduction when nobody has a problem.
void raise_together(MPI_Comm comm, const std::exception_ptr& problem);

// The same for a UserError with the text `error`; empty: no problem on this rank.
void raise_together(MPI_Comm comm, const std::string& error);

// Throws UserError on all ranks, naming `name`, rank 0's value and the first that differs, unless
// `value` is the same everywhere. Collective.
void require_same(MPI_Comm comm, std::string_view name, const std::string& value);

// Runs `work`; when it throws on any rank, all throw, as `raise_together` does. Collective.
template <class Work>
void together(MPI_Comm comm, Work&& work) {
    std::exception_ptr problem;
    try {
        work();
    } catch (...) {
        problem = std::current_exception();
    }
    raise_together(comm, problem);
}

// Throws OutsideError naming the call and the error text unless `code` is MPI_SUCCESS. Local.
void check_mpi(int code, std::string_view call);

}  // namespace lapwing
