#pragma once
// Raising together: an error of one rank becomes an error of all, before the first message; and other answers that all
// ranks compute from the parts of each.

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lapwing/base/error.hpp"
#include "lapwing/grid/box.hpp"

namespace lapwing {

// Throws the problem of the lowest rank that has one, on all ranks, with its rank and text: a UserError
// stays one, everything else (memory, MPI, a bug) becomes an OutsideError. Null: no problem on this rank.
// Collective over `comm`; one reduction when no rank has a problem.
void raise_together(MPI_Comm comm, const std::exception_ptr& problem);

// The same for a UserError with the text `error`; empty: no problem on this rank.
void raise_together(MPI_Comm comm, const std::string& error);

// Throws UserError on all ranks, naming `name`, rank 0's value and the first that differs (the first line that differs,
// in values of several lines), unless `value` is the same everywhere. Collective; one reduction if it is the same.
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

// Replaces `count` values of a type, one by one, by the result of `operation` over all ranks; `what` names the wait for
// a watchdog. Collective, one reduction.
void reduce(MPI_Comm comm, void* values, std::size_t count, MPI_Datatype type, MPI_Op operation, const char* what);

// Throws UserError unless MPI has been initialised and not finalised. Local.
void require_running_mpi();

// Return this rank in a communicator, and its size. Local.
int rank_in(MPI_Comm comm);
int size_of(MPI_Comm comm);

// Returns MPI's name of a type of numbers. Local.
template <class Number>
MPI_Datatype mpi_type() {
    if constexpr (std::is_same_v<Number, double>) return MPI_DOUBLE;
    static_assert(std::is_same_v<Number, double> || std::is_same_v<Number, int> || std::is_same_v<Number, Index>);
    return std::is_same_v<Number, int> ? MPI_INT : MPI_INT64_T;
}

// The same for a number, or a container of numbers that is equally long on all ranks.
template <class Values>
[[nodiscard]] Values reduced(MPI_Comm comm, Values values, MPI_Op operation, const char* what) {
    if constexpr (requires { values.data(); }) {
        reduce(comm, values.data(), values.size(), mpi_type<typename Values::value_type>(), operation, what);
    } else {
        reduce(comm, &values, 1, mpi_type<Values>(), operation, what);
    }
    return values;
}

// Returns `count` bytes of every rank, in the order of the ranks. Collective.
void gather_bytes(MPI_Comm comm, const void* mine, std::size_t count, void* all, const char* what);

// Returns the value of every rank. Collective.
template <class Value>
[[nodiscard]] std::vector<Value> gathered(MPI_Comm comm, const Value& mine, const char* what) {
    std::vector<Value> all(size_of(comm));
    gather_bytes(comm, &mine, sizeof(Value), all.data(), what);
    return all;
}

// A call of MPI that failed on this rank. Other ranks do not know of it, unless `together` turns it into an error of
// all ranks.
struct MpiError : OutsideError {
    using OutsideError::OutsideError;
};

// Throws MpiError naming the call and the error text unless `code` is MPI_SUCCESS. Local.
void check_mpi(int code, std::string_view call);

}  // namespace lapwing
