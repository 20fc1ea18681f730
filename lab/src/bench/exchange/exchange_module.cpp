#include "bindings.hpp"
#include "exchange/copy_limit.hpp"
#include "exchange/hand/hand_exchange.hpp"
#include "exchange/hand/hand_shared.hpp"
#include "exchange/hand/hand_two_phase.hpp"
#include "lapwing/exchange/exchange.hpp"

namespace lapwing::bench {

namespace {

// Arrays [x, y, z] with halo that Python holds.
void wrap_arrays(WorkArrays* self, const ExchangeWork& work, const std::vector<Array3>& arrays) {
    std::vector<double*> origins;
    Index3 strides{};
    for (const Array3& array : arrays) {
        for (std::size_t a = 0; a < 3; ++a) strides[a] = array.stride(a);
        origins.push_back(array.data() + work.width * (strides[0] + strides[1]));
    }
    new (self) WorkArrays(work, std::move(origins), strides);
}

void bind_work(nb::module_& module) {
    nb::class_<ExchangeWork>(module, "ExchangeWork",
                             "Fields of nx x ny cells per rank, both axes periodic, corners, float64.")
        .def(nb::init<int, int, int, int, int, std::array<int, 2>, bool>(), "nx"_a, "ny"_a, "levels"_a, "fields"_a,
             "width"_a, "blocks"_a, "levels_fastest"_a,
             "`levels` 0: 2D fields; `width` of the halo in cells; `blocks`: ranks along x and y. Local.")
        .def_ro("nx", &ExchangeWork::nx, "Cells of a rank along x.")
        .def_ro("ny", &ExchangeWork::ny, "Cells of a rank along y.")
        .def_ro("levels", &ExchangeWork::levels, "Levels; 0: a 2D field.")
        .def_ro("fields", &ExchangeWork::fields, "Number of fields.")
        .def_ro("width", &ExchangeWork::width, "Width of the halo in cells.")
        .def_ro("blocks", &ExchangeWork::blocks, "Ranks along x and y.")
        .def_ro("levels_fastest", &ExchangeWork::levels_fastest, "Whether levels are contiguous in memory, else x.")
        .def_prop_ro("halo_bytes", &ExchangeWork::halo_bytes, "Bytes of all halos of a rank. Local.");
    nb::class_<WorkArrays>(module, "WorkArrays", "The arrays of a method that is written in Python.")
        .def("__init__", &wrap_arrays, "work"_a, "arrays"_a, nb::keep_alive<1, 3>(),
             nb::sig("def __init__(self, work: ExchangeWork, "
                     "arrays: collections.abc.Sequence[numpy.typing.NDArray[numpy.float64]]) -> None"),
             "Use arrays [x, y, z] with halo in place, one per field, all with the same strides. Local.");
}

// An exchange through lapwing, in memory of lapwing's or the caller's; of several exchanges all are in flight
// together.
class LapwingMethod final : public ArrayMethod {
  public:
    LapwingMethod(MPI_Comm comm, const WorkArrays& arrays, std::vector<Exchange*> exchanges)
        : ArrayMethod(comm), arrays_(arrays), exchanges_(std::move(exchanges)) {
        pending_.reserve(exchanges_.size());
    }
    void exchange() override {
        if (exchanges_.size() == 1) return exchanges_[0]->run();
        pending_.clear();
        for (Exchange* exchange : exchanges_) pending_.push_back(exchange->start());
        for (Pending& pending : pending_) pending.wait();
    }

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }

    WorkArrays arrays_;
    std::vector<Exchange*> exchanges_;
    std::vector<Pending> pending_;
};

// A method that is written in Python.
class PythonMethod final : public ArrayMethod {
  public:
    PythonMethod(MPI_Comm comm, const WorkArrays& arrays, nb::callable fill_halos)
        : ArrayMethod(comm), arrays_(arrays), fill_halos_(std::move(fill_halos)) {}
    void exchange() override { fill_halos_(); }

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return arrays_; }

    WorkArrays arrays_;
    nb::callable fill_halos_;
};

using Made = std::unique_ptr<Method>;

Made make_hand(const Domain& domain, const ExchangeWork& work, const std::string& name) {
    MPI_Comm comm = domain.comm();
    if (name == "hand-shm") return std::make_unique<HandSlots>(comm, work);
    if (name == "hand-shm-in-place") return std::make_unique<HandInPlace>(comm, work);
    if (name == "hand-two-phase") return std::make_unique<HandTwoPhase>(comm, work);
    const auto kind = name == "hand-separate"  ? HandExchange::Kind::separate
                      : name == "hand-chunked" ? HandExchange::Kind::chunked
                                               : HandExchange::Kind::combined;
    return std::make_unique<HandExchange>(comm, work, kind);
}

void bind_methods(nb::module_& module) {
    nb::class_<Method>(module, "Method", "One way to do the exchange of a work item.")
        .def("sample", &Method::sample, "rounds"_a,
             "Seconds per round of rewriting edges and exchanging, and of rewriting alone: means over `rounds`, of the "
             "slowest rank, after rounds that are not timed. Collective.")
        .def("wrong_cells", &Method::wrong_cells, "Cells of all ranks that are wrong after one exchange. Collective.")
        .def("wrong_after_sample", &Method::wrong_after_sample,
             "The same after the exchanges that `sample` timed last. Collective.")
        .def("close", &Method::close, "Give back what is held together with other ranks. Collective.");
    module.def("hand_method", &make_hand, "domain"_a, "work"_a, "name"_a, nb::keep_alive<0, 1>(),
               "The exchange written by hand in the way of that name. Collective.");
    module.def(
        "copy_limit",
        [](const Domain& domain, const ExchangeWork& work, const std::string& means) -> Made {
            const auto found = means == "limit-pull"   ? CopyLimit::Means::pull
                               : means == "limit-push" ? CopyLimit::Means::push
                                                       : CopyLimit::Means::stream;
            return std::make_unique<CopyLimit>(domain.comm(), work, found);
        },
        "domain"_a, "work"_a, "means"_a, nb::keep_alive<0, 1>(),
        "As many bytes copied between ranks of one node, in one piece each: limit-pull, limit-push or limit-stream. "
        "Collective.");
    module.def(
        "lapwing_method",
        [](const Domain& domain, const WorkArrays& arrays, const std::vector<Exchange*>& exchanges) -> Made {
            return std::make_unique<LapwingMethod>(domain.comm(), arrays, exchanges);
        },
        "domain"_a, "arrays"_a, "exchanges"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(), nb::keep_alive<0, 3>(),
        "Exchanges of lapwing that fill the halos of the arrays, all in flight together. Local.");
    module.def(
        "python_method",
        [](const Domain& domain, const WorkArrays& arrays, nb::typed<nb::callable, void()> exchange) -> Made {
            return std::make_unique<PythonMethod>(domain.comm(), arrays, std::move(exchange));
        },
        "domain"_a, "arrays"_a, "exchange"_a, nb::keep_alive<0, 1>(), nb::keep_alive<0, 2>(),
        "A function that fills the halos of the arrays. Local.");
}

}  // namespace

void bind_exchange(nb::module_& module) {
    bind_work(module);
    bind_methods(module);
}

}  // namespace lapwing::bench
