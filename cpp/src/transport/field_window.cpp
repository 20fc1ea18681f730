#include "lapwing/transport/field_window.hpp"

#include <array>
#include <string>

#include "lapwing/agreement.hpp"
#include "lapwing/domain.hpp"
#include "lapwing/error.hpp"

namespace lapwing {

namespace {

constexpr std::size_t most_windows = 200;  // of MPICH's 2046 communicators

[[noreturn]] void unavailable(const std::string& why) {
    user_error("transport", "one that moves fields without packing, which is not available: " + why,
               "one that works with this MPI", "choose p2p, or auto");
}

std::string error_text(int code) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    return {text.data(), static_cast<std::size_t>(length)};
}

// Threads that put and processors that load must see one memory.
bool unified(MPI_Win win) {
    int* model = nullptr;
    int found = 0;
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &found);
    return found != 0 && *model == MPI_WIN_UNIFIED;
}

// Collective; what failed here, or nothing.
std::string open(MPI_Comm comm, FieldWindow& window) {
    const int code = MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &window.win);
    if (code != MPI_SUCCESS) return "MPI_Win_create_dynamic fails: " + error_text(code);
    MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
    const int locked = MPI_Win_lock_all(MPI_MODE_NOCHECK, window.win);
    if (locked != MPI_SUCCESS) return "MPI_Win_lock_all fails: " + error_text(locked);
    return unified(window.win) ? "" : "this MPI keeps two copies of a window";
}

std::shared_ptr<FieldWindow> lease_field_window(Domain& domain) {
    const MPI_Comm comm = domain.comm();
    Pool<FieldWindow>& pool = domain.leases().field_windows;
    if (auto found = pool.lease(comm, [](const FieldWindow&) { return true; })) return found;
    if (pool.size() >= most_windows) {
        user_error("windows of one domain", std::to_string(most_windows + 1), "at most " + std::to_string(most_windows),
                   "make fewer exchanges at a time, or choose p2p");
    }
    auto made = std::make_shared<FieldWindow>();
    together(comm, [&] {
        const std::string trouble = open(comm, *made);
        if (!trouble.empty()) unavailable(trouble);
    });
    domain.keep_window(made->win);
    pool.add(made);
    return made;
}

}  // namespace

std::unique_ptr<ExposedMemory> ExposedMemory::make(Domain& domain, bool has_messages,
                                                   std::span<const std::span<std::byte>> ranges) {
    if (on_all_ranks(!has_messages, domain.comm())) return nullptr;
    std::unique_ptr<ExposedMemory> made(new ExposedMemory(domain, lease_field_window(domain)));
    together(domain.comm(), [&] {
        const int code = made->attach(ranges);
        if (code == MPI_SUCCESS) return;
        unavailable("MPI_Win_attach fails for range " + std::to_string(made->attached_.size() + 1) + " of " +
                    std::to_string(ranges.size()) + ": " + error_text(code));
    });
    return made;
}

int ExposedMemory::attach(std::span<const std::span<std::byte>> ranges) {
    for (const std::span<std::byte>& range : ranges) {
        const int code = MPI_Win_attach(window_->win, range.data(), static_cast<MPI_Aint>(range.size()));
        if (code != MPI_SUCCESS) return code;
        attached_.push_back(range);
    }
    return MPI_SUCCESS;
}

ExposedMemory::~ExposedMemory() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || domain_.closed()) return;
    for (const std::span<std::byte>& range : attached_) MPI_Win_detach(window_->win, range.data());
}

const std::span<std::byte>& ExposedMemory::range_of(const std::byte* address) const {
    for (const std::span<std::byte>& range : attached_) {
        if (address >= range.data() && address < range.data() + range.size()) return range;
    }
    throw OutsideError("memory of a message that no window holds");
}

}  // namespace lapwing
