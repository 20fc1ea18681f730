#include "step/observers/step_digest.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"

namespace lapwing {

namespace {

void take(const Domain& domain, const char* name, const char* what, std::string& value) {
    const char* given = std::getenv(name);
    if (given == nullptr || value == given) return;
    if (domain.rank() == 0)
        std::fprintf(stderr, "lapwing: %s %s, as %s says, in the place of %s\n", what, given, name, value.c_str());
    value = given;
}

void take(const Domain& domain, const char* name, const char* what, int& value) {
    std::string text = std::to_string(value);
    take(domain, name, what, text);
    const char* const end = text.data() + text.size();
    if (const auto [stop, problem] = std::from_chars(text.data(), end, value); problem == std::errc() && stop == end)
        return;
    user_error(name, text, "a whole number of threads", "correct it, or unset it");
}

// Spreads the bits of a number over all 64 (the finalizer of SplitMix64, Steele, Lea and Flood 2014).
std::uint64_t spread(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebULL;
    return bits ^ (bits >> 31U);
}

struct Sum {
    Index cells = 0;
    std::uint64_t bits = 0;
};

Sum sum_of(const AnyField& field, const Grid& grid) {
    Sum sum;
    const FieldSpec& spec = field.spec();
    const Box whole = spec.with_levels(grid.box());
    for (const Block& block : field.blocks()) {
        const Box owned = spec.with_levels(block.owned);
        sum.cells += owned.volume();
        for (int c = 0; c < spec.components; ++c)
            for (Index k = owned.lo[2]; k < owned.hi[2]; ++k)
                for (Index j = owned.lo[1]; j < owned.hi[1]; ++j)
                    for (Index i = owned.lo[0]; i < owned.hi[0]; ++i) {
                        std::uint64_t value = 0;
                        std::memcpy(&value, block.at({i, j, k}, c), size_of(spec.type));
                        const Index place = ((c * whole.size(2) + k) * whole.size(1) + j) * whole.size(0) + i;
                        sum.bits += spread(value + spread(static_cast<std::uint64_t>(place) + 1));
                    }
    }
    return sum;
}

}  // namespace

StepOptions as_environment_says(const Domain& domain, StepOptions options) {
    take(domain, "LAPWING_STRATEGY", "strategy", options.strategy);
    take(domain, "LAPWING_TRANSPORT", "transport", options.transport);
    together(domain.comm(), [&] { take(domain, "LAPWING_THREADS", "threads", options.threads); });
    return options;
}

std::unique_ptr<StepDigest> StepDigest::of_environment(const Domain& domain) {
    const char* folder = std::getenv("LAPWING_DIGESTS");
    if (folder == nullptr) return nullptr;
    for (int number = 0;; ++number) {
        const std::string path = concat(folder, "/step-", number, "-rank-", domain.rank());
        if (std::FILE* made = std::fopen(path.c_str(), "wx"); made != nullptr) {
            std::fclose(made);
            return std::make_unique<StepDigest>(path);
        }
        if (!std::ifstream(path)) throw OutsideError(concat("LAPWING_DIGESTS: cannot write ", path));
    }
}

void StepDigest::note(const StepStages& stages, const Grid& grid, Index steps) const {
    std::ofstream file(path_, std::ios::app);
    for (const AnyField* field : stages.fields()) {
        const Sum sum = sum_of(*field, grid);
        file << steps << ' ' << sum.cells << ' ' << sum.bits << ' ' << field->spec().name << '\n';
    }
    if (!file.flush()) throw OutsideError("LAPWING_DIGESTS: cannot write " + path_);
}

}  // namespace lapwing
