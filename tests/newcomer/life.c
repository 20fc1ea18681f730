/* Conway's life on a torus. */
#include <lapwing/c/lapwing.h>
#include <stdio.h>
#include <stdlib.h>

enum { nx = 96, ny = 64 };

static void need(int code) {
    if (code != LAPWING_OK) lapwing_stop(code, lapwing_message());
}

static void live(void* context, const lapwing_box* box, const lapwing_view* views) {
    (void)context;
    for (int64_t j = box->lo[1]; j < box->hi[1]; ++j) {
        int32_t* new = LAPWING_ROW(int32_t, views[1], j, 0);
        const int32_t* south = LAPWING_ROW(int32_t, views[0], j - 1, 0);
        const int32_t* old = LAPWING_ROW(int32_t, views[0], j, 0);
        const int32_t* north = LAPWING_ROW(int32_t, views[0], j + 1, 0);
        for (int64_t i = box->lo[0]; i < box->hi[0]; ++i) {
            const int32_t n = south[i - 1] + south[i] + south[i + 1] + old[i - 1] + old[i + 1] + north[i - 1] +
                              north[i] + north[i + 1];
            new[i] = n == 3 || (n == 2 && old[i]);
        }
    }
}

static void run(void* context, int comm) {
    (void)context;
    const lapwing_grid grid = {.size = {nx, ny, 1}, .periodic = {1, 1, 0}};
    lapwing_domain* domain;
    need(lapwing_domain_create(comm, &grid, NULL, &domain));
    lapwing_field_spec spec = {.name = "now", .type = LAPWING_INT32, .components = 1, .order = {0, 1, 2, 3}};
    lapwing_field *now, *later;
    need(lapwing_field_declare(domain, &spec, &now));
    spec.name = "later";
    need(lapwing_field_declare(domain, &spec, &later));
    const lapwing_extent around = {{1, 1, 0}, {1, 1, 0}, 1};
    const lapwing_use forth[] = {{.field = now, .access = LAPWING_READS, .extent = around},
                                 {.field = later, .access = LAPWING_WRITES}};
    const lapwing_use back[] = {{.field = later, .access = LAPWING_READS, .extent = around},
                                {.field = now, .access = LAPWING_WRITES}};
    const lapwing_stage stages[] = {{.name = "forth", .kernel = live, .uses = forth, .use_count = 2},
                                    {.name = "back", .kernel = live, .uses = back, .use_count = 2}};
    lapwing_step* step;
    const lapwing_step_options options = {.strategy = "dataflow"};
    need(lapwing_step_create(domain, stages, 2, &options, &step));
    lapwing_block block;
    need(lapwing_field_block(now, 0, &block));
    const lapwing_view view = lapwing_view_of(&block);
    for (int64_t j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
        for (int64_t i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
            LAPWING_AT(int32_t, view, i, j, 0) = (i * i + 3 * j + i * j) % 7 < 3;
    need(lapwing_field_modified(now));
    need(lapwing_step_run(step, 100));

    int32_t* all = malloc(sizeof(int32_t) * nx * ny);
    need(lapwing_field_gather(now, all, nx * ny));
    if (lapwing_domain_rank(domain) == 0) {
        long alive = 0, checksum = 0;
        for (int i = 0; i < nx; ++i)
            for (int j = 0; j < ny; ++j) {
                alive += all[i + nx * j];
                checksum += all[i + nx * j] * (long)(i * ny + j);
            }
        printf("%ld alive, checksum %ld\n", alive, checksum);
    }
    free(all);
    lapwing_step_free(step);
    lapwing_field_free(now);
    lapwing_field_free(later);
    need(lapwing_domain_close(domain));
    lapwing_domain_free(domain);
}

int main(void) { return lapwing_run(run, NULL); }
