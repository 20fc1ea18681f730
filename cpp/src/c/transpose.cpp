#include "lapwing/exchange/transpose.hpp"

#include <optional>

#include "c/handles.hpp"
#include "lapwing/base/concat.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/partition/distribution.hpp"

namespace lapwing::c {

namespace {

// The fields of one side, which must be on one domain.
std::vector<std::shared_ptr<AnyField>> side(lapwing_field* const* fields, int count, const char* what) {
    std::vector<std::shared_ptr<AnyField>> found;
    for (int f = 0; f < count; ++f) {
        const lapwing_field& field = needed((&needed(fields, what))[f], what);
        if (field.domain != fields[0]->domain) {
            user_error(concat(what, " ", field.field->spec().name), "one of another domain",
                       concat("that of field ", fields[0]->field->spec().name), "make a transpose for each domain");
        }
        field.field->require_memory();
        found.push_back(field.field);
    }
    return found;
}

// The boxes of a field, on the grid with its levels where it has any.
Partition distribution(const lapwing_field& field) {
    const Partition& cut = field.domain->partition();
    const int levels = field.field->spec().levels;
    return levels > 0 ? twod_partition(cut, levels) : cut;
}

std::vector<const AnyField*> addresses(const std::vector<std::shared_ptr<AnyField>>& fields) {
    std::vector<const AnyField*> all;
    for (const auto& field : fields) all.push_back(field.get());
    return all;
}

// Marks what arrived as written outside the stages of a step.
void announce(const lapwing_transpose& transpose) {
    for (const auto& target : transpose.targets) target->modified();
}

}  // namespace

}  // namespace lapwing::c

using namespace lapwing;
using namespace lapwing::c;

int lapwing_transpose_create(lapwing_field* const* sources, lapwing_field* const* targets, int count,
                             const char* method, int groups, lapwing_transpose** transpose) {
    return coded([&] {
        const lapwing_field& first = needed(count > 0 && sources != nullptr ? sources[0] : nullptr, "first source");
        auto made = std::make_unique<lapwing_transpose>(first.domain);
        std::optional<Partition> from, to;
        together(made->domain->comm(), [&] {
            static_cast<void>(needed(transpose, "place for the transpose"));
            made->fields = side(sources, count, "source of a transpose");
            made->targets = side(targets, count, "target of a transpose");
            from = distribution(first);
            to = distribution(*targets[0]);
        });
        TransposeOptions options;
        if (method != nullptr) options.method = method;
        options.groups = groups;
        made->transpose = std::make_unique<Transpose>(*made->domain, *from, *to, addresses(made->fields),
                                                      addresses(made->targets), options);
        *transpose = made.release();
    });
}

int lapwing_transpose_start(lapwing_transpose* transpose) {
    return coded([&] {
        Transpose& made = *needed(transpose, "transpose").transpose;
        require_running_mpi();
        made.start();
    });
}

int lapwing_transpose_test(lapwing_transpose* transpose, int* complete) {
    return coded([&] {
        Transpose& made = *needed(transpose, "transpose").transpose;
        needed(complete, "place for the answer") = static_cast<int>(made.test());
    });
}

int lapwing_transpose_wait(lapwing_transpose* transpose) {
    return coded([&] {
        needed(transpose, "transpose").transpose->wait();
        announce(*transpose);
    });
}

int lapwing_transpose_run(lapwing_transpose* transpose, void (*work)(void* context, const lapwing_box* box),
                          void* context) {
    return coded([&] {
        Transpose& made = *needed(transpose, "transpose").transpose;
        require_running_mpi();
        made.run_pipelined([&](const Box& box) {
            const lapwing_box cells = given_box(box);
            if (work != nullptr) work(context, &cells);
        });
        announce(*transpose);
    });
}

const char* lapwing_transpose_method(const lapwing_transpose* transpose) {
    return alive(transpose) ? transpose->transpose->method().c_str() : "";
}

void lapwing_transpose_free(lapwing_transpose* transpose) { give_up(transpose); }
