#include <mpi.h>

#include <cstdlib>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "c/handles.hpp"
#include "lapwing/mpi/agreement.hpp"
#include "lapwing/mpi/run_main.hpp"
#include "lapwing/mpi/shared_search.hpp"
#include "lapwing/partition/distribution.hpp"
#include "lapwing/partition/wet_blocks.hpp"

namespace lapwing::c {

namespace {

thread_local std::string last_message;

NorthFold fold_of(int fold) {
    switch (fold) {
        case LAPWING_NO_FOLD:
            return NorthFold::none;
        case LAPWING_FOLD_T:
            return NorthFold::t_point;
        case LAPWING_FOLD_F:
            return NorthFold::f_point;
    }
    user_error("north fold", fold, "LAPWING_NO_FOLD, _FOLD_T or _FOLD_F", "set all members of the grid");
}

Faces faces_of(const lapwing_grid& given) {
    if (given.faces == 0) return {};
    if (given.faces > given.size[0]) {
        user_error("faces of the grid", given.faces, concat("at most ", given.size[0], ", the cells along x of all"),
                   "set all members of the grid");
    }
    Faces faces(given.faces);
    for (int n = 0; n < given.connection_count; ++n) {
        const lapwing_connection& one = (&needed(given.connections, "connections of the grid"))[n];
        faces.connect(one.face, static_cast<Side>(one.side), one.other, static_cast<Side>(one.other_side),
                      one.reversed != 0);
    }
    return faces;
}

Grid grid_of(const lapwing_grid* given) {
    const lapwing_grid& size = needed(given, "grid");
    const Grid grid{{size.size[0], size.size[1], size.size[2]},
                    {size.periodic[0] != 0, size.periodic[1] != 0, size.periodic[2] != 0},
                    fold_of(size.north_fold),
                    faces_of(size)};
    check(grid);
    return grid;
}

MPI_Comm comm_of(int handle) {
    require_running_mpi();
    MPI_Comm comm = MPI_Comm_f2c(handle);
    if (comm == MPI_COMM_NULL) {
        user_error("communicator", "MPI_COMM_NULL", "one of the ranks that call",
                   "pass MPI_Comm_c2f(comm), or in "
                   "Fortran comm or comm%MPI_VAL");
    }
    return comm;
}

// Makes the partition on every rank, and a domain of it. An error of any rank becomes an error of all.
template <class Make>
int make_domain(int handle, const lapwing_grid* given, lapwing_domain** out, Make make) {
    return coded([&] {
        const MPI_Comm comm = comm_of(handle);
        std::optional<Grid> grid;
        together(comm, [&] {
            static_cast<void>(needed(out, "place for the domain"));
            grid = grid_of(given);
        });
        *out = new lapwing_domain{std::make_shared<Domain>(make(comm, *grid), comm)};
    });
}

// The model of costs that a program gives; the search checks its numbers.
CostModel model_of(const lapwing_partition_costs& costs, int ranks) {
    CostModel model;
    const CostCoefficients given{costs.wet, costs.dry, costs.off, costs.on, costs.latency};
    if (costs.wet != 0 || costs.dry != 0 || costs.off != 0 || costs.on != 0 || costs.latency != 0)
        model.coefficients = given;
    if (costs.width != 0) model.width = costs.width;
    if (costs.ranks_per_node != 0) model.ranks_per_node = costs.ranks_per_node;
    if (costs.speeds == nullptr) return model;
    if (costs.speed_count < ranks) {
        user_error("speeds of ranks", concat(costs.speed_count, " numbers"), concat(ranks, ", one for each rank"),
                   "give one for each, or none");
    }
    model.speeds.assign(costs.speeds, costs.speeds + costs.speed_count);
    return model;
}

// Several small blocks for each rank; searched by every rank for itself.
Partition assigned_blocks(MPI_Comm comm, const Grid& grid, const Mask& mask, const CostModel& model,
                          const lapwing_partition_costs& costs) {
    std::optional<FoundBlocks> found;
    together(comm, [&] {
        if (costs.nodes_first != 0) {
            user_error("partition of a masked grid", "assigned blocks and nodes first", "one of them",
                       "leave nodes_first out: blocks along a curve keep neighbours together");
        }
        found = find_assigned_blocks(grid, mask, size_of(comm), model);
    });
    return std::move(found->partition);
}

Partition from_boxes(MPI_Comm comm, const Grid& grid, const Box& mine) {
    std::vector<Subdomain> subdomains;
    const std::vector<Box> all = gathered(comm, mine, "the boxes of all ranks");
    for (int rank = 0; rank < static_cast<int>(all.size()); ++rank)
        if (!all[rank].empty()) subdomains.push_back({rank, all[rank]});
    return {grid, static_cast<int>(all.size()), std::move(subdomains)};
}

}  // namespace

void remember(const char* message) { last_message = message; }

void keep_empty(void* handle) {
    static std::mutex turn;
    static auto& empty = *new std::vector<void*>;  // handles may be freed while the process ends
    const std::lock_guard one(turn);
    empty.push_back(handle);
}

Total total_of(int kind) {
    switch (kind) {
        case LAPWING_MINIMUM:
            return Total::minimum;
        case LAPWING_MAXIMUM:
            return Total::maximum;
        case LAPWING_SUM:
            return Total::sum;
    }
    user_error("kind of a reduction", kind, "LAPWING_MINIMUM, _MAXIMUM or _SUM", "pass one of these");
}

}  // namespace lapwing::c

