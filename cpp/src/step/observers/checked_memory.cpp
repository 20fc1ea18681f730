#include "step/observers/checked_memory.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace lapwing {

namespace {

template <class Number>
std::array<std::byte, sizeof(double)> bytes_of(Wrong wrong, Number not_a_number, Number number, Number far) {
    const Number value = wrong == Wrong::not_a_number ? not_a_number
                         : wrong == Wrong::number     ? number
                         : wrong == Wrong::largest    ? far
                                                      : -far;
    std::array<std::byte, sizeof(double)> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

std::array<std::byte, sizeof(double)> wrong_value(ElementType type, Wrong wrong) {
    switch (type) {
        case ElementType::float64:
            return bytes_of(wrong, std::numeric_limits<double>::quiet_NaN(), 1.5, 1e100);
        case ElementType::float32:
            return bytes_of(wrong, std::numeric_limits<float>::quiet_NaN(), 1.5F, 1e15F);
        case ElementType::int64:
            return bytes_of<std::int64_t>(wrong, -7654321, 1, std::int64_t{1} << 50);
        case ElementType::int32:
            break;
        case ElementType::boolean:
            return bytes_of<int>(wrong, 1, 0, 1);  // nothing else is a truth value
    }
    return bytes_of<std::int32_t>(wrong, -7654321, 1, 1 << 28);
}

template <class Number, class Bits>
void nudge_as(std::byte* value) {
    Number number{};
    std::memcpy(&number, value, sizeof number);
    const auto bits = static_cast<Bits>(std::bit_cast<Bits>(number) ^ 1U);
    number = number == Number{0} ? -number : std::bit_cast<Number>(bits);
    std::memcpy(value, &number, sizeof number);
}

}  // namespace

void poison(const AnyField& field, const Cells& cells, Wrong wrong) {
    const auto value = wrong_value(field.spec().type, wrong);
    for (std::size_t b = 0; b < cells.size(); ++b) {
        for (const Index3& cell : cells[b]) {
            for (int c = 0; c < field.spec().components; ++c)
                std::memcpy(field.blocks()[b].at(cell, c), value.data(), size_of(field.spec().type));
        }
    }
}

bool is_poison(const std::byte* value, ElementType type, Wrong wrong) {
    return std::memcmp(value, wrong_value(type, wrong).data(), size_of(type)) == 0;
}

void nudge(std::byte* value, ElementType type) {
    switch (type) {
        case ElementType::float64:
            return nudge_as<double, std::uint64_t>(value);
        case ElementType::float32:
            return nudge_as<float, std::uint32_t>(value);
        case ElementType::int64:
        case ElementType::int32:
        case ElementType::boolean:
            value[0] ^= std::byte{1};
    }
}

std::uint64_t checksum(const AnyField& field) {
    std::uint64_t sum = 1469598103934665603U;  // FNV-1a
    const std::size_t size = size_of(field.spec().type);
    for (const Block& block : field.blocks()) {
        for (int c = 0; c < field.spec().components; ++c) {
            for_each_cell(block.owned, [&](const Index3& cell) {
                const std::byte* value = block.at(cell, c);
                for (std::size_t n = 0; n < size; ++n)
                    sum = (sum ^ static_cast<std::uint64_t>(value[n])) * 1099511628211U;
            });
        }
    }
    return sum;
}

Saved::Saved(const AnyField& field) : field_(&field) {
    const std::size_t size = size_of(field.spec().type);
    std::size_t values = 0;
    for (const Block& block : field.blocks()) values += block.allocated.volume();
    bytes_.reserve(values * field.spec().components * size);
    for_each_value(field,
                   [&](const CellOfBlock&, std::byte* value) { bytes_.insert(bytes_.end(), value, value + size); });
}

void Saved::restore() const {
    const std::size_t size = size_of(field_->spec().type);
    std::size_t at = 0;
    for_each_value(*field_, [&](const CellOfBlock&, std::byte* value) {
        std::memcpy(value, bytes_.data() + at, size);
        at += size;
    });
}

}  // namespace lapwing
