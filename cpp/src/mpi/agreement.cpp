#include "lapwing/mpi/agreement.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <functional>
#include <new>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/waiting.hpp"

namespace lapwing {

namespace {

constexpr const char* agreement = "the ranks' agreement";

// The text of rank `root` on all ranks. Collective.
std::string broadcast(MPI_Comm comm, int root, const std::string& text) {
    int length = static_cast<int>(text.size());
    MPI_Request request;
    check_mpi(MPI_Ibcast(&length, 1, MPI_INT, root, comm, &request), "MPI_Ibcast");
    wait_for(request, comm, agreement);
    std::string copy = rank_in(comm) == root ? text : std::string(length, ' ');
    check_mpi(MPI_Ibcast(copy.data(), length, MPI_CHAR, root, comm, &request), "MPI_Ibcast");
    wait_for(request, comm, agreement);
    return copy;
}

// Returns the lowest rank where `flag` is set, or the number of ranks. Collective.
int first_rank(MPI_Comm comm, bool flag) {
    return reduced(comm, flag ? rank_in(comm) : size_of(comm), MPI_MIN, agreement);
}

// True if all ranks have one text, by a hash and its complement: the smallest of both belong together only where all
// are equal. Collective, one reduction.
bool same_everywhere(MPI_Comm comm, std::string_view text) {
    const auto hash = static_cast<Index>(std::hash<std::string_view>{}(text));
    const auto least = reduced(comm, std::array{hash, ~hash}, MPI_MIN, agreement);
    return least[0] == ~least[1];
}

// Returns the first line of `text` that differs from `other` in its place; "no more" if `other` has further lines.
std::string line_that_differs(std::string_view text, std::string_view other) {
    const std::size_t cut = std::ranges::mismatch(text, other).in1 - text.begin();
    if (cut == text.size() && cut < other.size() && other[cut] == '\n') return "no more";
    const bool longer = cut == other.size() && text[cut] == '\n';
    const std::size_t begin = longer ? cut + 1 : text.substr(0, cut).rfind('\n') + 1;  // 0 if there is none
    return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

// The kind of a problem, one letter, and its text.
constexpr char user = 'u', outside = 'o';

std::string told(const std::exception_ptr& problem) {
    if (problem == nullptr) return {};
    try {
        std::rethrow_exception(problem);
    } catch (const UserError& error) {
        return user + std::string(error.what());
    } catch (const std::bad_alloc&) {
        return concat(outside, "out of memory");
    } catch (const std::exception& error) {
        return outside + std::string(error.what());
    } catch (...) {
        return concat(outside, "an exception that is no std::exception");
    }
}

}  // namespace

void raise_together(MPI_Comm comm, const std::exception_ptr& problem) {
    const int culprit = first_rank(comm, problem != nullptr);
    if (culprit == size_of(comm)) return;
    const std::string there = broadcast(comm, culprit, told(problem));
    const std::string text = concat("rank ", culprit, ": ", there.substr(1));
    if (there[0] == user) throw UserError(text);
    throw OutsideError(text);
}

void raise_together(MPI_Comm comm, const std::string& error) {
    raise_together(comm, error.empty() ? nullptr : std::make_exception_ptr(UserError(error)));
}

void require_same(MPI_Comm comm, std::string_view name, const std::string& value) {
    if (same_everywhere(comm, value)) return;
    const std::string first = broadcast(comm, 0, value);
    const int culprit = first_rank(comm, value != first);
    if (culprit == size_of(comm)) return;
    const std::string other = broadcast(comm, culprit, value);
    user_error(name, concat(line_that_differs(other, first), " on rank ", culprit),
               line_that_differs(first, other) + ", as on rank 0", "pass the same on all ranks");
}

void reduce(MPI_Comm comm, void* values, std::size_t count, MPI_Datatype type, MPI_Op operation, const char* what) {
    if (count == 0) return;
    MPI_Request request;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, values, static_cast<int>(count), type, operation, comm, &request),
              "MPI_Iallreduce");
    wait_for(request, comm, what);
}

void gather_bytes(MPI_Comm comm, const void* mine, std::size_t count, void* all, const char* what) {
    const int bytes = static_cast<int>(count);
    MPI_Request request;
    check_mpi(MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm, &request), "MPI_Iallgather");
    wait_for(request, comm, what);
}

namespace {

// The constants and types of one kind of MPI mean nothing to the other.
void require_own_mpi() {
#ifdef OPEN_MPI
    constexpr bool built_with_open_mpi = true;
#else
    constexpr bool built_with_open_mpi = false;
#endif
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string found(text, static_cast<std::size_t>(length));
    if ((found.find("Open MPI") != std::string::npos) == built_with_open_mpi) return;
    user_error("MPI library", found.substr(0, found.find_first_of(",\n")),
               built_with_open_mpi ? "Open MPI, with which lapwing was built"
                                   : "MPICH or one like it, with which lapwing was built",
               "link the program and lapwing with one MPI: its mpicxx as -DMPI_CXX_COMPILER, its mpifort for Fortran");
}

}  // namespace

void require_running_mpi() {
    static const bool own = (require_own_mpi(), true);  // one for the process, as the library is
    static_cast<void>(own);
    int begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun != 0 && ended == 0) return;
    user_error("MPI", begun == 0 ? "not initialised" : "finalised", "running",
               "call lapwing between MPI_Init and MPI_Finalize, or let lapwing::run_main (C and Fortran: lapwing_run) "
               "call both");
}

int rank_in(MPI_Comm comm) {
    int rank = 0;
    check_mpi(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
}

int size_of(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL)
        user_error("communicator", "MPI_COMM_NULL", "one of MPI", "make domains on the ranks that are in it");
    int ranks = 0;
    check_mpi(MPI_Comm_size(comm, &ranks), "MPI_Comm_size");
    return ranks;
}

void check_mpi(int code, std::string_view call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING];
    int length = 0, rank = -1;
    MPI_Error_string(code, text, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    throw MpiError(concat(call, " on rank ", rank, ": ", std::string(text, length)));
}

}  // namespace lapwing
