#include "lapwing/memory/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lapwing/base/concat.hpp"
#include "lapwing/memory/node_memory.hpp"

namespace lapwing {

namespace {

std::byte* mapped(int descriptor, Index bytes) {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

// Device and inode of an open file.
using Identity = std::pair<std::int64_t, std::int64_t>;

Identity identity(int descriptor) {
    struct stat info{};
    if (::fstat(descriptor, &info) != 0) return {-1, -1};
    return {info.st_dev, info.st_ino};
}

constexpr int kept_for_others = 256;  // descriptors that stay free for the files of the model

int open_files_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kept_for_others;
    return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 1 << 30));
}

}  // namespace

std::shared_ptr<SharedMemory> SharedMemory::create(Index bytes) {
    if (bytes > physical_memory()) return nullptr;  // would be granted, and kill the process when it is written
    const int descriptor = ::memfd_create("lapwing", MFD_CLOEXEC);
    if (descriptor < 0) return nullptr;
    if (descriptor >= open_files_limit() - kept_for_others) {
        ::close(descriptor);
        return nullptr;
    }
    const bool own = ::fchmod(descriptor, S_IRUSR | S_IWUSR) == 0;
    std::byte* data = own && ::ftruncate(descriptor, bytes) == 0 ? mapped(descriptor, bytes) : nullptr;
    if (data == nullptr) {
        ::close(descriptor);
        return nullptr;
    }
    return std::shared_ptr<SharedMemory>(new SharedMemory(descriptor, data, bytes));
}

std::shared_ptr<SharedMemory> SharedMemory::attach(const SharedMemoryName& name) {
    if (name.descriptor < 0) return nullptr;
    const std::string path = concat("/proc/", name.process, "/fd/", name.descriptor);
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) return nullptr;
    const bool same = identity(descriptor) == Identity{name.device, name.inode};
    std::byte* data = same ? mapped(descriptor, name.bytes) : nullptr;
    ::close(descriptor);  // the mapping stays
    if (data == nullptr) return nullptr;
    return std::shared_ptr<SharedMemory>(new SharedMemory(-1, data, name.bytes));
}

void SharedMemory::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

SharedMemory::~SharedMemory() {
    ::munmap(data_, bytes_);
    close();
}

SharedMemoryName SharedMemory::name() const {
    const auto [device, inode] = identity(descriptor_);
    return {::getpid(), descriptor_, bytes_, device, inode};
}

}  // namespace lapwing
