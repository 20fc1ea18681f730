#pragma once
// One job per store: a lock that the system takes back when its process ends, however it ends.

#include <filesystem>
#include <string>

namespace lapwing {

// The right to write to a store, until the end of its scope or process. The lock is a file next to the store, the same
// that Python takes; it holds across the nodes of a network file system that has locks (flock).
class FolderLock {
  public:
    // Takes the lock at once or not at all. Throws UserError, with host and process of its holder, if a job has it;
    // OutsideError if the file cannot be made. Local.
    explicit FolderLock(const std::filesystem::path& store);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

  private:
    void take(const std::filesystem::path& store);
    [[nodiscard]] bool is_still_there() const;

    std::string file_;
    int handle_ = -1;
};

}  // namespace lapwing
