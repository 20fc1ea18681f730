#include "transport/one_sided/field_window.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <string>

#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/domain.hpp"
#include "transport/one_sided/window.hpp"

namespace lapwing {

namespace {

constexpr const char* users = "one that moves fields without packing";

std::string error_text(int code) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

// Collective; returns the error of this rank, or nothing.
std::string open(MPI_Comm comm, MPI_Win& window) {
    const int code = MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window);
    if (code != MPI_SUCCESS) return "MPI_Win_create_dynamic fails: " + error_text(code);
    const int locked = lock_for_everybody(window);
    return locked == MPI_SUCCESS ? "" : "MPI_Win_lock_all fails: " + error_text(locked);
}

std::shared_ptr<FieldWindow> lease_field_window(Domain& domain) {
    const MPI_Comm comm = domain.comm();
    Pool<FieldWindow>& pool = domain.leases().of<FieldWindow>();
    if (auto found = pool.lease(comm, [](const FieldWindow&) { return true; })) return found;
    pool.require_room(most_windows, "windows");
    MPI_Win window = MPI_WIN_NULL;
    together(comm, [&] {
        const std::string trouble = open(comm, window);
        if (!trouble.empty()) no_windows_for(users, trouble);
    });
    auto made = std::make_shared<FieldWindow>(FieldWindow{keep_window(domain, window, users)});
    pool.add(made);
    return made;
}

}  // namespace

std::unique_ptr<ExposedMemory> ExposedMemory::make(Domain& domain, bool has_messages,
                                                   std::span<const std::span<std::byte>> ranges) {
    if (on_all_ranks(!has_messages, domain.comm())) return nullptr;
    std::unique_ptr<ExposedMemory> made(new ExposedMemory(lease_field_window(domain)));
    together(domain.comm(), [&] {
        const int code = made->attach(ranges);
        if (code == MPI_SUCCESS) return;
        no_windows_for(users, concat("MPI_Win_attach fails for range ", made->attached_.size() + 1, " of ",
                                     ranges.size(), ": ", error_text(code)));
    });
    return made;
}

int ExposedMemory::attach(std::span<const std::span<std::byte>> ranges) {
    for (const std::span<std::byte>& range : ranges) {
        const int code = MPI_Win_attach(win(), range.data(), range.size());
        if (code != MPI_SUCCESS) return code;
        attached_.push_back(range);
    }
    return MPI_SUCCESS;
}

ExposedMemory::~ExposedMemory() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || win() == MPI_WIN_NULL) return;
    for (const std::span<std::byte>& range : attached_) MPI_Win_detach(win(), range.data());
}

const std::span<std::byte>& ExposedMemory::range_of(const std::byte* address) const {
    const auto found = std::ranges::find_if(attached_, [&](const std::span<std::byte>& range) {
        return address >= range.data() && address < range.data() + range.size();
    });
    assert(found != attached_.end());
    return *found;
}

}  // namespace lapwing
