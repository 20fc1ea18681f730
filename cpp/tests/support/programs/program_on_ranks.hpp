#pragma once
// A random program through the door that models use: declared stages on a domain.

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <thread>
#include <variant>

#include "lapwing/lapwing.hpp"
#include "program_cells.hpp"
#include "program_in_one_piece.hpp"
#include "program_text.hpp"
#include "programs/threads.hpp"

namespace lapwing::testing {

// How a program is run.
struct Way {
    enum class Watch { plain, checked, observed };
    std::string strategy = "blocking", transport = "p2p";
    Watch watch = Watch::plain;
    int slow_rank = -1;  // whose kernels sleep now and then, so that others are ahead of it
    int threads = 1;     // of each rank
    // Land is left out where fields are constant there, and messages take this form; nothing: it is computed and sent.
    std::optional<WetForm> land{};

    [[nodiscard]] std::string text() const {
        constexpr const char* words[] = {"plain", "checked", "observed"};
        return concat(strategy, " over ", transport, ", ", words[static_cast<int>(watch)], ", slow rank ", slow_rank,
                      ", threads ", threads, land ? concat(", without land, messages ", *land) : "");
    }
};

class ProgramOnRanks {
  public:
    ProgramOnRanks(const Program& program, const Way& way)
        : program_(program),
          way_(way),
          whole_(program),
          domain_(Partition(program.grid, program.ranks, program.parts), MPI_COMM_WORLD),
          team_(crowd(domain_, way.threads)) {
        for (int n = 0; n < program.numbers; ++n) numbers_.push_back(kind_of(n) ? minimum() : maximum());
        for (int f = 0; f < std::ssize(program.fields); ++f) declare(f);
        if (!way.land || program.wet.empty()) return;
        set_land(domain_, std::make_shared<const Mask>(program.grid.size[0], program.grid.size[1], program.wet),
                 *way.land);
    }
    ~ProgramOnRanks() { domain_.close(); }

    // The fault on this rank after any action; empty: none. Collective.
    std::string run() {
        std::vector<Stages> cycle;
        StepOptions options{.strategy = way_.strategy, .transport = way_.transport, .threads = way_.threads};
        for (const auto& stages : program_.cycle) {
            cycle.emplace_back();
            for (const ProgramStage& stage : stages) cycle.back().push_back(declared(stage));
            for (const ProgramStage& stage : stages)
                if (stage.sent) options.listed.push_back({stage.name, name_of(stage.writes[0])});
        }
        options.listed_halo = Extent::cross(1);
        Step step(domain_, cycle, options);
        if (way_.watch == Way::Watch::checked) step.check();
        if (way_.watch == Way::Watch::observed) step.observe(), step.draw_timeline(100000);
        fill();
        for (const Action& action : program_.actions) {
            take(step, action);
            if (action.kind != Action::Kind::run && action.kind != Action::Kind::run_each) continue;
            std::string wrong = differences(action);
            int any = wrong.empty() ? 0 : 1;  // all stop together
            MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (any != 0) return wrong;
        }
        return "";
    }

  private:
    using Typed = std::variant<Field<double>, Field<float>>;

    static std::string name_of(int field) { return "f" + std::to_string(field); }
    [[nodiscard]] bool kind_of(int number) const {
        for (const auto& stages : program_.cycle)
            for (const ProgramStage& stage : stages)
                if (stage.number == number) return stage.least;
        return false;
    }
    void declare(int f) {
        const ProgramField& field = program_.fields[f];
        const FieldOptions options{.levels = field.levels,
                                   .components = field.components,
                                   .component_extents = field.component_extents,
                                   .constant_on_land = field.constant};
        if (field.narrow) {
            fields_.emplace_back(Field<float>(domain_, name_of(f), options));
        } else {
            fields_.emplace_back(Field<double>(domain_, name_of(f), options));
        }
    }

    // The views of a kernel on one box, by the number of the read or the write.
    struct Values {
        std::vector<std::variant<View<const double>, View<const float>>> reads;
        std::vector<std::variant<View<double>, View<float>>> writes;

        Bits read(int r, const Index3& cell, int c) { return bits_at(reads[r], cell, c); }
        Bits old(int w, const Index3& cell, int c) { return bits_at(writes[w], cell, c); }
        void write(int w, const Index3& cell, int c, Bits bits) {
            if (writes[w].index() == 0) {
                std::get<0>(writes[w])(cell[0], cell[1], cell[2], c) = std::bit_cast<double>(bits);
            } else {
                std::get<1>(writes[w])(cell[0], cell[1], cell[2], c) =
                    std::bit_cast<float>(static_cast<std::uint32_t>(bits));
            }
        }
        template <class Views>
        static Bits bits_at(const Views& views, const Index3& cell, int c) {
            if (views.index() == 0)
                return std::bit_cast<Bits>(static_cast<double>(std::get<0>(views)(cell[0], cell[1], cell[2], c)));
            return std::bit_cast<std::uint32_t>(static_cast<float>(std::get<1>(views)(cell[0], cell[1], cell[2], c)));
        }
    };

