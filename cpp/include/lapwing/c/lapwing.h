#ifndef LAPWING_C_LAPWING_H
#define LAPWING_C_LAPWING_H
/* lapwing for C, and for every language that calls C: domains, fields, exchanges, transposes, solvers, and steps of
 * stages, records and restarts.
 *
 * Every function that can fail returns a lapwing_code, and lapwing_message() then says what went wrong; results come
 * back through the last pointers. Collective functions are called by all ranks of the domain, in the same order, and
 * fail on all of them together. Handles are freed in any order: what another handle needs lives as long as that handle.
 * A call with a handle that was freed is an error; to detect it, the empty handle (24 to 168 bytes) stays until the
 * program ends. All calls come from the thread that made the domain. */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* LAPWING_USER_ERROR: the request is wrong. LAPWING_OUTSIDE_ERROR: MPI, memory or the system failed. */
typedef enum { LAPWING_OK = 0, LAPWING_USER_ERROR = 2, LAPWING_OUTSIDE_ERROR = 3 } lapwing_code;

/* Returns the message of the last call that failed in this thread: name, got, expected, remedy. Local. */
const char* lapwing_message(void);

/* Cells lo <= (i, j, k) < hi, in global indices that begin at 0. */
typedef struct {
    int64_t lo[3], hi[3];
} lapwing_box;

/* How far a kernel reads around a cell, in cells, towards smaller and larger indices; `corners`: with corners. */
typedef struct {
    int lo[3], hi[3];
    int corners;
} lapwing_extent;

typedef struct lapwing_domain lapwing_domain;
typedef struct lapwing_field lapwing_field;
typedef struct lapwing_exchange lapwing_exchange;
typedef struct lapwing_reduction lapwing_reduction;
typedef struct lapwing_step lapwing_step;
typedef struct lapwing_transpose lapwing_transpose;
typedef struct lapwing_records lapwing_records;
typedef struct lapwing_restart lapwing_restart;

/* ---- the frame of a program */

/* Initialises MPI, calls program(context, comm) with the handle of MPI_COMM_WORLD, finalises MPI, and returns the code
 * for exit. For programs that do not call MPI themselves. Collective over the job. */
int lapwing_run(void (*program)(void* context, int comm), void* context);

/* Ends the program with the message of an error that all ranks met, printed once, or aborts the job where only some met
 * one. Does not return. Collective where all ranks met it. */
void lapwing_stop(int code, const char* message);

/* ---- domains: a grid, cut into boxes, on the ranks of a communicator */

/* The points that the north fold of a tripolar grid passes through, at the upper end of y: centers of the last row, or
 * corners along its upper edge. Such a grid is periodic in x, not in y, and has an even number of cells along x. */
typedef enum { LAPWING_NO_FOLD, LAPWING_FOLD_T, LAPWING_FOLD_F } lapwing_north_fold;

/* The sides of a face: the lower and the upper end of x, then of y. */
typedef enum { LAPWING_WEST, LAPWING_EAST, LAPWING_SOUTH, LAPWING_NORTH } lapwing_side;

/* A side of a face meets a side of another face, or of the same. Faces are numbered from 0; `reversed`: indices along
 * one of the sides rise where they fall along the other. */
typedef struct {
    int face, side, other, other_side, reversed;
} lapwing_connection;

/* The connections of the six faces of a cubed sphere, as MITgcm numbers them: upper ends of sides meet lower ends, so
 * that every point between two faces has one owner. Local. */
int lapwing_cubed_sphere(lapwing_connection connections[12]);

/* A grid of size[0] x size[1] x size[2] cells (1 along z where z is not cut). */
typedef struct {
    int64_t size[3];
    int periodic[3]; /* true if the axis is periodic */
    int north_fold;  /* a lapwing_north_fold */
    /* Where there are any, face f of n columns is columns f n to below (f + 1) n of the grid; 0: none. */
    int faces;
    int connection_count;
    const lapwing_connection* connections;
} lapwing_grid;

/* Blocks blocks[0] x blocks[1] x blocks[2], or the best ones for the ranks where `blocks` is null. `comm` is the
 * Fortran handle of a communicator: MPI_Comm_c2f(comm). Collective; duplicates the communicator. */
int lapwing_domain_create(int comm, const lapwing_grid* grid, const int64_t* blocks, lapwing_domain** domain);
/* Boxes around the wet cells, with about as many of them for every rank. `wet` has size[0] x size[1] values, x fastest,
 * the same on all ranks; nonzero is wet. Collective; up to half a minute for a thousand ranks. */
