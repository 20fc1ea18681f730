/* The heat of ../heat.cpp in C, with the same bits. */
#include <lapwing/c/lapwing.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { nx = 240, ny = 160 };

static void need(int code) {
    if (code != LAPWING_OK) lapwing_stop(code, lapwing_message());
}

static void spread(void* context, const lapwing_box* box, const lapwing_view* views) {
    (void)context;
    const lapwing_view next = views[0], heat = views[1];
    for (int64_t j = box->lo[1]; j < box->hi[1]; ++j) {
        double* to = LAPWING_ROW(double, next, j, 0);
        const double *south = LAPWING_ROW(double, heat, j - 1, 0), *here = LAPWING_ROW(double, heat, j, 0),
                     *north = LAPWING_ROW(double, heat, j + 1, 0);
        for (int64_t i = box->lo[0]; i < box->hi[0]; ++i)
            to[i] = here[i] + 0.2 * (here[i - 1] + here[i + 1] + south[i] + north[i] - 4.0 * here[i]);
    }
}

static void run(void* context, int comm) {
    (void)context;
    const lapwing_grid grid = {.size = {nx, ny, 1}, .periodic = {1, 1, 0}};
    lapwing_domain* domain;
    need(lapwing_domain_create(comm, &grid, NULL, &domain));

    const lapwing_field_spec spec_a = {.name = "a", .type = LAPWING_FLOAT64, .components = 1, .order = {0, 1, 2, 3}};
    lapwing_field_spec spec_b = spec_a;
    spec_b.name = "b";
    lapwing_field *a, *b;
    need(lapwing_field_declare(domain, &spec_a, &a));
    need(lapwing_field_declare(domain, &spec_b, &b));

    const lapwing_extent cross = {{1, 1, 0}, {1, 1, 0}, 0};
    const lapwing_use there[] = {{.field = b, .access = LAPWING_WRITES},
                                 {.field = a, .access = LAPWING_READS, .extent = cross}};
    const lapwing_use back[] = {{.field = a, .access = LAPWING_WRITES},
                                {.field = b, .access = LAPWING_READS, .extent = cross}};
    const lapwing_stage stages[] = {{.name = "there", .kernel = spread, .uses = there, .use_count = 2},
                                    {.name = "back", .kernel = spread, .uses = back, .use_count = 2}};
    lapwing_step* step;
    const lapwing_step_options options = {.strategy = "dataflow"};
    need(lapwing_step_create(domain, stages, 2, &options, &step));

    lapwing_block block;
    need(lapwing_field_block(a, 0, &block));
    const lapwing_view heat = lapwing_view_of(&block);
    for (int64_t j = block.owned.lo[1]; j < block.owned.hi[1]; ++j)
        for (int64_t i = block.owned.lo[0]; i < block.owned.hi[0]; ++i)
            LAPWING_AT(double, heat, i, j, 0) = exp(-0.01 * hypot((double)(i - 120), (double)(j - 80)));
    need(lapwing_field_modified(a));
    need(lapwing_step_run(step, 200));

    double* all = malloc(sizeof(double) * nx * ny);
    need(lapwing_field_gather(a, all, nx * ny));
    if (lapwing_domain_rank(domain) == 0) {
        double sum = 0;
        for (int n = 0; n < nx * ny; ++n) sum += all[n];
        printf("heat %.9f\n", sum);
    }
    free(all);
    lapwing_step_free(step);
    lapwing_field_free(a);
    lapwing_field_free(b);
    need(lapwing_domain_close(domain));
    lapwing_domain_free(domain);
}

int main(void) { return lapwing_run(run, NULL); }
