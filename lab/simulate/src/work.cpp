#include "lapwing_simulate/work.hpp"

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "lapwing/base/error.hpp"
#include "lapwing/memory/node_memory.hpp"
#include "lapwing/mpi/agreement.hpp"

#include "plain_step.hpp"

namespace lapwing_simulate {

using lapwing::Index;

namespace {

// In a function, as variables of other files fill it before main.
std::map<std::string, MakeWork>& makers() {
    static std::map<std::string, MakeWork> all;
    return all;
}

// Mixes the place of a value with its bits, so that swapped values are noticed.
std::uint64_t mixed(std::uint64_t place, double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
    for (const std::uint64_t word : {place, bits}) hash = (hash ^ word) * 1099511628211ull ^ hash >> 29;
    return hash;
}

// Returns a digest of the owned cells of one block.
template <class T>
std::uint64_t sum_of(const lapwing::AnyField& field, int block, const lapwing::Index3& size) {
    const auto view = field.view<T>(block);
    const lapwing::Box box = field.spec().with_levels(field.blocks()[block].owned);
    std::uint64_t sum = 0;
    for (Index c = 0; c < field.spec().components; ++c)
        for (Index k = box.lo[2]; k < box.hi[2]; ++k)
            for (Index j = box.lo[1]; j < box.hi[1]; ++j)
                for (Index i = box.lo[0]; i < box.hi[0]; ++i) {
                    const Index place = ((c * size[2] + k) * size[1] + j) * size[0] + i;
                    sum += mixed(static_cast<std::uint64_t>(place), static_cast<double>(view(i, j, k, c)));
                }
    return sum;
}

}  // namespace

RegisteredWork::RegisteredWork(const std::string& name, MakeWork make) { makers().emplace(name, make); }

std::unique_ptr<Work> make_work(lapwing::Domain& domain, const Request& request, const std::string& method) {
    const auto maker = makers().find(request.work);
    if (maker != makers().end()) return maker->second(domain, request, method == plain_method ? "blocking" : method);
    std::string names;
    for (const auto& [name, make] : makers()) names.append(names.empty() ? "" : ", ").append(name);
    lapwing::user_error("work of the simulation", request.work, "one of: " + names, "choose one of them");
}

void require_memory(const lapwing::Domain& domain, double bytes, const char* remedy) {
    const double mine = 1.1 * bytes;  // and a tenth for messages
    const double needed = lapwing::reduced(domain.comm(), mine, MPI_SUM, "the memory of all ranks");
    const double there = lapwing::reduced(domain.comm(), static_cast<double>(lapwing::available_memory()), MPI_MIN,
                                          "the memory of this machine");
    if (needed <= there) return;
    lapwing::user_error("memory", std::to_string(there / 1e9) + " GB", std::to_string(needed / 1e9) + " GB", remedy);
}

namespace {

// The cells of a block from a file of the whole grid.
void read_block(std::ifstream& file, const lapwing::AnyField& field, int block, const lapwing::Index3& size) {
    const auto view = field.view<double>(block);
    const lapwing::Box box = field.spec().with_levels(field.blocks()[block].owned);
    std::vector<double> row(static_cast<std::size_t>(box.hi[0] - box.lo[0]));
    for (Index k = box.lo[2]; k < box.hi[2]; ++k)
        for (Index j = box.lo[1]; j < box.hi[1]; ++j) {
            const Index place = (k * size[1] + j) * size[0] + box.lo[0];
            file.seekg(place * static_cast<Index>(sizeof(double)));
            file.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(double)));
            for (Index i = box.lo[0]; i < box.hi[0]; ++i) view(i, j, k) = row[i - box.lo[0]];
        }
}

}  // namespace

void restore(const lapwing::Domain& domain, const Request& request, Work& work) {
    if (request.state.empty()) return;
    const lapwing::Index3& size = domain.partition().grid().size;
    lapwing::together(domain.comm(), [&] {
        for (lapwing::AnyField* field : work.restart()) {
            const std::string& name = field->spec().name;
            const auto found = request.state.find(name);
            if (found == request.state.end())
                lapwing::user_error("field " + name, "no state", "one in the request", "add it to the model's state");
            std::ifstream file(found->second, std::ios::binary);
            for (int b = 0; b < std::ssize(field->blocks()); ++b) read_block(file, *field, b, size);
            if (!file)
                lapwing::user_error("field " + name, "a file that ends too early", "all cells of the grid",
                                    "let `lapwing simulate` write it");
            field->modified();
        }
    });
    work.resume(request.state_step);
}

std::string checksum(const lapwing::Domain& domain, const std::vector<const lapwing::AnyField*>& fields) {
    const lapwing::Index3& size = domain.partition().grid().size;
    std::uint64_t sum = 0;
    for (const lapwing::AnyField* field : fields) {
        const bool single = field->spec().type == lapwing::ElementType::float32;
        for (int b = 0; b < std::ssize(field->blocks()); ++b)
            sum += single ? sum_of<float>(*field, b, size) : sum_of<double>(*field, b, size);
    }
    Index total = 0;
    std::memcpy(&total, &sum, sizeof(total));  // the sum wraps around, as that of unsigned numbers may
    total = lapwing::reduced(domain.comm(), total, MPI_BXOR, "a checksum");
    std::memcpy(&sum, &total, sizeof(sum));
    std::ostringstream text;
    text << std::hex << sum;
    return text.str();
}

}  // namespace lapwing_simulate