int lapwing_domain_create_masked(int comm, const lapwing_grid* grid, const uint8_t* wet, lapwing_domain** domain);

/* What boxes cost on a machine, relative to the work on a wet point: a rank costs (wet n_wet + dry n_dry) / speed, and
 * the halo points and messages that come to it. The slowest rank counts. */
typedef struct {
    double wet, dry; /* per point of the rank; 1 and 0.05 by default */
    double off, on;  /* per wet halo point from another node, and from another rank of the node; 5 and 1 by default */
    double latency;  /* per message; 0 by default. All five zero: the defaults */
    int width;       /* of halos, in cells; 0: two */
    int ranks_per_node;   /* ranks 0 to below this are on the first node, and so on; 0: one */
    int nodes_first;      /* true: cuts between nodes first, through little water, then inside nodes */
    const double* speeds; /* of the ranks, relative to each other; null: all alike */
    int speed_count;      /* at least the ranks */
    int assigned;         /* true: small wet blocks along a curve, several for each rank, instead of one box */
} lapwing_partition_costs;
/* The same by other costs than the defaults; null: those. Collective. */
int lapwing_domain_create_masked_by(int comm, const lapwing_grid* grid, const uint8_t* wet,
                                    const lapwing_partition_costs* costs, lapwing_domain** domain);
/* The box that the caller's own decomposition gives this rank; empty if none. Collective, one gather. */
int lapwing_domain_create_from_boxes(int comm, const lapwing_grid* grid, const lapwing_box* mine,
                                     lapwing_domain** domain);
/* Full lines of cells along an axis, 0: x, or 1: y, with the levels (grid cells along z) spread over the ranks: a grid
 * of columns->size[0] x size[1] x levels, between which and `columns` transposes move fields in the fewest messages.
 * `columns`: blocks, with all levels on each rank. Fails if there are more blocks along x than levels. Collective;
 * duplicates the communicator. */
int lapwing_domain_create_lines(const lapwing_domain* columns, int axis, int levels, lapwing_domain** domain);

/* Steps that are made from now on leave out land in fields that are constant there: stages do not compute it, messages
 * carry it as `messages` says, "off", "clip", "patches", "lists" or "auto". `wet` as above. Local, the same on all
 * ranks. */
int lapwing_domain_set_land(lapwing_domain* domain, const uint8_t* wet, const char* messages);

/* Local: this rank, all ranks, and the boxes of this rank, of which there may be none or several. */
int lapwing_domain_rank(const lapwing_domain* domain);
int lapwing_domain_ranks(const lapwing_domain* domain);
int lapwing_domain_boxes(const lapwing_domain* domain);
int lapwing_domain_box(const lapwing_domain* domain, int number, lapwing_box* box);

/* Frees its communicators: nothing on it can be started any more. Collective; fails if an exchange is in flight. */
int lapwing_domain_close(lapwing_domain* domain);
/* Frees it; null is allowed. Local. */
void lapwing_domain_free(lapwing_domain* domain);

/* ---- fields: values on the cells of a domain */

/* LAPWING_BOOL: one byte, zero or one. */
typedef enum { LAPWING_FLOAT32, LAPWING_FLOAT64, LAPWING_INT32, LAPWING_INT64, LAPWING_BOOL } lapwing_type;
/* Where in the cell (i, j) a value lives: the x face is the face towards i + 1, the y face the face towards j + 1. */
typedef enum { LAPWING_CENTER, LAPWING_XFACE, LAPWING_YFACE, LAPWING_CORNER } lapwing_location;

typedef struct {
    const char* name;
    int type;            /* a lapwing_type */
    int location;        /* a lapwing_location */
    int levels;          /* length of an axis that is not cut; 0: none */
    int components;      /* values per cell, at least 1 */
    int order[4];        /* order of the axes x = 0, y = 1, z = 2 and components = 3 in memory, fastest first */
    lapwing_extent halo; /* halo of a plain exchange; steps know their own */
    /* How far each component is read around a cell, one per component; null: as far as stages read. For a field that a
     * stage scatters, the offsets at which components are written. Only for fields that are declared. */
    const lapwing_extent* component_extents;
    /* True for a component of a vector along x or y: its sign is the other one where its axis runs the other way, as
     * beyond a north fold. */
    int vector;
    int constant_on_land; /* promises that no stage changes its values on land: see lapwing_domain_set_land */
    /* The names of the fields along x and y, of which this is one: they change places where x of a face runs along y of
     * the next, and are exchanged together; null: none. */
    const char* pair[2];
    int frame; /* true if ghost cells beyond closed sides of the grid hold values of the model that exchanges carry */
} lapwing_field_spec;

