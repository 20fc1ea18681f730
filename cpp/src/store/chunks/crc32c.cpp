#include "lapwing/store/crc32c.hpp"

#include <array>
#include <cstring>
#if defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#elif defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lapwing {

namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;  // bits reversed

// Remainders of a byte followed by 0 to 7 zero bytes.
constexpr auto tables = [] {
    std::array<std::array<std::uint32_t, 256>, 8> made{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? polynomial : 0);
        made[0][byte] = rest;
    }
    for (int n = 1; n < 8; ++n)
        for (int byte = 0; byte < 256; ++byte)
            made[n][byte] = made[n - 1][byte] >> 8 ^ made[0][made[n - 1][byte] & 0xff];
    return made;
}();

std::uint64_t eight_bytes(const std::byte* at) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

std::uint32_t next_byte(std::uint32_t crc, std::byte byte) {
    return crc >> 8 ^ tables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
}

std::uint32_t next_word(std::uint32_t crc, std::uint64_t word) {
    word ^= crc;
    std::uint32_t next = 0;
    for (int n = 0; n < 8; ++n) next ^= tables[7 - n][word >> (8 * n) & 0xff];
    return next;
}

std::uint32_t by_tables(std::uint32_t crc, std::span<const std::byte> words) {
    for (std::size_t at = 0; at < words.size(); at += 8) crc = next_word(crc, eight_bytes(words.data() + at));
    return crc;
}

#if defined(__ARM_FEATURE_CRC32)
std::uint32_t of_words(std::uint32_t crc, std::span<const std::byte> words) {
    for (std::size_t at = 0; at < words.size(); at += 8) crc = __crc32cd(crc, eight_bytes(words.data() + at));
    return crc;
}
#elif defined(__x86_64__)
[[gnu::target("sse4.2")]] std::uint32_t by_instruction(std::uint64_t crc, std::span<const std::byte> words) {
    for (std::size_t at = 0; at < words.size(); at += 8) crc = _mm_crc32_u64(crc, eight_bytes(words.data() + at));
    return static_cast<std::uint32_t>(crc);
}
std::uint32_t of_words(std::uint32_t crc, std::span<const std::byte> words) {
    return __builtin_cpu_supports("sse4.2") ? by_instruction(crc, words) : by_tables(crc, words);
}
#else
std::uint32_t of_words(std::uint32_t crc, std::span<const std::byte> words) { return by_tables(crc, words); }
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
    const std::size_t whole = bytes.size() / 8 * 8;
    std::uint32_t crc = of_words(~std::uint32_t{0}, bytes.first(whole));
    for (const std::byte byte : bytes.subspan(whole)) crc = next_byte(crc, byte);
    return ~crc;
}

}  // namespace lapwing
