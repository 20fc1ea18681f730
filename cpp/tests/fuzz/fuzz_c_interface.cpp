// The C interface on one rank: any calls in any order with any arguments. Calls that C forbids (a handle that was
// freed, memory that is smaller than was said) are left out.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
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
    const std::string_view message = lapwing_message();
    require(code == LAPWING_USER_ERROR || code == LAPWING_OUTSIDE_ERROR, "a code is one of three");
    require(code != LAPWING_USER_ERROR || message.find("; expected ") != std::string_view::npos,
            "an error says what was expected");
    for (const char* word : {"std::", "vector", "basic_string"})
        require(!message.starts_with(word), "an error is no exception of the standard library");
    return false;
}

void touch_cells(void* context, const lapwing_box* box, const lapwing_view* views) {
    const auto* written = static_cast<const int*>(context);  // bytes of values that the stage writes, by use; 0 ends
    for (; *written != 0; ++written, ++views) {
        if (*written < 0) continue;  // a use that only reads
        for (int64_t k = box->lo[2]; k < box->hi[2]; ++k)
            for (int64_t j = box->lo[1]; j < box->hi[1]; ++j)
                for (int64_t i = box->lo[0]; i < box->hi[0]; ++i) {
                    const int64_t at =
                        i * views->strides[0] + j * views->strides[1] + k * views->strides[2] - views->origin;
                    auto* value = static_cast<char*>(views->data) + at * *written;
                    for (int b = 0; b < *written; ++b) value[b] = static_cast<char>(value[b] + 1);
                }
    }
}

class Calls {
  public:
    explicit Calls(Bytes& bytes) : bytes_(bytes) {}
    ~Calls() {
        for (Exchange& one : exchanges_)
            if (one.handle != nullptr) worked(lapwing_exchange_wait(one.handle)), lapwing_exchange_free(one.handle);
        for (lapwing_step* step : steps_) lapwing_step_free(step);
        for (Field& one : fields_) lapwing_field_free(one.handle);
        for (lapwing_reduction* number : numbers_) lapwing_reduction_free(number);
        for (lapwing_domain* domain : domains_) {
            if (domain != nullptr) require(worked(lapwing_domain_close(domain)), "a domain can be closed at the end");
            lapwing_domain_free(domain);
        }
    }

    void next() {
        switch (bytes_.between(0, 15)) {
            case 0:
                return create_domain();
            case 1:
                return look_at_domain();
            case 2:
            case 3:
                return declare();
            case 4:
                return wrap();
            case 5:
                return static_cast<void>(worked(lapwing_field_allocate(field().handle)));
            case 6:
                return look_at_block();
            case 7:
                return static_cast<void>(worked(lapwing_field_modified(field().handle)));
            case 8:
                return gather();
            case 9:
            case 10:
                return exchange();
            case 11:
                return create_number();
            case 12:
            case 13:
                return create_step();
            case 14:
                return use_step();
            default:
                return free_one();
        }
    }

  private:
    struct Field {
        lapwing_field* handle = nullptr;
        int bytes = 8;
    };
    struct Exchange {
        lapwing_exchange* handle = nullptr;
    };

    template <class Kept>
    auto one_of(Kept& all) -> typename Kept::value_type {
        if (all.empty() || bytes_.byte() % 16 == 15) return {};
        return all[bytes_.byte() % all.size()];
    }
    lapwing_domain* domain() { return one_of(domains_); }
    Field field() { return one_of(fields_); }
    // Null now and then, where the interface must see it.
    template <class Place>
    Place* place(Place& out) {
        return bytes_.byte() % 32 == 31 ? nullptr : &out;
    }
    lapwing_box any_box() {
        lapwing_box box;
        for (int a = 0; a < 3; ++a) box.lo[a] = bytes_.size(0, 3), box.hi[a] = bytes_.size(0, 6);
        return box;
    }
    lapwing_extent any_extent() {
        lapwing_extent extent;
        for (int a = 0; a < 3; ++a) extent.lo[a] = bytes_.size_int(0, 2), extent.hi[a] = bytes_.size_int(0, 2);
        extent.corners = bytes_.byte() & 1;
        return extent;
    }