/* A field whose memory lapwing allocates, in the first step that uses it, with the halo that its stages need.
 * Local; call it on all ranks. */
int lapwing_field_declare(lapwing_domain* domain, const lapwing_field_spec* spec, lapwing_field** field);
/* A field in the caller's memory, for ranks that own at most one box: `data` is the value of cell allocated->lo,
 * strides[axis] the values between neighbours along x, y, z and components. The memory must stay where it is while the
 * field, or an exchange or step of it, lives. Local; call it on all ranks. */
int lapwing_field_wrap(lapwing_domain* domain, const lapwing_field_spec* spec, void* data, const lapwing_box* allocated,
                       const int64_t strides[4], lapwing_field** field);

/* Allocates a declared field without a step, with the halos of its spec. Local; call it on all ranks. */
int lapwing_field_allocate(lapwing_field* field);

/* The memory of one of this rank's boxes: what it holds, halos included, and strides in values. Fails before the field
 * has memory. Local. */
typedef struct {
    void* data; /* the value of cell allocated.lo */
    lapwing_box owned, allocated;
    int64_t strides[4];
} lapwing_block;
int lapwing_field_block(const lapwing_field* field, int number, lapwing_block* block);

/* Gives a field its unit ("1" by default) and its CF names for files; null: as it was. Local. */
int lapwing_field_describe(lapwing_field* field, const char* units, const char* long_name, const char* standard_name);

/* Says that something other than a step wrote the field: its halo is stale. Local; call it on all ranks. */
int lapwing_field_modified(lapwing_field* field);

/* The values of the whole grid on rank 0, x fastest, then y, z: `count` of them, which must be all cells times levels.
 * Elsewhere `values` may be null. Collective, one message per rank. */
int lapwing_field_gather(const lapwing_field* field, void* values, int64_t count);

/* How numbers are combined: the least, the largest or the sum, which is exact and rounded once. The same bits on any
 * number of ranks; NaN if any number is NaN. */
typedef enum { LAPWING_MINIMUM, LAPWING_MAXIMUM, LAPWING_SUM } lapwing_reduction_kind;
/* Combines the numbers `mine` of all ranks. `kind`: a lapwing_reduction_kind. Collective, one reduction. */
int lapwing_domain_reduce(const lapwing_domain* domain, int kind, double mine, double* result);
/* An error on all ranks, which names the first that differs, unless all pass the same text. Both texts name the wait to
 * the watchdog. Collective, one reduction if they are the same. */
int lapwing_domain_require_same(const lapwing_domain* domain, const char* name, const char* value);
/* Combines the values in all owned cells of a field, for each level and component. Collective, two reductions. */
int lapwing_field_reduce(const lapwing_field* field, int kind, double* result);

void lapwing_field_free(lapwing_field* field);

/* ---- exchanges: halos of some fields, filled when the caller says so */

/* One message per neighbour for all fields, each with the halo of its spec. `transport`: null or "auto" for the fastest
 * on this machine. Collective. */
int lapwing_exchange_create(lapwing_domain* domain, lapwing_field* const* fields, int count, const char* transport,
                            lapwing_exchange** exchange);
/* Start: packs and posts, does not block. Until wait, owned cells must not be written, nor halos read. Test advances
 * messages. All local; every neighbour must start it too. */
int lapwing_exchange_start(lapwing_exchange* exchange);
int lapwing_exchange_test(lapwing_exchange* exchange, int* complete);
int lapwing_exchange_wait(lapwing_exchange* exchange);
/* Start and wait. */
int lapwing_exchange_run(lapwing_exchange* exchange);
/* An exchange of arrays that come and go, with the types, shapes and halos of `fields`, which need no memory. Only the
 * transports that pack: not datatype, direct or pull, and `shared` reads nothing in place. Collective. */
int lapwing_exchange_create_for_arrays(lapwing_domain* domain, lapwing_field* const* fields, int count,
                                       const char* transport, lapwing_exchange** exchange);
/* Says where array `number` lies from the next start on, until the next call for it; arrays are numbered from 0 in the
 * order of the fields. `data` is the value of cell allocated->lo, strides[axis] the values between neighbours along x,
 * y, z and components. It must live until the exchange has been waited for. Fails for memory that does not hold the box
 * and its halo, and while the exchange is on its way. If cells and strides are the same as before, it costs some
 * additions per message. For ranks that own at most one box. Local. */