using namespace lapwing;
using namespace lapwing::c;

const char* lapwing_message(void) { return last_message.c_str(); }

int lapwing_run(void (*program)(void* context, int comm), void* context) {
    int argc = 0;
    return run_main(argc, nullptr, [&] { program(context, MPI_Comm_c2f(MPI_COMM_WORLD)); });
}

void lapwing_stop(int code, const char* message) { std::exit(end_of_program(code, message)); }

int lapwing_cubed_sphere(lapwing_connection connections[12]) {
    return coded([&] {
        lapwing_connection* next = &needed(connections, "place for 12 connections");
        const Faces faces = cubed_sphere();
        for (int face = 0; face < faces.count(); ++face) {
            for (Side side : {Side::east, Side::north}) {  // each upper end meets a lower one
                const Connection& link = faces.beyond(face, side);
                *next++ = {face, static_cast<int>(side), link.face, static_cast<int>(link.side), link.reversed ? 1 : 0};
            }
        }
    });
}

int lapwing_domain_create(int comm, const lapwing_grid* grid, const int64_t* blocks, lapwing_domain** domain) {
    return make_domain(comm, grid, domain, [&](MPI_Comm ranks, const Grid& cells) {
        std::optional<Partition> partition;
        together(ranks, [&] {
            partition = blocks == nullptr ? best_partition(cells, size_of(ranks))
                                          : block_partition(cells, {blocks[0], blocks[1], blocks[2]});
        });
        return std::move(*partition);
    });
}

int lapwing_domain_create_masked(int comm, const lapwing_grid* grid, const uint8_t* wet, lapwing_domain** domain) {
    return lapwing_domain_create_masked_by(comm, grid, wet, nullptr, domain);
}

int lapwing_domain_create_masked_by(int comm, const lapwing_grid* grid, const uint8_t* wet,
                                    const lapwing_partition_costs* costs, lapwing_domain** domain) {
    return make_domain(comm, grid, domain, [&](MPI_Comm ranks, const Grid& cells) {
        std::optional<Mask> mask;
        CostModel model;
        together(ranks, [&] {
            if (costs != nullptr) model = model_of(*costs, size_of(ranks));
            const auto columns = static_cast<std::size_t>(cells.size[0] * cells.size[1]);
            mask.emplace(cells.size[0], cells.size[1], std::span(&needed(wet, "wet"), columns));
        });
        const bool assigned = costs != nullptr && costs->assigned != 0;
        require_same(ranks, "assigned", assigned ? "true" : "false");
        if (assigned) return assigned_blocks(ranks, cells, *mask, model, *costs);
        const bool nodes_first = costs != nullptr && costs->nodes_first != 0;
        return find_partition(ranks, cells, *mask, model, {.nodes_first = nodes_first}).partition;
    });
}

