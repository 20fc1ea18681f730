// The peer PETSc: ghost points of a DMDA, exchanged in place between local vectors.
#include <petscdmda.h>

#include <stdexcept>

#include "peer.hpp"

using namespace lapwing;
using namespace lapwing::bench;

namespace {

void check(PetscErrorCode code) {
    if (code != 0) throw std::runtime_error("PETSc: error " + std::to_string(code));
}

// Levels are a third axis that is neither cut nor periodic, and so has no ghost points; where they are contiguous they
// are components of a point in 2D. Several fields are as many vectors, or components too (`together`), which is how a
// DMDA sends them in one message.
class DmdaMethod final : public ArrayMethod {
  public:
    DmdaMethod(MPI_Comm comm, const ExchangeWork& work, bool together)
        : ArrayMethod(comm), components_(together ? work.fields : 1) {
        check(PetscInitializeNoArguments());
        make_grid(comm, work);
        check(DMSetUp(grid_));
        vectors_.resize(work.fields / components_);
        for (Vec& vector : vectors_) check(DMCreateLocalVector(grid_, &vector));
        arrays_ = std::make_unique<WorkArrays>(arrays_of(work));
    }
    ~DmdaMethod() override {
        for (Vec& vector : vectors_) VecDestroy(&vector);
        DMDestroy(&grid_);
        PetscFinalize();
    }
    DmdaMethod(const DmdaMethod&) = delete;
    DmdaMethod& operator=(const DmdaMethod&) = delete;

    void exchange() override {
        for (Vec vector : vectors_) {
            DMLocalToLocalBegin(grid_, vector, INSERT_VALUES, vector);
            DMLocalToLocalEnd(grid_, vector, INSERT_VALUES, vector);
        }
    }

  private:
    [[nodiscard]] const WorkArrays& arrays() const override { return *arrays_; }
    void make_grid(MPI_Comm comm, const ExchangeWork& work) {
        const auto [px, py] = work.blocks;
        const PetscInt nx = work.nx * px, ny = work.ny * py;
        const auto around = DM_BOUNDARY_PERIODIC, ends = DM_BOUNDARY_NONE;
        if (work.levels == 0 || work.levels_fastest) {
            check(DMDACreate2d(comm, around, around, DMDA_STENCIL_BOX, nx, ny, px, py, components_ * work.layers(),
                               work.width, nullptr, nullptr, &grid_));
        } else {
            check(DMDACreate3d(comm, around, around, ends, DMDA_STENCIL_BOX, nx, ny, work.levels, px, py, 1,
                               components_, work.width, nullptr, nullptr, nullptr, &grid_));
        }
    }

    [[nodiscard]] WorkArrays arrays_of(const ExchangeWork& work) const {
        const Index3 all = work.allocated();
        const Index column = work.levels_fastest ? work.layers() : 1, point = components_ * column;
        const Index3 strides{point, point * all[0], work.levels_fastest ? 1 : point * all[0] * all[1]};
        std::vector<double*> origins;
        for (Vec vector : vectors_) {
            PetscScalar* values = nullptr;
            check(VecGetArray(vector, &values));
            for (int c = 0; c < components_; ++c) {
                origins.push_back(values + c * column + work.width * (strides[0] + strides[1]));
            }
            check(VecRestoreArray(vector, &values));  // its memory stays where it is
        }
        return {work, std::move(origins), strides};
    }

    int components_;  // fields in a vector
    DM grid_ = nullptr;
    std::vector<Vec> vectors_;
    std::unique_ptr<WorkArrays> arrays_;
};

}  // namespace

int main(int argc, char** argv) {
    const auto number = [](int n) { return std::to_string(n); };
    const std::string version =
        number(PETSC_VERSION_MAJOR) + "." + number(PETSC_VERSION_MINOR) + "." + number(PETSC_VERSION_SUBMINOR);
    return run_peer(argc, argv, "PETSc " + version, [](MPI_Comm comm, const ExchangeWork& work) {
        // the faster way on two ranks: 1.06 against 2.25 ms for 8x3d-60, but 9.7 against 6.1 us for 3x2d-60
        return std::make_unique<DmdaMethod>(comm, work, work.levels > 0);
    });
}