int lapwing_exchange_take(lapwing_exchange* exchange, int number, void* data, const lapwing_box* allocated,
                          const int64_t strides[4]);
/* The messages and bytes that this rank sends in one run. Local. */
int lapwing_exchange_volume(const lapwing_exchange* exchange, int64_t* messages, int64_t* bytes);
/* The name of the transport in use. Local. */
const char* lapwing_exchange_transport(const lapwing_exchange* exchange);
void lapwing_exchange_free(lapwing_exchange* exchange);

/* ---- transposes: values moved from one way to cut a grid to another */

/* Moves sources[n] to targets[n], fields with memory: all sources on one domain, all targets on another domain of the
 * same cells, in pairs of one type and number of components. A field with levels counts as one on a grid with these
 * levels. Values are reordered on the way if the order in memory differs. `method`: null or "auto" for the fastest,
 * measured here, or "p2p", "alltoallv", ... `groups`: number of groups of levels, 1 to 1024, which travel one after the
 * other. Collective. */
int lapwing_transpose_create(lapwing_field* const* sources, lapwing_field* const* targets, int count,
                             const char* method, int groups, lapwing_transpose** transpose);
/* Start: packs and posts, does not block. Until wait, sources must not be written, nor targets read or written. Test
 * advances messages. Wait and run say that the targets are modified. All local; every rank must start it too. */
int lapwing_transpose_start(lapwing_transpose* transpose);
int lapwing_transpose_test(lapwing_transpose* transpose, int* complete);
int lapwing_transpose_wait(lapwing_transpose* transpose);
/* Start and wait; calls work(context, box), unless it is null, for boxes of the targets that have arrived, while the
 * rest are on their way. */
int lapwing_transpose_run(lapwing_transpose* transpose, void (*work)(void* context, const lapwing_box* box),
                          void* context);
/* The method in use. Local. */
const char* lapwing_transpose_method(const lapwing_transpose* transpose);
void lapwing_transpose_free(lapwing_transpose* transpose);

/* ---- numbers of all ranks: the least or the largest that any kernel call finds */

/* `kind`: LAPWING_MINIMUM or LAPWING_MAXIMUM. Local. */
int lapwing_reduction_create(int kind, lapwing_reduction** number);
/* Returns the number that a kernel lowers or raises, and the value of all ranks once the stage is done; NaN if any rank
 * had one. Local. */
double* lapwing_reduction_partial(lapwing_reduction* number);
double lapwing_reduction_value(const lapwing_reduction* number);
void lapwing_reduction_free(lapwing_reduction* number);

/* ---- steps: stages, in the order that a strategy chose */

/* One box of a field in global indices, as a kernel sees it; see LAPWING_AT. */
typedef struct {
    void* data;
    int64_t strides[4]; /* values */
    int64_t origin;     /* values */
} lapwing_view;
#ifdef __cplusplus
#define LAPWING_CAST(type, data) static_cast<type*>(data)
#else
#define LAPWING_CAST(type, data) ((type*)(data))
#endif
/* The value of cell (i, j, k): LAPWING_AT(double, views[0], i, j, 0) += 1. */
#define LAPWING_AT(type, view, i, j, k) \
    (LAPWING_CAST(                      \
        type,                           \
        (view).data)[(i) * (view).strides[0] + (j) * (view).strides[1] + (k) * (view).strides[2] - (view).origin])
/* A pointer p for which p[i] is the value of cell (i, j, k): the shape of a fast inner loop, where x is contiguous. */
#define LAPWING_ROW(type, view, j, k) \
    (LAPWING_CAST(type, (view).data) + ((j) * (view).strides[1] + (k) * (view).strides[2] - (view).origin))
/* Returns a block of a field as such a view. Local. */
lapwing_view lapwing_view_of(const lapwing_block* block);

/* Computes the cells of `box`; views[n] belongs to use number n of the stage. */
typedef void (*lapwing_kernel)(void* context, const lapwing_box* box, const lapwing_view* views);

/* Reads: as far as the extent says. Writes: sets the cells of the box. Updates: reads them too. Scatters: writes each
 * component at the offset that component_extents of the field name, into halos too, which lapwing brings home. */