    void create_domain() {
        if (domains_.size() >= 3) return;
        lapwing_grid grid{};
        grid.north_fold = bytes_.coin() ? bytes_.between(0, 3) : 0;
        double cells = 1;
        for (int a = 0; a < 3; ++a) {
            grid.size[a] = a == 2 && bytes_.coin() ? 1 : bytes_.size(1, 6);
            grid.periodic[a] = bytes_.byte() & 3;
            cells *= static_cast<double>(grid.size[a]);
        }
        const int comm = bytes_.byte() % 32 == 31 ? MPI_Comm_c2f(MPI_COMM_NULL) : MPI_Comm_c2f(MPI_COMM_SELF);
        lapwing_domain* made = nullptr;
        const int how = bytes_.between(0, 3);
        std::uint8_t wet[300];
        std::memset(wet, bytes_.byte() & 1, sizeof wet);
        wet[bytes_.byte()] = 1;
        const int64_t blocks[3] = {bytes_.mostly(0, 1), bytes_.mostly(1, 1), bytes_.mostly(1, 1)};
        const lapwing_box mine = any_box();
        if (how == 0 && blocks[0] < 64 && blocks[1] < 64 && blocks[2] < 64)
            worked(lapwing_domain_create(comm, place(grid), blocks, place(made)));
        if (how == 1) worked(lapwing_domain_create(comm, place(grid), nullptr, place(made)));
        if (how == 2 && cells >= 1 && cells < 300 && grid.size[0] > 0 && grid.size[1] > 0)
            worked(lapwing_domain_create_masked(comm, place(grid), place(wet[0]), place(made)));
        if (how == 3) worked(lapwing_domain_create_from_boxes(comm, place(grid), place(mine), place(made)));
        if (made != nullptr) domains_.push_back(made);
    }
    void look_at_domain() {
        lapwing_domain* one = domain();
        require(lapwing_domain_ranks(one) == (one == nullptr ? 0 : 1), "one rank");
        require(lapwing_domain_rank(one) == (one == nullptr ? -1 : 0), "rank 0");
        lapwing_box box;
        const int number = bytes_.mostly_int(0, 2);
        const bool there = one != nullptr && number >= 0 && number < lapwing_domain_boxes(one);
        require(worked(lapwing_domain_box(one, number, &box)) == there, "a box that is there");
    }
    lapwing_field_spec any_spec() {
        lapwing_field_spec spec{};
        const char* names[] = {"a", "b", "", "a field", nullptr};
        spec.name = names[bytes_.byte() % 8 % 5];
        spec.type = bytes_.mostly_int(0, 3);
        spec.location = bytes_.mostly_int(0, 3);
        spec.levels = bytes_.size_int(0, 2);
        spec.components = bytes_.size_int(1, 2);
        const int order = bytes_.byte();
        for (int a = 0; a < 4; ++a) spec.order[a] = order < 192 ? (a + order) % 4 : order >> a & 3;
        spec.halo = any_extent();
        return spec;
    }
    static int bytes_of(int type) { return type == LAPWING_FLOAT32 || type == LAPWING_INT32 ? 4 : 8; }
    void keep(lapwing_field* made, int type) {
        if (made != nullptr) fields_.push_back({made, bytes_of(type)});
    }
    void declare() {
        if (fields_.size() >= 6) return;
        lapwing_field_spec spec = any_spec();
        lapwing_field* made = nullptr;
        worked(lapwing_field_declare(domain(), place(spec), place(made)));
        keep(made, spec.type);
    }
    // A view of memory of the stated size: its description may be anything that stays inside.
    void wrap() {
        if (fields_.size() >= 6) return;
        lapwing_field_spec spec = any_spec();
        const lapwing_box box = any_box();
        int64_t strides[4], last = 0;
        for (int a = 0; a < 4; ++a) {
            strides[a] = bytes_.mostly(-2, 200);
            if (a < 3 && (box.lo[a] < -64 || box.lo[a] > 64 || box.hi[a] < -64 || box.hi[a] > 64)) return;
            const int64_t cells = a == 3 ? spec.components : box.hi[a] - box.lo[a];
            if (strides[a] < 0 || strides[a] > 200 || cells > 64) return;
            last += strides[a] * std::max<int64_t>(0, cells);
        }
        if (spec.levels > 64 || spec.components > 64) return;
        memories_.emplace_back(static_cast<std::size_t>(last + 1 + 200 * 64), 0);
        lapwing_field* made = nullptr;
        worked(lapwing_field_wrap(domain(), place(spec), place(memories_.back()[0]), place(box), strides, place(made)));
        keep(made, spec.type);
    }
    void look_at_block() {
        lapwing_block block;
        if (!worked(lapwing_field_block(field().handle, bytes_.mostly_int(0, 1), place(block)))) return;
    }
    void gather() {
        double values[600];
        const int64_t count = bytes_.mostly(0, 200);
        if (count <= 600) worked(lapwing_field_gather(field().handle, place(values[0]), count));
    }
    const char* transport() {
        const char* names[] = {"p2p",      nullptr,    "auto",     "shared",    "persistent", "",
                               "nonsense", "neighbor", "datatype", "alltoallv", "onesided"};
        const int what = bytes_.byte();
        return what < 128 ? "p2p" : names[static_cast<std::size_t>(what) % std::size(names)];
    }
    void exchange() {
        if (exchanges_.size() < 4 && (exchanges_.empty() || bytes_.coin())) {
            lapwing_field* some[3];
            for (lapwing_field*& one : some) one = field().handle;
            lapwing_exchange* made = nullptr;
            const int count = bytes_.mostly_int(0, 3);
            if (count <= 3) worked(lapwing_exchange_create(domain(), place(some[0]), count, transport(), place(made)));
            if (made != nullptr) exchanges_.push_back({made});
            return;
        }
        lapwing_exchange* one = one_of(exchanges_).handle;
        int complete = 0;
        switch (bytes_.between(0, 4)) {
            case 0:
                return static_cast<void>(worked(lapwing_exchange_start(one)));
            case 1:
                return static_cast<void>(worked(lapwing_exchange_test(one, place(complete))));
            case 2:
                return static_cast<void>(worked(lapwing_exchange_wait(one)));
            case 3:
                return static_cast<void>(worked(lapwing_exchange_run(one)));
            default:
                return require(lapwing_exchange_transport(one) != nullptr, "a transport has a name");
        }
    }
    void create_number() {
        if (numbers_.size() >= 3) return;
        lapwing_reduction* made = nullptr;
        worked(lapwing_reduction_create(bytes_.mostly_int(0, 1), place(made)));
        if (made == nullptr) return;
        numbers_.push_back(made);
        require(lapwing_reduction_partial(made) != nullptr, "a number has a place");
        static_cast<void>(lapwing_reduction_value(made));
    }
    lapwing_stage any_stage(std::deque<lapwing_use>& uses) {
        lapwing_stage stage{};
        const char* names[] = {"one", "two", "", nullptr};
        stage.name = names[bytes_.byte() % 16 % 4];
        stage.kernel = bytes_.byte() % 32 == 31 ? nullptr : touch_cells;
        auto& written = written_.emplace_back();
        stage.context = written.data();
        stage.use_count = bytes_.between(0, 2);
        for (int n = 0; n < stage.use_count; ++n) {
            const Field used = field();
            const int access = bytes_.mostly_int(0, 2);
            written[static_cast<std::size_t>(n)] = access == LAPWING_READS ? -1 : used.bytes;
            uses.push_back({used.handle, access, any_extent()});
        }
        stage.uses = stage.use_count == 0 ? nullptr : &uses[uses.size() - static_cast<std::size_t>(stage.use_count)];
        if (bytes_.coin()) stage.reduces = one_of(numbers_);
        if (bytes_.byte() % 8 == 7) stage.region = &regions_.emplace_back(any_box());
        stage.in_any_order = bytes_.byte() & 1;
        return stage;
    }
    void create_step() {
        if (steps_.size() >= 3) return;
        // each use is of one stage alone, so that those of a stage lie one after the other
        std::deque<std::vector<lapwing_use>> uses;
        std::vector<lapwing_stage> stages;
        const int count = bytes_.between(0, 3);
        for (int n = 0; n < count; ++n) {
            std::deque<lapwing_use> some;
            lapwing_stage stage = any_stage(some);
            uses.emplace_back(some.begin(), some.end());
            if (stage.use_count > 0) stage.uses = uses.back().data();
            stages.push_back(stage);
        }
        const char* strategies[] = {"blocking",         nullptr,      "dataflow", "edge-first",      "deep:2", "6s",
                                    "deep:99999999999", "dataflow:4", "3s",       "deep:3+dataflow", ""};
        const char* strategy = strategies[bytes_.byte() % std::size(strategies)];
        lapwing_step* made = nullptr;
        lapwing_stage none{};
        const int threads[] = {0, 1, 2, -1, 1 << 20};
        lapwing_step_options options{strategy, transport(), threads[bytes_.byte() % std::size(threads)]};
        worked(lapwing_step_create(domain(), stages.empty() ? place(none) : stages.data(), count, place(options),
                                   place(made)));
        if (made != nullptr) steps_.push_back(made);
    }
    void use_step() {
        lapwing_step* step = one_of(steps_);
        const char* text = nullptr;
        lapwing_costs costs;
        switch (bytes_.between(0, 4)) {
            case 0:
                return static_cast<void>(worked(lapwing_step_run(step, bytes_.between(-1, 3))));
            case 1:
                return static_cast<void>(worked(lapwing_step_check(step, bytes_.byte() & 1)));
            case 2:
                return static_cast<void>(worked(lapwing_step_strategy(step, place(text))));
            case 3:
                return static_cast<void>(worked(lapwing_step_describe(step, place(text))));
            default:
                return static_cast<void>(worked(lapwing_step_costs(step, place(costs))));
        }
    }
    void free_one() {
        const auto drop = [&](auto& all, auto free) {
            if (all.empty()) return;
            free(all.back());
            all.pop_back();
        };
        switch (bytes_.between(0, 4)) {
            case 0:
                return drop(exchanges_, [](Exchange& one) { lapwing_exchange_free(one.handle); });
            case 1:
                return drop(steps_, lapwing_step_free);
            case 2:
                return drop(fields_, [](Field& one) { lapwing_field_free(one.handle); });
            case 3:
                return drop(numbers_, lapwing_reduction_free);
            default:
                return static_cast<void>(worked(lapwing_domain_close(domain())));
        }
    }

    Bytes& bytes_;
    std::vector<lapwing_domain*> domains_;
    std::vector<Field> fields_;
    std::vector<Exchange> exchanges_;
    std::vector<lapwing_reduction*> numbers_;
    std::vector<lapwing_step*> steps_;
    std::deque<std::vector<double>> memories_;
    std::deque<std::array<int, 4>> written_;
    std::deque<lapwing_box> regions_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static Mpi mpi;
    Bytes bytes(data, size);
    Calls calls(bytes);
    for (int n = 0; n < 24 && !bytes.empty(); ++n) calls.next();
    return 0;
}
