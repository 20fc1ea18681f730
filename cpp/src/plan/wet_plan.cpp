#include "lapwing/plan/wet_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>

#include "grid/periodic_image.hpp"
#include "lapwing/base/error.hpp"

namespace lapwing {

namespace {

constexpr std::array<std::string_view, 5> form_names{"off", "clip", "patches", "lists", "auto"};

Index wrapped(Index v, Index n) { return (v % n + n) % n; }

}  // namespace

std::string_view to_string(WetForm form) { return form_names[static_cast<std::size_t>(form)]; }

std::vector<std::string> wet_form_names() { return {form_names.begin(), form_names.end()}; }

WetForm wet_form_from(std::string_view name) {
    const auto known = std::ranges::find(form_names, name);
    if (known != form_names.end()) return static_cast<WetForm>(known - form_names.begin());
    user_error("form of wet messages", name, "one of " + listed(form_names, ", "), "choose one");
}

namespace {

// True if cell (i, j) is wet, or the cell of the grid whose image it is.
bool wet_image(const Mask& mask, Index i, Index j, NorthFold fold) {
    if (fold != NorthFold::none && j >= mask.ny()) {
        const Grid grid{{mask.nx(), mask.ny(), 1}, periodic_x, fold};
        const Box there = turned_at_fold(grid, Location::center, {{i, j, 0}, {i + 1, j + 1, 1}});
        i = there.lo[0];
        j = there.lo[1];
    }
    return mask.wet(wrapped(i, mask.nx()), wrapped(j, mask.ny()));
}

}  // namespace

bool touches_water(const Mask& mask, Index i, Index j, Location location, NorthFold fold) {
    const Index right = location == Location::xface || location == Location::corner ? 1 : 0;
    const Index up = location == Location::yface || location == Location::corner ? 1 : 0;
    for (Index b = j; b <= j + up; ++b) {
        for (Index a = i; a <= i + right; ++a) {
            if (wet_image(mask, a, b, fold)) return true;
        }
    }
    return false;
}

void check_fold_row(const Mask& mask, NorthFold fold) {
    if (fold != NorthFold::t_point) return;
    const Index j = mask.ny() - 1;
    for (Index i = 1; i < mask.nx(); ++i) {
        if (mask.wet(i, j) == mask.wet(mask.nx() - i, j)) continue;
        user_error("mask of a grid with a north fold through T points",
                   concat("cell (", i, ", ", j, ") ", mask.wet(i, j) ? "wet" : "dry", ", its twin (", mask.nx() - i,
                          ", ", j, ") not"),
                   "one value for both, which are one cell", "give both halves of the last row the same mask");
    }
}

namespace {

// The columns of one piece that hold wet values. Boxes are relative to the box of the piece, one cell high.
class WetColumns {
  public:
    WetColumns(const Mask& mask, const Piece& piece, Location location, NorthFold fold)
        : size_{piece.source_box.size(0), piece.source_box.size(1)}, wet_(size_[0] * size_[1], 0) {
        const auto visit = [&](Index column) {
            const Index i = piece.source_box.lo[0] + column % size_[0], j = piece.source_box.lo[1] + column / size_[0];
            wet_[column] = touches_water(mask, i, j, location, fold) ? 1 : 0;
        };
        for (const Index column : piece.columns) visit(column);
        for (Index column = 0; piece.columns.empty() && column < size_[0] * size_[1]; ++column) visit(column);
        count_ = std::ranges::count(wet_, 1);
    }

    [[nodiscard]] Index count() const { return count_; }

    // Returns them as ascending positions.
    [[nodiscard]] std::vector<Index> positions() const {
        std::vector<Index> columns;
        for (std::size_t n = 0; n < wet_.size(); ++n) {
            if (wet_[n] != 0) columns.push_back(n);
        }
        return columns;
    }

