#include "predict/memory_traffic.hpp"

#include <algorithm>
#include <array>
#include <list>
#include <numeric>

namespace lapwing::predict {

namespace {

constexpr double pieces_in_cache = 32;  // of all fields together, at least

// A cache that forgets what was not touched for longest.
class Cache {
  public:
    Cache(double bytes, std::size_t pieces) : free_(bytes), held_(pieces, order_.end()) {}

    // True if it held the piece, which it does from now on.
    bool touch(std::size_t piece, double bytes) {
        if (held_[piece] != order_.end()) {
            order_.splice(order_.begin(), order_, held_[piece]);
            return true;
        }
        order_.push_front({piece, bytes});
        held_[piece] = order_.begin();
        free_ -= bytes;
        while (free_ < 0) forget_last();
        return false;
    }

  private:
    struct Held {
        std::size_t piece;
        double bytes;
    };
    void forget_last() {
        free_ += order_.back().bytes;
        held_[order_.back().piece] = order_.end();
        order_.pop_back();
    }

    double free_;
    std::list<Held> order_;  // the last touched first
    std::vector<std::list<Held>::iterator> held_;
};

bool computes(const TaskOutline& task) { return task.task.kind == Task::Kind::compute && !task.task.box.empty(); }

// The cells of a rank, cut at the edges of the boxes of its tasks, and further where pieces would be large.
class Pieces {
  public:
    // `cells`: of a piece, about, where no edge cuts it.
    Pieces(const RankOutline& outline, double cells) {
        for (const StepOutline& step : outline.steps)
            for (const TaskOutline& task : step.tasks)
                if (computes(task)) add_edges(task.task.box);
        double slice = 1;  // cells of a piece that is one cell thick
        for (auto& cuts : cuts_) {
            sort(cuts);
            if (cuts.empty()) return;
            const auto size = static_cast<double>(cuts.back() - cuts.front()), most = std::max(1.0, cells / slice);
            cut(cuts, static_cast<Index>(most));
            slice *= std::min(size, most);
        }
    }

    [[nodiscard]] std::size_t count() const { return cuts_[0].size() * cuts_[1].size() * cuts_[2].size(); }
    // Calls visit(number, cells) for the pieces of a box, in the order in which a kernel goes through them.
    template <class Visit>
    void for_pieces(const Box& box, const Visit& visit) const {
        const auto first = [&](std::size_t axis) { return place(axis, box.lo[axis]); };
        const auto last = [&](std::size_t axis) { return place(axis, box.hi[axis]); };
        for (std::size_t z = first(2); z < last(2); ++z)
            for (std::size_t y = first(1); y < last(1); ++y)
                for (std::size_t x = first(0); x < last(0); ++x)
                    visit((z * cuts_[1].size() + y) * cuts_[0].size() + x, length(0, x) * length(1, y) * length(2, z));
    }

  private:
    void add_edges(const Box& box) {
        for (std::size_t axis = 0; axis < 3; ++axis)
            cuts_[axis].insert(cuts_[axis].end(), {box.lo[axis], box.hi[axis]});
    }
    static void sort(std::vector<Index>& cuts) {
        std::ranges::sort(cuts);
        cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
    }
    // Cuts what is longer than `most`.
    static void cut(std::vector<Index>& cuts, Index most) {
        for (std::size_t n = cuts.size(); n-- > 1;)
            for (Index at = cuts[n - 1] + most; at < cuts[n]; at += most) cuts.push_back(at);
        sort(cuts);
    }
    [[nodiscard]] std::size_t place(std::size_t axis, Index at) const {
        return std::ranges::lower_bound(cuts_[axis], at) - cuts_[axis].begin();
    }
    [[nodiscard]] double length(std::size_t axis, std::size_t n) const {
        return static_cast<double>(cuts_[axis][n + 1] - cuts_[axis][n]);
    }

