#include "work.hpp"

#include <cstring>

#include <lapwing/agreement.hpp>
#include <lapwing/error.hpp>

#include "coast_work.hpp"
#include "tracer_work.hpp"

namespace lapwing_simulate {

using lapwing::Index;

std::unique_ptr<Work> make_work(lapwing::Domain& domain, const Request& request, const std::string& method) {
    if (request.work == "coast") return make_coast_work(domain, request, method);
    if (request.work == "tracer") return make_tracer_work(domain, request, method);
    lapwing::user_error("work of the simulation", request.work, "coast or tracer", "choose one of these");
}

namespace {

// Mixes the place of a value with its bits, so that swapped values are noticed.
std::uint64_t mixed(std::uint64_t place, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (const std::uint64_t word : {place, bits}) hash = (hash ^ word) * 1099511628211ull ^ hash >> 29;
    return hash;
}

}  // namespace

std::uint64_t checksum(const lapwing::Domain& domain, const std::vector<const lapwing::Field*>& fields) {
    const lapwing::Index3& size = domain.partition().grid().size;
    std::uint64_t sum = 0;
    for (const lapwing::Field* field : fields) {
        for (std::size_t b = 0; b < field->blocks().size(); ++b) {
            const auto view = field->view<double>(static_cast<int>(b));
            const lapwing::Box box = field->spec().with_levels(field->blocks()[b].owned);
            for (Index k = box.lo[2]; k < box.hi[2]; ++k)
                for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                    for (Index i = box.lo[0]; i < box.hi[0]; ++i)
                        sum += mixed(static_cast<std::uint64_t>((k * size[1] + j) * size[0] + i), view(i, j, k));
        }
    }
    Index total = 0;
    std::memcpy(&total, &sum, sizeof(total));  // the sum wraps around, as that of unsigned numbers may
    total = lapwing::reduced(domain.comm(), total, MPI_BXOR, "a checksum");
    std::memcpy(&sum, &total, sizeof(sum));
    return sum;
}

}  // namespace lapwing_simulate
