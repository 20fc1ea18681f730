#include "lapwing/store/records.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "lapwing/base/error.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "store/layout.hpp"
#include "store/record_times.hpp"
#include "store/store_folder.hpp"

namespace lapwing {

namespace fs = std::filesystem;

namespace {

constexpr double same_time = 1e-6;  // s

std::vector<StoredMap> maps_of(const std::vector<RecordField>& fields, const Grid& grid,
                               const std::shared_ptr<const Mask>& wet) {
    std::vector<StoredMap> maps;
    for (const RecordField& field : fields) {
        StoredMap& map = maps.emplace_back();
        map.field = field.field.get();
        if (map.field == nullptr) continue;
        map.name = map.field->spec().name;
        map.is_dry = [wet, grid, place = map.field->spec().location](Index i, Index j) {
            return !is_wet(wet.get(), grid, place, i, j);
        };
    }
    return maps;
}

// The number of records up to a time in the store that is there; none where there is no store.
std::optional<Index> records_until(const fs::path& path, double time, const Json& owner) {
    if (!is_store(path)) return {};
    const StoreContent content = read_store(path);
    check_fingerprint(owner, content.owner(), path.string());
    const std::vector<double> times = read_all_times(path, content).time;
    return std::ranges::find_if(times, [&](double own) { return own > time + same_time; }) - times.begin();
}

}  // namespace

Records::Records(Domain& domain, fs::path path, std::vector<RecordField> fields, RecordOptions options)
    : path_(std::move(path)), fields_(std::move(fields)) {
    const std::size_t first_fixed = fields_.size();
    fields_.insert(fields_.end(), options.fixed.begin(), options.fixed.end());
    const Grid& grid = domain.partition().grid();
    const bool root = domain.rank() == 0;
    const std::vector<StoredMap> maps = maps_of(fields_, grid, options.wet);
    StoreLayout layout;
    std::optional<Index> keep;
    together(domain.comm(), [&] {
        check_store_name(path_);
        check_store_fields(domain, path_, maps);
        layout = map_layout(grid, fields_, first_fixed, options, root);
    });
    together(domain.comm(), [&] {
        if (root && options.keep_until)
            keep = records_until(path_, *options.keep_until, fingerprint(grid, options.wet.get()));
    });
    store_ = std::make_unique<RecordStore>(domain, path_, std::move(layout), maps, keep);
}

Records::~Records() = default;

void Records::write(double time, std::optional<Index> step) { store_->write(time, step.value_or(count())); }

Index Records::read(double time) {
    const std::vector<double>& times = store_->times();
    const auto found = std::ranges::find_if(times, [&](double own) { return std::abs(own - time) <= same_time; });
    if (found == times.end()) {
        const auto some = std::span(times).first(std::min<std::size_t>(times.size(), 5));
        const std::string known = listed(some, ", ", [](double t) { return Json(t).line(); });
        user_error("time in " + path_.string(), Json(time).line() + " s",
                   concat("one of ", some.empty() ? "none" : known, " ..."), "read one of the times that are there");
    }
    store_->read(found - times.begin());
    return store_->steps()[static_cast<std::size_t>(found - times.begin())];
}

void Records::close() { store_->close(); }
Index Records::count() const { return std::ssize(store_->times()); }

}  // namespace lapwing