    // Disjoint rectangles that hold all wet columns and no other: runs along `axis`, equal ones of neighbouring lines
    // joined.
    [[nodiscard]] std::vector<Box> runs(int axis) const {
        std::vector<Box> done, open;
        for (Index line = 0; line < size_[1 - axis]; ++line) {
            std::vector<Box> now = runs_of(line, axis);
            for (Box& run : now) {
                const auto same = std::ranges::find_if(
                    open, [&](const Box& b) { return b.lo[axis] == run.lo[axis] && b.hi[axis] == run.hi[axis]; });
                if (same == open.end()) continue;
                run.lo[1 - axis] = same->lo[1 - axis];
                open.erase(same);
            }
            done.insert(done.end(), open.begin(), open.end());
            open = std::move(now);
        }
        done.insert(done.end(), open.begin(), open.end());
        std::ranges::sort(done);
        return done;
    }

  private:
    [[nodiscard]] std::vector<Box> runs_of(Index line, int axis) const {
        std::vector<Box> found;
        const auto wet = [&](Index n) {
            const Index column = axis == 0 ? n + size_[0] * line : line + size_[0] * n;
            return wet_[column] != 0;
        };
        for (Index n = 0; n < size_[axis]; ++n) {
            if (!wet(n)) continue;
            Box run{{0, 0, 0}, {0, 0, 1}};
            run.lo[axis] = n;
            while (n < size_[axis] && wet(n)) ++n;
            run.hi[axis] = n;
            run.lo[1 - axis] = line;
            run.hi[1 - axis] = line + 1;
            found.push_back(run);
        }
        return found;
    }

    std::array<Index, 2> size_;
    std::vector<std::uint8_t> wet_;
    Index count_ = 0;
};

Box hull(const std::vector<Box>& boxes) {
    Box around;
    for (const Box& box : boxes) around = lapwing::hull(around, box);
    return around;
}

Index area(const std::vector<Box>& boxes) {
    Index sum = 0;
    for (const Box& box : boxes) sum += box.volume();
    return sum;
}

// Boxes n and m replaced by their hull, together with all that it would overlap: patches stay disjoint.
std::vector<Box> joined(std::vector<Box> boxes, std::size_t n, std::size_t m) {
    Box around = hull({boxes[n], boxes[m]});
    const auto swallow = [&](const Box& box) {
        if (intersect(box, around).empty()) return false;
        around = lapwing::hull(around, box);
        return true;
    };
    while (std::erase_if(boxes, swallow) > 0) {
    }
    boxes.insert(boxes.begin() + std::min(n, boxes.size()), around);
    return boxes;
}

// The piece within a box that is relative to its own.
Piece part(const Piece& piece, const Box& box) {
    Box source = piece.source_box;
    for (int axis = 0; axis < 2; ++axis) {
        source.hi[axis] = source.lo[axis] + box.hi[axis];
        source.lo[axis] += box.lo[axis];
    }
    return part_of(piece, source);
}

// Chooses for the pieces of one field, seeing nothing but what both ends of a message know.
class Chooser {
  public:
    Chooser(const Mask& mask, NorthFold fold, const FieldSpec& spec, const WetCost& cost, WetForm form)
        : mask_(mask), fold_(fold), spec_(spec), cost_(cost), form_(form) {}

    [[nodiscard]] std::vector<Piece> wet_pieces(const Piece& piece) const {
        const WetColumns wet(mask_, piece, spec_.location, fold_);
        if (wet.count() == 0) return {};
        if (wet.count() * column_values(piece) == values(piece)) return {piece};
        Piece list = piece;
        list.columns = wet.positions();
        if (!piece.columns.empty()) return {list};
        const std::vector<Box> boxes = best_boxes(piece, wet);
        if (form_ >= WetForm::lists && list_seconds(list) < seconds(piece, boxes)) return {list};
        std::vector<Piece> pieces;
        for (const Box& box : boxes) pieces.push_back(part(piece, box));
        return pieces;
    }

  private:
    // Values in one column of a piece.
    static Index column_values(const Piece& piece) {
        return piece.source_box.size(2) * (piece.component_hi - piece.component_lo);
    }

    [[nodiscard]] double seconds(const Piece& piece, const std::vector<Box>& boxes) const {
        return seconds(piece, area(boxes), boxes.size(), 0);
    }

    [[nodiscard]] double list_seconds(const Piece& list) const {
        const Index columns = list.columns.size();
        return seconds(list, columns, 1, columns);
    }

