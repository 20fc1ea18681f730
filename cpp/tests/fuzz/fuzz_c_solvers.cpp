// Solvers of the C interface on one rank: any calls with any arguments, also with handles that were freed. Calls that C
// forbids (memory that is smaller than was said) are left out.

#include <mpi.h>

#include <array>
#include <bit>
#include <vector>

#include "input/fuzz_input.hpp"
#include "lapwing/c/lapwing.h"

using namespace lapwing::fuzzing;

namespace {

// One MPI for all inputs.
struct Mpi {
    Mpi() {
        setenv("LAPWING_WATCHDOG", "20", 0);
        MPI_Init(nullptr, nullptr);
    }
    ~Mpi() { MPI_Finalize(); }
};

// A code is one of three, and an error explains in lapwing's format what was wrong.
bool worked(int code) {
    if (code == LAPWING_OK) return true;
    require(code == LAPWING_USER_ERROR || code == LAPWING_OUTSIDE_ERROR, "a code is one of three");
    const std::string_view message = lapwing_message();
    require(code != LAPWING_USER_ERROR || message.find("; expected ") != std::string_view::npos,
            "an error says what was expected");
    return false;
}

void touch(void*, const lapwing_lines* lines) {
    for (int64_t k = lines->box.lo[2]; k < lines->box.hi[2]; ++k)
        for (int64_t j = lines->box.lo[1]; j < lines->box.hi[1]; ++j)
            for (int64_t i = lines->box.lo[0]; i < lines->box.hi[0]; ++i)
                lines->values[(i - lines->box.lo[0]) * lines->strides[0] + (j - lines->box.lo[1]) * lines->strides[1] +
                              (k - lines->box.lo[2]) * lines->strides[2]] += 1.0;
}

class Calls {
  public:
    explicit Calls(Bytes& bytes) : bytes_(bytes) {
        const lapwing_grid grid{{bytes_.between(1, 7), bytes_.between(1, 7), 1}, {bytes_.coin(), bytes_.coin(), 0}, 0};
        require(worked(lapwing_domain_create(MPI_Comm_c2f(MPI_COMM_SELF), &grid, nullptr, &domain_)), "a domain");
        for (lapwing_field*& field : fields_) field = declared();
    }
    ~Calls() {
        free_solvers();
        for (lapwing_field* field : fields_) lapwing_field_free(field);
        worked(lapwing_domain_close(domain_));
        lapwing_domain_free(domain_);
    }

    void next() {
        switch (bytes_.between(0, 9)) {
            case 0:
            case 1:
                return helmholtz();
            case 2:
                return diffusion();
            case 3:
                return lines();
            case 4:
                return transform();
            case 5:
                return tridiagonal();
            case 6:
                return reduce();
            case 7:
                return static_cast<void>(worked(lapwing_field_allocate(field())));
            case 8:
                return bytes_.byte() % 8 == 7 ? lapwing_field_free(field()) : free_solvers();
            default:
                if (bytes_.byte() % 16 == 15) worked(lapwing_domain_close(domain_));
        }
    }

  private:
    lapwing_field* declared() {
        lapwing_field_spec spec{};
        spec.name = "p";
        spec.type = bytes_.byte() % 8 == 7 ? LAPWING_FLOAT32 : LAPWING_FLOAT64;
        spec.levels = bytes_.between(0, 4);
        spec.components = bytes_.byte() % 8 == 7 ? 2 : 1;
        for (int a = 0; a < 4; ++a) spec.order[a] = a;
        lapwing_field* made = nullptr;
        require(worked(lapwing_field_declare(domain_, &spec, &made)), "a field");
        if (bytes_.byte() % 8 != 7) worked(lapwing_field_allocate(made));
        return made;
    }
    lapwing_field* field() { return bytes_.byte() % 16 == 15 ? nullptr : fields_[bytes_.byte() % 2]; }
    template <class Place>
    Place* place(Place& out) {
        return bytes_.byte() % 32 == 31 ? nullptr : &out;
    }
    double number() {
        return bytes_.byte() % 8 == 7 ? std::bit_cast<double>(bytes_.any()) : bytes_.between(0, 9) / 4.0;
    }
    const char* ends() {
        const char* names[] = {"periodic", "dirichlet", "neumann", "open", nullptr};
        return names[bytes_.byte() % 16 % 5];
    }
    const char* method() {
        const char* names[] = {nullptr, "p2p", "auto", "shared", "pigeon", "alltoallv", ""};
        const int what = bytes_.byte();
        return what < 128 ? "p2p" : names[static_cast<std::size_t>(what) % std::size(names)];
    }
    lapwing_equation equation() {
        for (double& factor : factors_) factor = number();
        return {.factors = place(factors_[0]),
                .factor_count = bytes_.coin() ? 1 : bytes_.between(-1, 5),
                .spacing = {number() + 0.5, number() + 0.5},
                .ends = {ends(), ends()},
                .method = method(),
                .groups = bytes_.mostly_int(1, 4)};
    }

