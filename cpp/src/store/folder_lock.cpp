#include "store/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <system_error>

#include "lapwing/base/error.hpp"
#include "store/chunks/chunk_file.hpp"

namespace lapwing {

namespace {

std::filesystem::path lock_of(const std::filesystem::path& store) {
    return store.parent_path() / concat(".", store.filename().string(), ".lock");
}

// This process, as the other job names it.
std::string holder() {
    std::array<char, 256> host{}, since{};
    ::gethostname(host.data(), host.size() - 1);
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::strftime(since.data(), since.size(), "%Y-%m-%d %H:%M:%S", ::localtime_r(&now, &parts));
    return concat("host ", host.data(), ", process ", static_cast<int>(::getpid()), ", since ", since.data());
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& store) : file_(lock_of(store).string()) {
    take(store);
    while (!is_still_there()) {  // the job that had it has removed it meanwhile
        ::close(handle_);
        take(store);
    }
    const std::string text = holder();
    const bool said = ::ftruncate(handle_, 0) == 0 && ::pwrite(handle_, text.data(), text.size(), 0) >= 0;
    static_cast<void>(said);  // for the message of another job alone
}

void FolderLock::take(const std::filesystem::path& store) {
    handle_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (handle_ < 0) unwritable(file_, std::generic_category().message(errno));
    if (::flock(handle_, LOCK_EX | LOCK_NB) == 0) return;
    std::array<char, 200> other{};
    const ssize_t length = ::pread(handle_, other.data(), other.size() - 1, 0);
    ::close(handle_);
    handle_ = -1;
    user_error("store " + store.string(),
               concat("a folder that another job writes to (", length > 0 ? other.data() : "it has just begun", ")"),
               "a folder for this job alone", "wait until that job has ended, or choose another store");
}

bool FolderLock::is_still_there() const {
    struct stat named{}, held{};
    return ::stat(file_.c_str(), &named) == 0 && ::fstat(handle_, &held) == 0 && named.st_ino == held.st_ino;
}

FolderLock::~FolderLock() {
    if (handle_ < 0) return;
    ::unlink(file_.c_str());
    ::close(handle_);
}

}  // namespace lapwing