    template <class Wide, class Narrow>
    static auto in_order(const std::vector<bool>& narrow, const std::vector<View<Wide>>& wide,
                         const std::vector<View<Narrow>>& thin) {
        std::vector<std::variant<View<Wide>, View<Narrow>>> all;
        std::size_t w = 0, t = 0;
        for (const bool is_thin : narrow) {
            if (is_thin) {
                all.emplace_back(thin[t++]);
            } else {
                all.emplace_back(wide[w++]);
            }
        }
        return all;
    }

    template <class T>
    Declared<const T> declared_read(const Field<T>& field, const ProgramRead& read) {
        const Declared<const T> all = read.extent.empty() ? reads(field) : reads(field, read.extent);
        return read.demand < 0 ? all : all.as_wide_as(numbers_[read.demand], read.widths);
    }
    template <class T>
    static Declared<T> declared_write(const Field<T>& field, const ProgramStage& stage) {
        if (stage.role == Role::scatter) return scatters(field);
        return stage.updates ? updates(field) : writes(field);
    }

    Stage declared(const ProgramStage& stage) {
        DeclaredAll<const double> wide_reads;
        DeclaredAll<const float> narrow_reads;
        DeclaredAll<double> wide_writes;
        DeclaredAll<float> narrow_writes;
        std::vector<bool> read_narrow, written_narrow;
        for (const ProgramRead& read : stage.reads) {
            const Typed& field = fields_[read.field];
            read_narrow.push_back(field.index() == 1);
            if (field.index() == 0) wide_reads.all.push_back(declared_read(std::get<0>(field), read));
            if (field.index() == 1) narrow_reads.all.push_back(declared_read(std::get<1>(field), read));
        }
        for (int number : stage.writes) {
            const Typed& field = fields_[number];
            written_narrow.push_back(field.index() == 1);
            if (field.index() == 0) wide_writes.all.push_back(declared_write(std::get<0>(field), stage));
            if (field.index() == 1) narrow_writes.all.push_back(declared_write(std::get<1>(field), stage));
        }
        const auto offsets = std::make_shared<Offsets>(offsets_of(program_, stage));
        const auto work = [this, &stage, offsets, read_narrow, written_narrow](
                              const Box& box, const auto& to, const auto& to_narrow, const auto& from,
                              const auto& from_narrow, double* partial) {
            sleep_now_and_then();
            Values values{in_order(read_narrow, from, from_narrow), in_order(written_narrow, to, to_narrow)};
            std::vector<double> numbers;
            for (const Reduced& number : numbers_) numbers.push_back(number.value());
            CellWork<Values>(program_, stage, *offsets, values, numbers, partial).compute(box);
        };
        return with_words(stage, wide_writes, narrow_writes, wide_reads, narrow_reads, work);
    }

    template <class Work>
    Stage with_words(const ProgramStage& stage, const DeclaredAll<double>& wide_writes,
                     const DeclaredAll<float>& narrow_writes, const DeclaredAll<const double>& wide_reads,
                     const DeclaredAll<const float>& narrow_reads, const Work& work) {
        using To = const std::vector<View<double>>&;
        using ToNarrow = const std::vector<View<float>>&;
        using From = const std::vector<View<const double>>&;
        using FromNarrow = const std::vector<View<const float>>&;
        const auto kernel = [work](Box box, To a, ToNarrow b, From c, FromNarrow d) { work(box, a, b, c, d, nullptr); };
        const auto reducing = [work](Box box, To a, ToNarrow b, From c, FromNarrow d, double& partial) {
            work(box, a, b, c, d, &partial);
        };
        Stage made = stage.number < 0
                         ? lapwing::stage(stage.name, kernel, wide_writes, narrow_writes, wide_reads, narrow_reads)
                         : lapwing::stage(stage.name, reducing, wide_writes, narrow_writes, wide_reads, narrow_reads,
                                          reduces(numbers_[stage.number]));
        if (stage.region) made = made.on(*stage.region);
        if (!stage.rim.empty()) made = made.rim(stage.rim);
        if (stage.role == Role::colour) made = made.in_any_order();
        made.repeats = stage.repeats;
        made.repeats_above = stage.above;
        if (stage.iteration >= 0) made = made.in_iteration(stage.iteration);
        if (stage.together) made = made.then([this, &stage] { add_sum(stage.writes[0]); });
        return made;
    }

