// A message of more than 2^31 bytes by the transport under test, from rank 0 to rank 1: `make test-large`. Needs
// some 20 GB of memory in all, so it is no part of the ordinary tests.
#include "lapwing/exchange/exchange.hpp"

#include <iostream>

#include "transport_under_test.hpp"

using namespace lapwing;

namespace {

constexpr Index cells = (Index{1} << 28) + 12345;  // of 8 bytes in a row: 2.1 GB

// Wrong values in the halo of rank 1, into which rank 0 sent its row.
Index wrong_cells(Domain& domain) {
    FieldSpec spec;
    spec.name = "row";
    spec.type = ElementType::int64;
    spec.extents = {Extent{{0, 1, 0}, {0, 0, 0}}};
    const AnyField field(domain.partition(), domain.rank(), spec);
    const auto view = field.view<std::int64_t>();
    for (Index i = 0; i < cells; ++i) view(i, domain.rank()) = 3 * i + domain.rank();
    const AnyField* const one[] = {&field};
    Exchange exchange(domain, one, {.transport = testing::transport()});
    exchange.run();
    if (domain.rank() == 0) return 0;
    Index wrong = 0;
    for (Index i = 0; i < cells; ++i) wrong += view(i, 0) == 3 * i ? 0 : 1;
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    Domain domain(block_partition({{cells, 2, 1}, {}}, {1, 2, 1}), MPI_COMM_WORLD);
    const Index wrong = wrong_cells(domain);
    domain.close();
    if (domain.rank() == 1) {
        std::cout << testing::transport() << ": " << 8 * cells << " bytes, " << wrong << " wrong values\n";
    }
    MPI_Finalize();
    return wrong == 0 ? 0 : 1;
}
