#include "exchange_bench.hpp"

#include <memory>
#include <stdexcept>

#include "hand_exchange.hpp"
#include "lapwing/exchange.hpp"

namespace lapwing::bench {

namespace {

// The same work through lapwing, on memory that it allocated.
class LapwingExchange {
  public:
    LapwingExchange(MPI_Comm comm, const ExchangeWork& work, Corners corners)
        : work_(work), domain_(partition(comm, work), comm) {
        FieldSpec spec;
        spec.levels = work.levels;
        spec.extents = {Extent::horizontal(work.width)};
        for (int f = 0; f < work.fields; ++f) {
            spec.name = "f" + std::to_string(f);
            fields_.emplace_back(domain_.partition(), domain_.rank(), spec);
        }
        std::vector<const Field*> pointers;
        for (const Field& field : fields_) pointers.push_back(&field);
        exchange_ = std::make_unique<Exchange>(domain_, pointers, ExchangeOptions{.corners = corners});
    }
    ~LapwingExchange() {
        exchange_.reset();
        domain_.close();
    }

    void run() { exchange_->run(); }
    void touch() {
        const int w = work_.width;
        for (const Field& field : fields_) {
            const auto view = field.view<double>();
            const Box box = field.blocks()[0].owned;
            for (Index k = box.lo[2]; k < box.hi[2]; ++k) {
                for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
                    double* row = view.row(j, k);
                    if (j < box.lo[1] + w || j >= box.hi[1] - w) {
                        for (Index i = box.lo[0]; i < box.hi[0]; ++i) row[i] += 1.0;
                    } else {
                        for (Index i = box.lo[0]; i < box.lo[0] + w; ++i) row[i] += 1.0;
                        for (Index i = box.hi[0] - w; i < box.hi[0]; ++i) row[i] += 1.0;
                    }
                }
            }
        }
    }
    double at(int field, int i, int j, int level) const {
        const Box box = fields_[static_cast<std::size_t>(field)].blocks()[0].owned;
        return fields_[static_cast<std::size_t>(field)].view<double>()(box.lo[0] + i, box.lo[1] + j, level);
    }
    void set(int field, int i, int j, int level, double value) {
        const Box box = fields_[static_cast<std::size_t>(field)].blocks()[0].owned;
        fields_[static_cast<std::size_t>(field)].view<double>()(box.lo[0] + i, box.lo[1] + j, level) = value;
    }

  private:
    static Partition partition(MPI_Comm comm, const ExchangeWork& work) {
        int ranks = 1;
        MPI_Comm_size(comm, &ranks);
        const Grid grid{{work.nx, static_cast<Index>(work.ny) * ranks, 1}, {true, true, false}};
        return block_partition(grid, {1, ranks, 1});
    }

    ExchangeWork work_;
    Domain domain_;
    std::vector<Field> fields_;
    std::unique_ptr<Exchange> exchange_;
};

// All ways must move the same values, or their times say nothing.
void check_equal(MPI_Comm comm, const ExchangeWork& work, LapwingExchange& ours, HandExchange& hand) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const int levels = std::max(1, work.levels), w = work.width;
    const auto everywhere = [&](int margin, auto&& visit) {
        for (int f = 0; f < work.fields; ++f) {
            for (int k = 0; k < levels; ++k) {
                for (int j = -margin; j < work.ny + margin; ++j) {
                    for (int i = -margin; i < work.nx + margin; ++i) visit(f, i, j, k);
                }
            }
        }
    };
    everywhere(0, [&](int f, int i, int j, int k) {
        const double value = ((f * 1000.0 + k) * 1000.0 + j + rank * work.ny) * 1000.0 + i;
        hand.at(f, i, j, k) = value;
        ours.set(f, i, j, k, value);
    });
    hand.run();
    ours.run();
    int wrong = 0;
    everywhere(w, [&](int f, int i, int j, int k) { wrong += hand.at(f, i, j, k) != ours.at(f, i, j, k); });
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
    if (wrong > 0) throw std::logic_error("bench exchange: methods disagree in " + std::to_string(wrong) + " cells");
}

}  // namespace

std::map<std::string, std::vector<double>> time_exchange(MPI_Comm comm, const ExchangeWork& work, int samples,
                                                         int repeats) {
    LapwingExchange direct(comm, work, Corners::direct), ordered(comm, work, Corners::ordered);
    HandExchange combined(comm, work, true), separate(comm, work, false);
    for (LapwingExchange* ours : {&direct, &ordered}) {
        for (HandExchange* hand : {&combined, &separate}) check_equal(comm, work, *ours, *hand);
    }
    const auto method = [](std::string name, auto& way) {
        return Method{std::move(name), [&way] { way.touch(); }, [&way] { way.run(); }};
    };
    std::vector<Method> methods{method("p2p", direct), method("hand-combined", combined),
                                method("p2p-ordered", ordered), method("hand-separate", separate)};
    const auto seconds = time_in_turn(comm, methods, samples, repeats);
    std::map<std::string, std::vector<double>> by_name;
    for (std::size_t m = 0; m < methods.size(); ++m) by_name[methods[m].name] = seconds[m];
    return by_name;
}

}  // namespace lapwing::bench