typedef enum { LAPWING_READS, LAPWING_WRITES, LAPWING_UPDATES, LAPWING_SCATTERS } lapwing_access;
typedef struct {
    lapwing_field* field;
    int access;                       /* a lapwing_access */
    lapwing_extent extent;            /* extent of reads and scatters */
    const lapwing_reduction* wide_as; /* as much of the extent travels as this number requires, which a stage before */
    int widths[8]; /* it reduces, in one of these widths: ascending, the last the extent's, then zeros */
} lapwing_use;

/* A stage. All but the first five members may be zero. `position`: from 0, in which step of a cycle it runs, for time
 * levels that rotate: with positions 0, 1 and 2 the first step runs the stages of position 0, the next the stages of
 * position 1, ...; stages of one position follow each other. */
typedef struct {
    const char* name;
    lapwing_kernel kernel;
    void* context;
    const lapwing_use* uses;
    int use_count;
    lapwing_reduction* reduces;  /* the number that the kernel lowers or raises */
    const lapwing_box* region;   /* computes these cells alone */
    void (*then)(void* context); /* what all ranks do together once the stage is done, such as a solver */
    int in_any_order;            /* may read around a cell what it writes: any order of cells gives the same result */
    int repeats;                 /* runs again, with the repeats - 1 stages before it, while `reduces` is above */
    double repeats_above;
    int position;
    lapwing_extent rim; /* computes this far beyond the boxes of ranks too, which keeps halos of this width fresh */
    int iteration;      /* from 1, in a loop of known length, whose stages are listed for each iteration; 0: in none */
} lapwing_stage;

/* The options of a step, all of which may be zero. */
typedef struct {
    const char* strategy;  /* null or "blocking", "edge-first", "dataflow", "tiled", "deep:4", "auto", ... */
    const char* transport; /* null or "auto": the fastest */
    int threads; /* of each rank, which call its kernels at a time; 0: one. At most the cores that the launcher gave a
                  * rank; more than one needs an MPI with MPI_THREAD_FUNNELED, as lapwing_run initialises it. */
} lapwing_step_options;

/* Makes the schedule, exchanges, and the memory of declared fields. `options`: null for the defaults. Collective. */
int lapwing_step_create(lapwing_domain* domain, const lapwing_stage* stages, int count,
                        const lapwing_step_options* options, lapwing_step** step);
/* The same in parts: begins a step with options, adds its stages one by one, and finishes it, which makes what
 * lapwing_step_create makes. Stages, uses and texts are copied; contexts are not. A stage that is added later, or a
 * step that is finished without stages or twice, is an error on all ranks. Collective, one reduction each. */
int lapwing_step_begin(lapwing_domain* domain, const lapwing_step_options* options, lapwing_step** step);
int lapwing_step_add(lapwing_step* step, const lapwing_stage* stage);
int lapwing_step_finish(lapwing_step* step);
/* Runs `steps` steps. Collective. */
int lapwing_step_run(lapwing_step* step, int64_t steps);
/* The same with numbers that follow from the number of the step alone, and that kernels find through their context:
 * set_numbers(context, n) is called before the kernels of step n, from 0. Strategies that take tiles through several
 * steps call it for a later step and again for an earlier one, as often as they change between them. No kernel runs
 * meanwhile. Collective. */
int lapwing_step_run_numbered(lapwing_step* step, int64_t steps, void (*set_numbers)(void* context, int64_t step),
                              void* context);
/* Returns the position of the next step in the cycle, -1 without a step; a restart sets it, and all halos count as
 * stale. Local; call it on all ranks. */
int lapwing_step_position(const lapwing_step* step);
int lapwing_step_restart_at(lapwing_step* step, int position);
/* Checks stages against their declarations from now on, many times slower: see LAPWING_CHECK. Collective. */
int lapwing_step_check(lapwing_step* step, int on);
/* Calls begin(context, name) and end(context, name) around the parts of steps from now on, for a tool that draws named
 * ranges (NVTX, Caliper, Score-P): the name of the stage that computes, "halo of u, v" while messages are packed,
 * "wait" while there is nothing else to do. Ranges do not overlap; names live as the step does. Null: none. Local. */
int lapwing_step_name_ranges(lapwing_step* step, void (*begin)(void* context, const char* name),
                             void (*end)(void* context, const char* name), void* context);