int lapwing_domain_set_land(lapwing_domain* domain, const uint8_t* wet, const char* messages) {
    return coded([&] {
        Domain& on = *needed(domain, "domain").domain;
        const Index3& size = on.partition().grid().size;
        const std::span<const std::uint8_t> columns(&needed(wet, "wet"), static_cast<std::size_t>(size[0] * size[1]));
        set_land(on, std::make_shared<const Mask>(size[0], size[1], columns),
                 wet_form_from(&needed(messages, "form of messages")));
    });
}

int lapwing_domain_create_from_boxes(int comm, const lapwing_grid* grid, const lapwing_box* mine,
                                     lapwing_domain** domain) {
    return make_domain(comm, grid, domain, [&](MPI_Comm ranks, const Grid& cells) {
        together(ranks, [&] { static_cast<void>(needed(mine, "box of this rank")); });
        return from_boxes(ranks, cells, box_of(*mine));
    });
}

int lapwing_domain_create_lines(const lapwing_domain* columns, int axis, int levels, lapwing_domain** domain) {
    return coded([&] {
        Domain& twod = *needed(columns, "domain of columns").domain;
        std::optional<Partition> lines;
        together(twod.comm(), [&] {
            static_cast<void>(needed(domain, "place for the domain"));
            if (axis != 0 && axis != 1) {
                user_error("axis of lines", axis, "0 for x or 1 for y", "pass one of these");
            }
            const Partition& given = twod.partition();
            const Partition whole = given.grid().size[2] > 1 ? given : twod_partition(given, levels);
            lines = axis == 0 ? fft_partition(whole) : tri_partition(whole);
        });
        *domain = new lapwing_domain{std::make_shared<Domain>(*lines, twod.comm())};
    });
}

int lapwing_domain_rank(const lapwing_domain* domain) { return alive(domain) ? domain->domain->rank() : -1; }

int lapwing_domain_ranks(const lapwing_domain* domain) { return alive(domain) ? domain->domain->ranks() : 0; }

int lapwing_domain_boxes(const lapwing_domain* domain) {
    if (!alive(domain)) return 0;
    return static_cast<int>(domain->domain->partition().subdomains_of(domain->domain->rank()).size());
}

int lapwing_domain_box(const lapwing_domain* domain, int number, lapwing_box* box) {
    return coded([&] {
        const Domain& made = *needed(domain, "domain").domain;
        const int boxes = lapwing_domain_boxes(domain);
        if (number < 0 || number >= boxes) {
            user_error("number of a box", number, concat("0 to below ", boxes, ", the boxes of rank ", made.rank()),
                       "ask lapwing_domain_boxes how many there are");
        }
        const Partition& partition = made.partition();
        needed(box, "place for the box") =
            given_box(partition.subdomain(partition.subdomains_of(made.rank())[number]).box);
    });
}

int lapwing_domain_reduce(const lapwing_domain* domain, int kind, double mine, double* result) {
    return coded([&] {
        const Domain& made = *needed(domain, "domain").domain;
        require_running_mpi();
        Total what{};
        together(made.comm(), [&] {
            what = total_of(kind);
            static_cast<void>(needed(result, "place for the result"));
        });
        *result = total(made, what, mine);
    });
}

int lapwing_domain_require_same(const lapwing_domain* domain, const char* name, const char* value) {
    return coded([&] {
        const Domain& made = *needed(domain, "domain").domain;
        require_running_mpi();
        require_same(made.comm(), name == nullptr ? "" : name, value == nullptr ? "" : value);
    });
}

int lapwing_domain_close(lapwing_domain* domain) {
    return coded([&] { needed(domain, "domain").domain->close(); });
}

void lapwing_domain_free(lapwing_domain* domain) { give_up(domain); }