    // The cost of `columns` columns of a piece in `pieces` pieces, when lists name `listed` of them.
    [[nodiscard]] double seconds(const Piece& piece, Index columns, Index pieces, Index listed) const {
        const Index bytes = columns * column_values(piece) * size_of(spec_.type);
        const double walk = static_cast<double>(pieces) * cost_.seconds_per_piece +
                            static_cast<double>(listed) * cost_.seconds_per_column;
        return static_cast<double>(bytes) * cost_.seconds_per_byte + static_cast<double>(walks(piece)) * walk;
    }

    // The number of walks over the columns: once per turn of the loops outside the faster of x and y.
    [[nodiscard]] Index walks(const Piece& piece) const {
        Index turns = 1;
        bool outside = false;
        for (const int axis : spec_.order) {
            if (axis < 2) {
                outside = true;
            } else if (outside) {
                turns *= axis == 2 ? piece.source_box.size(2) : piece.component_hi - piece.component_lo;
            }
        }
        return turns;
    }

    // Returns the cheapest of the whole box, the wet bounds and patches; of equal ones the simplest.
    [[nodiscard]] std::vector<Box> best_boxes(const Piece& piece, const WetColumns& wet) const {
        std::vector<Box> best{{{0, 0, 0}, {piece.source_box.size(0), piece.source_box.size(1), 1}}};
        const auto consider = [&](std::vector<Box> boxes) {
            if (seconds(piece, boxes) < seconds(piece, best)) best = std::move(boxes);
        };
        consider({hull(wet.runs(0))});
        if (form_ < WetForm::patches) return best;
        for (const int axis : {0, 1}) consider(patches(piece, wet.runs(axis)));
        return best;
    }

    // Joins neighbours in the list while that is cheaper; leaves lists alone that are so long that only an index list
    // can win.
    [[nodiscard]] std::vector<Box> patches(const Piece& piece, std::vector<Box> boxes) const {
        constexpr std::size_t reach = 4;  // further ones seldom fit, and trying all pairs would be cubic
        constexpr std::size_t most = 256;
        for (bool changed = boxes.size() <= most; changed;) {
            changed = false;
            for (std::size_t n = 0; n < boxes.size(); ++n) {
                for (std::size_t m = n + 1; m < boxes.size() && m <= n + reach; ++m) {
                    std::vector<Box> fewer = joined(boxes, n, m);
                    if (seconds(piece, fewer) >= seconds(piece, boxes)) continue;
                    boxes = std::move(fewer);
                    changed = true;
                    m = n;
                }
            }
        }
        std::ranges::sort(boxes);
        return boxes;
    }

