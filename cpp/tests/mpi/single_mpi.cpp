// A program that lets MPI have one thread, and a step several.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "lapwing/lapwing.hpp"

using namespace lapwing;

namespace {

void run() {
    Domain domain(MPI_COMM_WORLD, {12, 12});
    const Field<double> level(domain, "level");
    const auto nothing = [](Box, View<double>) {};
    const Step step(domain, {stage("nothing", nothing, writes(level))}, {.threads = 2});
    domain.close();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    try {
        run();
        std::puts("no error");
    } catch (const std::exception& error) {
        std::puts(error.what());
    }
    MPI_Finalize();
}