/* Describes what it runs: the strategy in use; its exchanges and stages. Valid until the next call of it. Local. */
int lapwing_step_strategy(lapwing_step* step, const char** text);
int lapwing_step_describe(lapwing_step* step, const char** text);
/* Exchanges, messages and bytes that this rank sends per step; seconds so far in starting and in waiting. Local. */
typedef struct {
    double exchanges, messages, bytes;
    int64_t steps;
    double start_seconds, wait_seconds;
} lapwing_costs;
int lapwing_step_costs(const lapwing_step* step, lapwing_costs* costs);
/* Takes the census of exchanges from now on, from zero, or ends it: each exchange is then preceded by a handshake, and
 * steps run undivided. Steps that are checked do not count. Collective; costs a few hundred handshakes per exchange,
 * and afterwards one each. */
int lapwing_step_observe(lapwing_step* step, int on);
/* One exchange of the census, as this rank sees it: what one run moves, and the cost of all runs here. */
typedef struct {
    int position;         /* in the cycle, from 0 */
    int steady;           /* true if it is part of the steady state; false if it runs only while all halos are stale */
    int unasked;          /* true if `stage` sends it at its end; false if `stage` cannot go on without it */
    const char* stage;    /* a name */
    const char* fields;   /* names, "u, v" */
    const char* needless; /* names of fields whose halo no stage reads before it is stale again; "": none */
    int64_t messages, bytes, runs;
    double packing, late,
        transfer; /* seconds of all runs: packing; then until the last neighbour was there; the rest */
} lapwing_census_entry;
/* `entries`: an array of `count`, valid until the next call of it; none unless the step is observed. Local. */
int lapwing_step_census(lapwing_step* step, const lapwing_census_entry** entries, int* count);
void lapwing_step_free(lapwing_step* step);

/* ---- records and restarts: fields in stores of chunks (Zarr version 3) that all ranks write and read together
 *
 * The bytes of a store do not depend on ranks and partition. Python's lapwing.Records and lapwing.Restart, xarray and
 * `lapwing compare` read it. Fields are named, described and located as they were declared, and have memory. */

/* A horizontal coordinate of the centers of cells: `count` values, one per cell, their unit and CF names. */
typedef struct {
    const double* values; /* null: numbers of cells */
    int64_t count;
    const char *units, *long_name, *standard_name; /* null: "1", and names that follow from the unit */
} lapwing_axis;

/* What a store of records says besides its fields. All members may be zero. */
typedef struct {
    int fixed;            /* number of fields at the end of the list that never change: one map each */
    const char* start;    /* date of time 0, UTC; null: "2000-01-01 00:00:00" */
    const char* title;    /* null: none */
    int single_precision; /* true: values take 4 bytes instead of 8 */
    const uint8_t* wet;   /* where fields have a meaning: size[0] x size[1] values, x fastest; null: everywhere */
    int keep;             /* true: goes on behind the records of the store that is there, */
    double keep_until;    /* up to this time, s */
    lapwing_axis x, y;
} lapwing_record_options;

/* Makes a store, whose name ends in .zarr; a store that has this name stays as NAME.former until `close`. `options`:
 * null for none. Collective. */
int lapwing_records_create(lapwing_domain* domain, const char* path, lapwing_field* const* fields, int count,
                           const lapwing_record_options* options, lapwing_records** records);
/* Adds the present values as the record of `time`, s since the start. `step`: -1 for the number of the record. The
 * record appears complete or not at all; where the disk is full, the records before stay. Collective. */
int lapwing_records_write(lapwing_records* records, double time, int64_t step);
/* Puts the record of `time` into the fields, and its step into `step` (null is allowed). Where a record has no value,
 * as on land, a field keeps its own; halos are stale. Collective. */
int lapwing_records_read(lapwing_records* records, double time, int64_t* step);
/* Removes the store that had this name before, and lets other jobs write there. Collective. */
int lapwing_records_close(lapwing_records* records);
/* Frees it, and lets other jobs write there; null is allowed. Local. */
void lapwing_records_free(lapwing_records* records);

/* The state of a model, from which any number of ranks goes on bit for bit; the name ends in .zarr. Collective. */
int lapwing_restart_create(lapwing_domain* domain, const char* path, lapwing_field* const* fields, int count,
                           lapwing_restart** restart);
/* Writes the state after `step` steps, complete or not at all; the state before stays as NAME.former. Collective. */
int lapwing_restart_write(lapwing_restart* restart, int64_t step);
/* Puts the state into the fields, and its step into `step` (null is allowed); halos are stale. Collective. */
int lapwing_restart_read(lapwing_restart* restart, int64_t* step);
void lapwing_restart_free(lapwing_restart* restart);

#ifdef __cplusplus
}
#endif

#include "lapwing/c/solvers.h"

#endif