    const Mask& mask_;
    NorthFold fold_;
    const FieldSpec& spec_;
    const WetCost& cost_;
    WetForm form_;
};

bool of_whole_grid(const Piece& piece) { return piece.source == whole_grid || piece.target == whole_grid; }

// A plan does not know its grid; in a plan of one phase one end of every piece lies inside it.
void check_size(const MessagePlan& plan, const Mask& mask) {
    for (const FieldSpec& field : plan.fields) {
        if (plan.faces == 0 || field.location == Location::center) continue;
        user_error("wet messages of field " + field.name, concat(field.location, " points of a grid with faces"),
                   "centers: a plan does not know the cells beyond a face", "leave the land in these messages");
    }
    const auto inside = [&](const Box& box) {
        return box.lo[0] >= 0 && box.lo[1] >= 0 && box.hi[0] <= mask.nx() && box.hi[1] <= mask.ny();
    };
    if (plan.phases.size() != 1) return;
    std::vector<Piece> pieces = plan.phases[0].copies;
    for (const auto* messages : {&plan.phases[0].sends, &plan.phases[0].receives}) {
        for (const Message& m : *messages) pieces.insert(pieces.end(), m.pieces.begin(), m.pieces.end());
    }
    for (const Piece& piece : pieces) {
        if (of_whole_grid(piece) || inside(piece.source_box) || inside(piece.target_box)) continue;
        user_error("mask of wet messages", concat(mask.nx(), " x ", mask.ny(), " columns"),
                   concat("the size of the grid, at least up to ", piece.source_box),
                   "pass the mask that the partition was cut with");
    }
}

std::vector<Piece> sent_pieces(const MessagePlan& plan) {
    std::vector<Piece> pieces;
    for (const Phase& phase : plan.phases) {
        for (const Message& message : phase.sends) std::ranges::copy(message.pieces, std::back_inserter(pieces));
    }
    return pieces;
}

// True if `wet` is what is left of `piece`, or a part of that.
bool stems_from(const Piece& wet, const Piece& piece) {
    const auto identity = [](const Piece& p) {
        return std::tie(p.field, p.source, p.target, p.component_lo, p.component_hi);
    };
    return identity(wet) == identity(piece) && piece.target_box.contains(wet.target_box) &&
           (piece.columns.empty() || std::ranges::includes(piece.columns, wet.columns));
}

void count_pieces(const MessagePlan& plan, const MessagePlan& wet, WetShare& share) {
    const std::vector<Piece> before = sent_pieces(plan), after = sent_pieces(wet);
    auto next = after.begin();
    for (const Piece& piece : before) {
        const auto first = next;
        while (next != after.end() && stems_from(*next, piece)) ++next;
        if (next == first) {
            ++share.dry;
        } else if (*first == piece) {
            ++share.whole;
        } else if (!first->columns.empty()) {
            ++share.listed;
        } else {
            ++(next - first == 1 ? share.clipped : share.patched);
        }
    }
}

}  // namespace

MessagePlan wet_only(const MessagePlan& plan, const Mask& mask, const WetCost& cost, const WetRules& rules) {
    check_size(plan, mask);
    check_fold_row(mask, plan.north_fold);
    if (rules.form == WetForm::off) return plan;
    const auto make_wet = [&](std::vector<Piece>& pieces) {
        std::vector<Piece> all;
        for (const Piece& piece : pieces) {
            const FieldSpec& spec = plan.fields[piece.field];
            // a mask does not tell which cells of a frame are land
            const bool whole = of_whole_grid(piece) || spec.frame || (rules.declared_only && !spec.constant_on_land);
            const auto wet =
                whole ? std::vector{piece} : Chooser(mask, plan.north_fold, spec, cost, rules.form).wet_pieces(piece);
            all.insert(all.end(), wet.begin(), wet.end());
        }
        pieces = std::move(all);
    };
    MessagePlan wet = plan;
    for (Phase& phase : wet.phases) {
        for (auto* messages : {&phase.sends, &phase.receives}) {
            for (Message& message : *messages) make_wet(message.pieces);
            std::erase_if(*messages, [](const Message& message) { return message.pieces.empty(); });
        }
        make_wet(phase.copies);
    }
    return wet;
}

WetShare& WetShare::operator+=(const WetShare& other) {
    bytes_before += other.bytes_before;
    bytes_after += other.bytes_after;
    messages_before += other.messages_before;
    messages_after += other.messages_after;
    dry += other.dry;
    whole += other.whole;
    clipped += other.clipped;
    patched += other.patched;
    listed += other.listed;
    return *this;
}

WetShare wet_share(const MessagePlan& plan, const MessagePlan& wet) {
    WetShare share;
    share.bytes_before = bytes_sent(plan);
    share.bytes_after = bytes_sent(wet);
    share.messages_before = messages_sent(plan);
    share.messages_after = messages_sent(wet);
    count_pieces(plan, wet, share);
    return share;
}

std::string to_string(const WetShare& share) {
    const Index saved = share.bytes_before - share.bytes_after;
    const Index percent = share.bytes_before == 0 ? 0 : (100 * saved + share.bytes_before / 2) / share.bytes_before;
    return concat(share.bytes_after, " of ", share.bytes_before, " bytes (", percent, " % saved) in ",
                  share.messages_after, " of ", share.messages_before, " messages; pieces: ", share.dry, " dry, ",
                  share.whole, " whole, ", share.clipped, " clipped, ", share.patched, " in patches, ", share.listed,
                  " as lists");
}

}  // namespace lapwing
