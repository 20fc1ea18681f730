// The rate at which pieces of a field are packed and unpacked, compared with memcpy of the same bytes.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "bindings.hpp"
#include "lapwing/memory/copy_list.hpp"

namespace lapwing::bench {

namespace {

constexpr Index value = 8;  // bytes
constexpr Index width = 2, cells = 60, rows = cells + 2 * width;

// Float64 fields of 60 x 60 cells (or `nx` x 60) with a halo of 2, and pieces of them.
class PackWork {
  public:
    PackWork(Index levels, Index fields, bool levels_fastest, Index nx = cells)
        : levels_(levels),
          row_(nx + 2 * width),
          plane_(levels_fastest ? value : value * row_ * rows),
          x_(levels_fastest ? value * levels : value),
          memory_(
              std::make_shared<Memory>(static_cast<std::size_t>(fields), std::vector<double>(levels * row_ * rows))) {}

    // ni x nj columns of cells from (i, j) on, in every field; loops as a halo plan orders them
    PackWork& add(Index i, Index j, Index ni, Index nj) {
        for (auto& values : *memory_) {
            std::byte* data = reinterpret_cast<std::byte*>(values.data()) + i * x_ + j * row_ * x_;
            if (plane_ < x_) {
                pieces_.push_back({data, value, {levels_, ni, nj, 1}, {plane_, x_, row_ * x_, 0}});
            } else {
                pieces_.push_back({data, value, {ni, nj, levels_, 1}, {x_, row_ * x_, plane_, 0}});
            }
        }
        return *this;
    }
    // About 30 % of `nj` whole rows, column by column
    PackWork& add_wet(Index j, Index nj) {
        std::byte* data = reinterpret_cast<std::byte*>(memory_->front().data()) + j * row_ * x_;
        StridedBlock block{data, value, {0, levels_, 1, 1}, {0, plane_, 0, 0}, 0, {}};
        for (Index n = 0; n < nj * row_; ++n) {
            if (n * 7919 % 101 < 30) block.offsets.push_back(n * x_);
        }
        block.count[0] = block.offsets.size();
        pieces_.push_back(block);
        return *this;
    }
    [[nodiscard]] const std::vector<StridedBlock>& pieces() const { return pieces_; }

  private:
    using Memory = std::vector<std::vector<double>>;

    Index levels_, row_, plane_, x_;
    std::shared_ptr<Memory> memory_;  // shared by copies: the pieces point into it
    std::vector<StridedBlock> pieces_;
};

PackWork side_columns(Index levels, Index fields, Index columns, bool levels_fastest, Index nx = cells) {
    PackWork work(levels, fields, levels_fastest, nx);
    work.add(width, width, columns, cells).add(nx + width - columns, width, columns, cells);
    return work;
}

using NamedWork = std::pair<std::string, std::function<PackWork()>>;

const std::vector<NamedWork>& works() {
    static const std::vector<NamedWork> all{
        {"contiguous", [] { return PackWork(cells, 1, true).add(0, width, rows, width); }},
        {"rows-with-halo", [] { return PackWork(cells, 1, false).add(0, width, rows, width); }},
        {"row-and-corners",
         [] {
             PackWork work(cells, 1, false);
             return work.add(width, width, cells, width).add(0, width, width, width).add(62, width, width, width);
         }},
        {"columns-2", [] { return side_columns(cells, 1, 2, false); }},
        // 64 values a row, 512 bytes, use an eighth of a cache's sets; 66 use all
        {"columns-2-of-66", [] { return side_columns(cells, 1, 2, false, 62); }},
        {"columns-2-2d", [] { return side_columns(1, 1, 2, false); }},
        {"8x-columns-2", [] { return side_columns(cells, 8, 2, false); }},
        {"columns-1", [] { return side_columns(cells, 1, 1, false); }},
        {"columns-1-2d", [] { return side_columns(1, 1, 1, false); }},
        {"columns-levels-fastest", [] { return side_columns(cells, 1, 2, true); }},
        {"cells", [] { return PackWork(cells, 1, false).add(2, 2, 1, 1).add(61, 2, 1, 1).add(2, 61, 1, 1); }},
        {"list", [] { return PackWork(cells, 1, false).add_wet(width, width); }},
        {"list-levels-fastest", [] { return PackWork(cells, 1, true).add_wet(width, width); }},
    };
    return all;
}

// Buffers begin on cache lines, as those of messages do.
struct alignas(64) Line {
    std::byte bytes[64];
};

using Clock = std::chrono::steady_clock;

double seconds(const std::function<void()>& call, int repeats) {
    const auto begin = Clock::now();
    for (int n = 0; n < repeats; ++n) call();
    return std::chrono::duration<double>(Clock::now() - begin).count() / repeats;
}

std::vector<std::string> pack_works() {
    std::vector<std::string> names;
    for (const auto& [name, make] : works()) names.push_back(name);
    return names;
}

std::map<std::string, std::vector<double>> time_pack(const std::string& work, int samples) {
    const auto named = std::ranges::find(works(), work, &NamedWork::first);
    if (named == works().end()) throw std::invalid_argument("no work of bench pack: " + work);
    const PackWork made = named->second();
    const PackList list(made.pieces());
    const std::size_t bytes = list.bytes();
    std::vector<Line> lines(2 * (bytes / sizeof(Line) + 1));
    std::byte* const buffer = lines.front().bytes;
    std::byte* const other = lines[lines.size() / 2].bytes;
    const std::map<std::string, std::function<void()>> methods{{"pack", [&] { list.pack(buffer); }},
                                                               {"unpack", [&] { list.unpack(buffer); }},
                                                               {"memcpy", [&] { std::memcpy(other, buffer, bytes); }}};
    constexpr double sample_seconds = 2e-4;
    std::map<std::string, std::vector<double>> times{{"bytes", {static_cast<double>(bytes)}}};
    std::map<std::string, int> repeats;
    for (const auto& [name, call] : methods) {
        (void)seconds(call, 3);
        repeats[name] = std::max(1, static_cast<int>(sample_seconds / std::max(seconds(call, 20), 1e-9)));
    }
    for (int sample = 0; sample < samples; ++sample) {
        for (const auto& [name, call] : methods) times[name].push_back(seconds(call, repeats[name]));
    }
    return times;
}

}  // namespace

void bind_pack(nb::module_& module) {
    module.def("pack_works", &pack_works, "Names of the works of `time_pack`. Local.");
    module.def("time_pack", &time_pack, "work"_a, "samples"_a,
               "Seconds per call of pack, unpack and memcpy, which alternate: raw samples, and the bytes of a call. "
               "Local.");
}

}  // namespace lapwing::bench