    std::array<std::vector<Index>, 3> cuts_;
};

// A field of a stage.
struct Touched {
    int field;
    double bytes;  // in a cell
    double times;  // that they cross to memory and back where the cache does not hold them
};

// The fields that an entry of a step reads and writes, each once.
std::vector<Touched> touched_by(const StepOutline& step, std::size_t entry, const std::vector<FieldOutline>& fields) {
    std::vector<Touched> touched;
    for (int f = 0; f < std::ssize(fields); ++f) {
        const bool written = std::ranges::count(step.writes[entry], f) > 0;
        if (written || std::ranges::count(step.reads[entry], f) > 0)
            touched.push_back({f, static_cast<double>(fields[f].bytes), written ? 2.0 : 1.0});
    }
    return touched;
}

// The tasks of a step by priority, which is about the order in which they are done.
std::vector<int> order_of(const StepOutline& step) {
    std::vector<int> order(step.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int n) { return step.tasks[n].task.priority; });
    return order;
}

// Bytes that a processor loads ahead of a row and behind its end. Land between two stretches of water is loaded with
// them where it is shorter: on an AMD EPYC (Genoa) each end costs as much as 2.2 to 2.6 KB of each field more.
constexpr double loaded_behind = 2400;

// The share of the box of a task that comes from memory, for fields of `bytes` in a cell.
double loaded(const Task& task, double bytes) {
    if (task.parts.empty()) return 1;
    double cells = 0;
    for (std::size_t n = 0; n < task.parts.size(); ++n) {
        const Box& part = task.parts[n];
        const bool goes_on = n + 1 < task.parts.size() && task.parts[n + 1].lo[1] == part.lo[1];
        const Index end = goes_on ? task.parts[n + 1].lo[0] : task.box.hi[0];
        const double behind = std::min(static_cast<double>(end - part.hi[0]), loaded_behind / bytes);
        cells += (static_cast<double>(part.size(0)) + behind) * static_cast<double>(part.size(1) * part.size(2));
    }
    return cells / static_cast<double>(task.box.volume());
}

// A rank that goes through its tasks again and again.
class Traffic {
  public:
    Traffic(const RankOutline& outline, double cache)
        : outline_(outline),
          pieces_(outline, cache / bytes_in_cell(outline) / pieces_in_cache),
          cache_(cache, pieces_.count() * outline.fields.size()) {}

    // The bytes that each task of a step loads and stores.
    std::vector<double> of(const StepOutline& step) {
        std::vector<double> bytes(step.tasks.size(), 0.0);
        std::vector<std::vector<Touched>> touched;  // of each entry
        for (std::size_t e = 0; e < step.reads.size(); ++e) touched.push_back(touched_by(step, e, outline_.fields));
        for (const int n : order_of(step)) {
            const TaskOutline& task = step.tasks[n];
            if (computes(task)) bytes[n] = of(task.task, touched[task.task.entry]);
        }
        return bytes;
    }

  private:
    static double bytes_in_cell(const RankOutline& outline) {
        double bytes = 1;
        for (const FieldOutline& field : outline.fields) bytes += static_cast<double>(field.bytes);
        return bytes;
    }
    double of(const Task& task, const std::vector<Touched>& touched) {
        double bytes = 0;
        std::vector<double> share;
        for (const Touched& one : touched) share.push_back(loaded(task, one.bytes));
        pieces_.for_pieces(task.box, [&](std::size_t piece, double cells) {
            for (std::size_t f = 0; f < touched.size(); ++f) {
                const Touched& one = touched[f];
                const double size = share[f] * cells * one.bytes;
                if (!cache_.touch(piece * outline_.fields.size() + one.field, size)) bytes += one.times * size;
            }
        });
        return bytes;
    }

    const RankOutline& outline_;
    Pieces pieces_;
    Cache cache_;
};

}  // namespace

std::vector<std::vector<double>> bytes_from_memory(const RankOutline& outline, double cache) {
    std::vector<std::vector<double>> bytes;
    for (const StepOutline& step : outline.steps) bytes.emplace_back(step.tasks.size(), 0.0);
    if (cache <= 0) return bytes;
    Traffic traffic(outline, cache);
    for (const bool warm : {false, true})
        for (std::size_t s = 0; s < outline.steps.size(); ++s) {
            std::vector<double> of_step = traffic.of(outline.steps[s]);
            if (warm) bytes[s] = std::move(of_step);
        }
    return bytes;
}

}  // namespace lapwing::predict