    void sleep_now_and_then() {
        if (domain_.rank() != way_.slow_rank || ++calls_ % 3 != 0) return;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

    // Calls use(cell, level, component, view) for all values of owned cells.
    template <class Use>
    void each_owned(int f, const Use& use) {
        const ProgramField& field = program_.fields[f];
        std::visit(
            [&]<class T>(const Field<T>& typed) {
                for (int b = 0; b < std::ssize(typed.memory().blocks()); ++b) {
                    const View<T> view = typed.memory().template view<T>(b);
                    const Box owned = domain_.partition().subdomain(typed.memory().blocks()[b].subdomain).box;
                    for_cells_of(owned, [&](const Index3& cell) {
                        if (!program_.is_owned(cell[0], cell[1])) return;
                        each_value(field, cell[2],
                                   [&](Index l, int c) { use(cell, l, c, view(cell[0], cell[1], l, c)); });
                    });
                }
            },
            fields_[f]);
    }
    template <class Use>
    static void for_cells_of(const Box& box, const Use& use) {
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) use({i, j, k});
    }
    static Bits bits_of(double value) { return std::bit_cast<Bits>(value); }
    static Bits bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
    static void set(double& value, Bits bits) { value = std::bit_cast<double>(bits); }
    static void set(float& value, Bits bits) { value = std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
    [[nodiscard]] int number_of_value(int f, Index level, int component) const {
        const ProgramField& field = program_.fields[f];
        return static_cast<int>(field.levels > 0 ? level : 0) * field.components + component;
    }
    [[nodiscard]] AnyField& memory(int f) const {
        return std::visit([](const auto& field) -> AnyField& { return field.memory(); }, fields_[f]);
    }

    void fill() {
        for (int f = 0; f < std::ssize(fields_); ++f) {
            if (!memory(f).has_memory()) continue;  // no stage names it
            each_owned(f, [&](const Index3& cell, Index l, int c, auto& value) {
                set(value, first_bits(program_, f, cell, number_of_value(f, l, c)));
            });
            memory(f).modified();
        }
    }
    void modify(int f) {
        if (!memory(f).has_memory()) return;
        each_owned(f, [&](const Index3& cell, Index l, int c, auto& value) {
            set(value, modified_bits(program_, f, cell, number_of_value(f, l, c), bits_of(value)));
        });
        memory(f).modified();
    }
    void add_sum(int f) {
        Bits sum = 0;
        each_owned(f, [&](const Index3&, Index, int, auto& value) { sum += bits_of(value); });
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, domain_.comm());
        each_owned(f, [&](const Index3&, Index, int, auto& value) {
            set(value, number_bits(program_.fields[f], mixed_bits(bits_of(value), sum)));
        });
    }

    void take(Step& step, const Action& action) {
        std::vector<Box> changed;
        switch (action.kind) {
            case Action::Kind::run:
                step.run(action.number);
                break;
            case Action::Kind::run_each:
                for (int n = 0; n < action.number; ++n) step.run();
                break;
            case Action::Kind::modify:
                modify(action.number);
                return whole_.modify(action.number, {program_.grid.box()});
            case Action::Kind::modify_on_one:
                if (domain_.rank() == 0) modify(action.number);
                for (const Subdomain& part : program_.parts)
                    if (part.rank == 0) changed.push_back(part.box);
                return whole_.modify(action.number, changed);
            case Action::Kind::restart:
                step.restart_at(action.number);
                return whole_.restart_at(action.number);
        }
        for (int n = 0; n < action.number; ++n) whole_.run_step();
    }

    std::string differences(const Action& after) {
        std::string first;
        int count = 0;
        for (int f = 0; f < std::ssize(fields_); ++f) {
            if (!memory(f).has_memory()) continue;
            each_owned(f, [&](const Index3& cell, Index l, int c, auto& value) {
                const Bits expected = whole_.at(f, {cell[0], cell[1], l}, c);
                if (bits_of(value) == expected || ++count > 1) return;
                first = concat("field f", f, ", cell (", cell[0], ", ", cell[1], ", ", l, "), component ", c, ", rank ",
                               domain_.rank(), ": got bits ", bits_of(value), "; expected ", expected);
            });
        }
        return count == 0 ? "" : concat("after ", text_of(after), ": ", first, "; ", count, " such values");
    }

    const Program& program_;
    Way way_;
    ProgramInOnePiece whole_;
    Domain domain_;
    std::shared_ptr<ThreadTeam> team_;
    std::vector<Reduced> numbers_;
    std::vector<Typed> fields_;
    std::atomic<Index> calls_ = 0;
};

}  // namespace lapwing::testing