    void helmholtz() {
        if (helmholtz_ != nullptr) return static_cast<void>(worked(lapwing_helmholtz_solve(helmholtz_)));
        lapwing_equation given = equation();
        worked(lapwing_helmholtz_create(domain_, field(), place(given), place(helmholtz_)));
    }
    void diffusion() {
        if (diffusion_ != nullptr) return static_cast<void>(worked(lapwing_implicit_diffusion_apply(diffusion_)));
        lapwing_equation given = equation();
        lapwing_field* some[2] = {field(), field()};
        const int count = bytes_.between(-1, 2);
        const auto order = static_cast<int>(std::int64_t{2} * bytes_.mostly_int(1, 3));
        worked(
            lapwing_implicit_diffusion_create(domain_, place(some[0]), count, place(given), order, place(diffusion_)));
    }
    void lines() {
        const auto work = [&] { return bytes_.byte() % 16 == 15 ? nullptr : touch; };
        if (lines_ != nullptr)
            return static_cast<void>(worked(lapwing_line_solver_run(lines_, work(), work(), work(), nullptr)));
        lapwing_field* some[2] = {field(), field()};
        worked(lapwing_line_solver_create(domain_, place(some[0]), bytes_.between(-1, 2), method(),
                                          bytes_.mostly_int(1, 4), bytes_.byte() & 1, place(lines_)));
    }
    void transform() {
        std::vector<double> values(12 * 5, number());
        if (transform_ == nullptr)
            worked(lapwing_line_transform_create(bytes_.between(-1, 12), ends(), place(transform_)));
        worked(lapwing_line_transform_eigenvalues(transform_, number(), place(values[0])));
        worked(lapwing_line_transform_forward(transform_, place(values[0]), bytes_.between(-1, 5)));
        worked(lapwing_line_transform_backward(transform_, place(values[0]), bytes_.between(-1, 5)));
    }
    void tridiagonal() {
        std::vector<double> values(9 * 9 * 9, number());
        if (tridiagonal_ == nullptr)
            worked(lapwing_tridiagonal_create(place(values[0]), bytes_.between(-1, 6), bytes_.between(-1, 6), number(),
                                              place(tridiagonal_)));
        worked(lapwing_tridiagonal_solve(tridiagonal_, place(values[0]), bytes_.between(-2, 9)));
    }
    void reduce() {
        double result = 0;
        worked(lapwing_domain_reduce(domain_, bytes_.mostly_int(0, 2), number(), place(result)));
        worked(lapwing_field_reduce(field(), bytes_.mostly_int(0, 2), place(result)));
    }
    // The handles stay, freed, half of the time.
    void free_solvers() {
        const auto drop = [&](auto*& handle, auto free) {
            free(handle);
            if (bytes_.coin()) handle = nullptr;
        };
        drop(helmholtz_, lapwing_helmholtz_free);
        drop(diffusion_, lapwing_implicit_diffusion_free);
        drop(lines_, lapwing_line_solver_free);
        drop(transform_, lapwing_line_transform_free);
        drop(tridiagonal_, lapwing_tridiagonal_free);
    }

    Bytes& bytes_;
    lapwing_domain* domain_ = nullptr;
    std::array<lapwing_field*, 2> fields_{};
    std::array<double, 5> factors_{};
    lapwing_helmholtz* helmholtz_ = nullptr;
    lapwing_implicit_diffusion* diffusion_ = nullptr;
    lapwing_line_solver* lines_ = nullptr;
    lapwing_line_transform* transform_ = nullptr;
    lapwing_tridiagonal* tridiagonal_ = nullptr;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Mpi mpi;
    Bytes bytes(data, size);
    Calls calls(bytes);
    for (int n = 0; n < 24 && !bytes.empty(); ++n) calls.next();
    return 0;
}
