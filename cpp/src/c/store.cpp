#include <optional>
#include <span>
#include <type_traits>

#include "c/handles.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/store/records.hpp"
#include "lapwing/store/restart.hpp"

namespace lapwing::c {

namespace {

std::string text_or(const char* given, const char* otherwise) { return given == nullptr ? otherwise : given; }

using Memory = std::shared_ptr<AnyField>;

template <class As>
As as(const lapwing_field& field) {
    if constexpr (std::is_same_v<As, Memory>)
        return field.field;
    else
        return {field.field, field.units, field.long_name, field.standard_name};
}

template <class As>
std::vector<As> fields_of(lapwing_field* const* fields, int count, const char* what) {
    std::vector<As> found;
    for (int f = 0; f < count; ++f) found.push_back(as<As>(needed((&needed(fields, what))[f], what)));
    return found;
}

std::optional<AxisLabels> axis_of(const lapwing_axis& given) {
    if (given.values == nullptr) return {};
    return AxisLabels{{given.values, given.values + given.count},
                      text_or(given.units, "1"),
                      text_or(given.long_name, ""),
                      text_or(given.standard_name, "")};
}

std::shared_ptr<const Mask> mask_of(const std::uint8_t* wet, const Grid& grid) {
    if (wet == nullptr) return nullptr;
    const auto columns = static_cast<std::size_t>(grid.size[0] * grid.size[1]);
    return std::make_shared<const Mask>(grid.size[0], grid.size[1], std::span(wet, columns));
}

// The options, and in `fields` those that change.
RecordOptions options_of(const lapwing_record_options& given, const Grid& grid, std::vector<RecordField>& fields) {
    if (given.fixed < 0 || given.fixed > static_cast<int>(fields.size()))
        user_error("number of fixed fields", given.fixed, concat("0 to ", fields.size(), ", the number of fields"),
                   "pass the number of fields at the end of the list that never change");
    RecordOptions options;
    options.fixed.assign(fields.end() - given.fixed, fields.end());
    fields.erase(fields.end() - given.fixed, fields.end());
    options.start = text_or(given.start, options.start.c_str());
    options.title = text_or(given.title, "");
    options.single_precision = given.single_precision != 0;
    options.wet = mask_of(given.wet, grid);
    options.x = axis_of(given.x);
    options.y = axis_of(given.y);
    if (given.keep != 0) options.keep_until = given.keep_until;
    return options;
}

}  // namespace

}  // namespace lapwing::c

using namespace lapwing;
using namespace lapwing::c;

int lapwing_records_create(lapwing_domain* domain, const char* path, lapwing_field* const* fields, int count,
                           const lapwing_record_options* given, lapwing_records** records) {
    return coded([&] {
        const std::shared_ptr<Domain>& on = needed(domain, "domain").domain;
        std::vector<RecordField> all;
        RecordOptions options;
        together(on->comm(), [&] {
            static_cast<void>(needed(path, "name of records"));
            static_cast<void>(needed(records, "place for the records"));
            all = fields_of<RecordField>(fields, count, "field of records");
            if (given != nullptr) options = options_of(*given, on->partition().grid(), all);
        });
        *records = new lapwing_records{on, std::make_unique<Records>(*on, path, std::move(all), std::move(options))};
    });
}

int lapwing_records_write(lapwing_records* records, double time, int64_t step) {
    return coded([&] {
        Records& file = *needed(records, "records").records;
        step < 0 ? file.write(time) : file.write(time, step);
    });
}

int lapwing_records_read(lapwing_records* records, double time, int64_t* step) {
    return coded([&] {
        const Index found = needed(records, "records").records->read(time);
        if (step != nullptr) *step = found;
    });
}

int lapwing_records_close(lapwing_records* records) {
    return coded([&] { needed(records, "records").records->close(); });
}

void lapwing_records_free(lapwing_records* records) { give_up(records); }

int lapwing_restart_create(lapwing_domain* domain, const char* path, lapwing_field* const* fields, int count,
                           lapwing_restart** restart) {
    return coded([&] {
        const std::shared_ptr<Domain>& on = needed(domain, "domain").domain;
        std::vector<Memory> all;
        together(on->comm(), [&] {
            static_cast<void>(needed(path, "name of a restart"));
            static_cast<void>(needed(restart, "place for the restart"));
            all = fields_of<Memory>(fields, count, "field of a restart");
        });
        *restart = new lapwing_restart{on, std::make_unique<Restart>(*on, path, std::move(all))};
    });
}

int lapwing_restart_write(lapwing_restart* restart, int64_t step) {
    return coded([&] { needed(restart, "restart").restart->write(step); });
}

int lapwing_restart_read(lapwing_restart* restart, int64_t* step) {
    return coded([&] {
        const Index found = needed(restart, "restart").restart->read();
        if (step != nullptr) *step = found;
    });
}

void lapwing_restart_free(lapwing_restart* restart) { give_up(restart); }
