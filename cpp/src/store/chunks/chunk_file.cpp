#include "store/chunks/chunk_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <system_error>

#include "lapwing/base/error.hpp"
#include "lapwing/store/crc32c.hpp"

namespace lapwing {

namespace {

static_assert(std::endian::native == std::endian::little, "chunks are little-endian: values would have to be turned");

using Checksum = std::array<std::byte, 4>;

Checksum checksum_of(std::span<const std::byte> values) {
    const std::uint32_t crc = crc32c(values);
    Checksum bytes{};
    for (int n = 0; n < 4; ++n) bytes[n] = static_cast<std::byte>(crc >> (8 * n) & 0xff);
    return bytes;
}

// A file that is open until the end of its scope.
class Open {
  public:
    explicit Open(int handle) : handle_(handle) {}
    ~Open() {
        if (handle_ >= 0) ::close(handle_);
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    [[nodiscard]] int handle() const { return handle_; }

  private:
    int handle_;
};

std::string told(int code) { return std::generic_category().message(code); }

int open_to_write(const std::string& path) {
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    const int handle = ::open(path.c_str(), flags, 0666);
    if (handle >= 0 || errno != ENOENT) return handle;
    std::error_code ignored;  // open says what is wrong
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
    return ::open(path.c_str(), flags, 0666);
}

// Drops the first `done` bytes of two parts.
void advance(std::array<iovec, 2>& parts, std::size_t done) {
    for (iovec& part : parts) {
        const std::size_t here = std::min(done, part.iov_len);
        part.iov_base = static_cast<std::byte*>(part.iov_base) + here;
        part.iov_len -= here;
        done -= here;
    }
}

// Writes or reads both parts by calls that may do less; the number of bytes, or -1.
template <class Call>
ssize_t moved(int handle, std::array<iovec, 2> parts, Call call) {
    ssize_t all = 0;
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        const ssize_t done = call(handle, parts.data(), 2);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return -1;
        if (done == 0) break;
        advance(parts, static_cast<std::size_t>(done));
        all += done;
    }
    return all;
}

[[noreturn]] void broken(const std::string& path, const std::string& got, std::size_t bytes) {
    user_error(path, got, concat("a chunk of ", bytes, " bytes with its CRC-32C"),
               "take an older copy of the store, or run again");
}

}  // namespace

void write_chunk(const std::string& path, std::span<const std::byte> values, bool flush) {
    Checksum sum = checksum_of(values);
    const Open file(open_to_write(path));
    if (file.handle() < 0) unwritable(path, told(errno));
    const std::array<iovec, 2> parts{iovec{const_cast<std::byte*>(values.data()), values.size()},
                                     iovec{sum.data(), sum.size()}};
    if (moved(file.handle(), parts, ::writev) < 0) unwritable(path, told(errno));
    if (flush && ::fsync(file.handle()) != 0) unwritable(path, told(errno));
}

void read_chunk(const std::string& path, std::span<std::byte> values) {
    const std::size_t bytes = values.size() + sizeof(Checksum);
    const Open file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about{};
    if (file.handle() < 0 || ::fstat(file.handle(), &about) != 0) broken(path, told(errno), bytes);
    if (about.st_size != static_cast<off_t>(bytes)) broken(path, concat(about.st_size, " bytes (torn)"), bytes);
    Checksum sum{};
    const std::array<iovec, 2> parts{iovec{values.data(), values.size()}, iovec{sum.data(), sum.size()}};
    if (moved(file.handle(), parts, ::readv) < 0) broken(path, told(errno), bytes);
    if (sum != checksum_of(values)) broken(path, "another checksum (corrupted)", bytes);
}

void replace_chunk(const std::string& path, std::span<const std::byte> values) {
    const std::string part = path + ".part";
    write_chunk(part, values);
    if (std::rename(part.c_str(), path.c_str()) != 0) unwritable(path, told(errno));
}

void unwritable(const std::filesystem::path& path, const std::string& problem) {
    std::error_code unknown;
    const auto space = std::filesystem::space(path.parent_path(), unknown);
    const std::string free = unknown ? std::string() : concat(" (", space.available >> 20, " MiB free on that disk)");
    throw OutsideError(
        concat(path.string(), ": got ", problem, free, "; expected to write it; look at the free space of that disk"));
}

}  // namespace lapwing
