#include "lapwing_coast/layers/turbulence.hpp"

#include <algorithm>
#include <cmath>

namespace lapwing_coast {

namespace {

using Constants = TurbulenceConstants;

// The arrays of the kernel, on its box.
struct Fields {
    View<double> tke, dissipation, viscosity, diffusivity;
    View<const double> buoyancy, flow_x, flow_y, face_depth_x, face_depth_y, depth, sea_level;
};

constexpr double square(double x) { return x * x; }

// The columns at hand: their fields, and rows of workspace with a number for each column.
struct Columns {
    Index columns, levels;
    Layers<double> tke, dissipation, viscosity, diffusivity;
    Layers<const double> buoyancy, flow_x, flow_x_behind, flow_y, flow_y_behind;
    double* wet;                             // 1; 0 on land
    double* over_thickness;                  // in the mean of the layers, 1/m
    double* conductance;                     // time step over that thickness squared, s/m2
    double *bottom_source, *surface_source;  // of dissipation there, times the time step, per k2, s/m2
    double *face_x_behind, *face_x;          // squared shear per squared difference of the flow, half of it, 1/m4
    double *face_y_behind, *face_y;
    double *tke_above, *dissipation_above;        // in the sweep down, m2/s2, m2/s3
    Layers<double> tke_share, dissipation_share;  // what a value takes of the one above, 1
};

constexpr Index rows_of_columns = 11;  // of a workspace, other than those of layers

Columns columns_at(const Turbulence& at, const Fields& fields, const Chunk& chunk) {
    const Index i = chunk.i, j = chunk.j;
    const auto row = [&](Index number) { return at.work + number * chunk_columns; };
    const auto layers = [&](Index number) { return row(rows_of_columns + number * at.levels); };
    return {.columns = chunk.columns * chunk.rows,
            .levels = at.levels,
            .tke = layers_at(fields.tke, i, j),
            .dissipation = layers_at(fields.dissipation, i, j),
            .viscosity = layers_at(fields.viscosity, i, j),
            .diffusivity = layers_at(fields.diffusivity, i, j),
            .buoyancy = layers_at(fields.buoyancy, i, j),
            .flow_x = layers_at(fields.flow_x, i, j),
            .flow_x_behind = layers_at(fields.flow_x, i - 1, j),
            .flow_y = layers_at(fields.flow_y, i, j),
            .flow_y_behind = layers_at(fields.flow_y, i, j - 1),
            .wet = row(0),
            .over_thickness = row(1),
            .conductance = row(2),
            .bottom_source = row(3),
            .surface_source = row(4),
            .face_x_behind = row(5),
            .face_x = row(6),
            .face_y_behind = row(7),
            .face_y = row(8),
            .tke_above = row(9),
            .dissipation_above = row(10),
            .tke_share = {layers(0), chunk_columns},
            .dissipation_share = {layers(1), chunk_columns}};
}

// A layer next to a wall and the one behind it, in units of the mean thickness.
struct AtWall {
    double first, second;
    // The sum of 1/z2 over the interfaces of a logarithmic layer, z = z0 + h, z0 + 2 h, ...: the first one, and the
    // rest as an integral. 1/m2
    [[nodiscard]] double logarithmic_sink(double h, double z0) const {
        const double between = 0.5 * (first + second), middle = first + 0.5 * second;
        return 1.0 / square(z0 + first * h) + 1.0 / (between * h * (z0 + middle * h));
    }
};

// `n` columns from cell (i, j) on, those from number `begin` on of the chunk.
void measure_layers(const Turbulence& at, const Fields& fields, const Columns& c, Index i, Index j, Index n,
                    Index begin) {
    const double *depth = fields.depth.row(j) + i, *level = fields.sea_level.row(j) + i;
    const double share = 1.0 / static_cast<double>(at.levels), dt = at.time_step;
    const double z0 = at.bottom_roughness, z0s = at.surface_roughness;
    const double source = square(square(Constants::c_mu0)) / Constants::sigma_eps * dt;
    const Index top = at.levels - 1, next = at.levels > 1 ? 1 : 0;
    const AtWall at_bottom{at.shape.relative(0), at.shape.relative(next)},
        at_surface{at.shape.relative(top), at.shape.relative(top - next)};
    double* __restrict wet = c.wet + begin;
    double* __restrict over = c.over_thickness + begin;
    double* __restrict conductance = c.conductance + begin;
    double* __restrict bottom = c.bottom_source + begin;
    double* __restrict surface = c.surface_source + begin;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double thickness = share * (depth[m] + level[m]);  // m
        const bool water = depth[m] > 0.0 && thickness > 0.0;
        const double h = water ? thickness : 1.0;
        wet[m] = water ? 1.0 : 0.0;
        over[m] = 1.0 / h;
        conductance[m] = dt * over[m] * over[m];
        bottom[m] = source * at_bottom.logarithmic_sink(h, z0);
        surface[m] = source * at_surface.logarithmic_sink(h, z0s);
    }
}

// Computes the shear of the flow at the faces of cell (i, j) and of the next n - 1 cells in x.
void measure_faces(const View<const double>& face_depth, const View<const double>& sea_level, Axis axis, double share,
                   Index i, Index j, Index n, double* __restrict face) {
    const auto [di, dj] = ahead_along[axis];
    const double *depth = face_depth.row(j) + i, *level = sea_level.row(j) + i,
                 *level_ahead = sea_level.row(j + dj) + i + di;
#pragma omp simd
    for (Index m = 0; m < n; ++m) {
        const double h = share * (depth[m] + 0.5 * (level[m] + level_ahead[m]));  // m
        const double weight = 0.5 / square(square(h));
        face[m] = depth[m] > 0.0 && h > 0.0 ? weight : 0.0;
    }
}

void measure(const Turbulence& at, const Fields& fields, const Columns& c, const Chunk& chunk) {
    const Index i = chunk.i, n = chunk.columns;
    const double share = 1.0 / static_cast<double>(at.levels);
    const auto faces = [&](Axis axis, Index first, Index j, double* out) {
        const View<const double>& depth = axis == lapwing::x ? fields.face_depth_x : fields.face_depth_y;
        measure_faces(depth, fields.sea_level, axis, share, first, j, n, out);
    };
    for (Index row = 0; row < chunk.rows; ++row) {
        const Index j = chunk.j + row, begin = row * n;
        measure_layers(at, fields, c, i, j, n, begin);
        faces(lapwing::x, i - 1, j, c.face_x_behind + begin);
        faces(lapwing::x, i, j, c.face_x + begin);
        faces(lapwing::y, i, j - 1, c.face_y_behind + begin);
        faces(lapwing::y, i, j, c.face_y + begin);
    }
    for (double* values : {c.tke_above, c.dissipation_above}) std::fill_n(values, c.columns, 0.0);
}

// Squared differences of the flow through one kind of faces, across an interface between layers.
struct Shear {
    const double *behind, *behind_above, *here, *here_above;  // m2/s
    const double *weight_behind, *weight;                     // 1/m4
    double over, over_above, over_between;                    // of the layers' shape, 1

    [[gnu::always_inline]] double squared(Index i) const {  // 1/s2
        const double of_behind = over_above * behind_above[i] - over * behind[i];
        const double of_here = over_above * here_above[i] - over * here[i];
        return weight_behind[i] * square(over_between * of_behind) + weight[i] * square(over_between * of_here);
    }
};

// The shear at interface k of a flow through the faces behind and here, whose weights these are.
Shear shear_at(const Layers<const double>& behind, const Layers<const double>& here, const double* weight_behind,
               const double* weight, const LayerShape& shape, Index k) {
    return {behind(k), behind(k + 1), here(k),           here(k + 1),          weight_behind,
            weight,    shape.over(k), shape.over(k + 1), shape.over_between(k)};
}

struct Stratification {
    const double *buoyancy, *buoyancy_above;  // m/s2
    const double* over_thickness;             // 1/m
    double compression;                       // 1/s2
    double over_between;                      // of the layers' shape, 1

    [[gnu::always_inline]] double n2(Index i) const {  // 1/s2
        return over_between * (over_thickness[i] * (buoyancy_above[i] - buoyancy[i])) - compression;
    }
};

// Time step times what makes a quantity, and times what takes it.
struct Sources {
    double gain, loss;
};

// If stratification takes more than shear makes, it counts as a loss.
[[gnu::always_inline]] inline Sources sources(double production, double buoyant, double decay, double dt) {
    const bool made = production + buoyant > 0.0;
    return {dt * (made ? production + buoyant : production), dt * (made ? decay : decay - buoyant)};
}

// The sources of k and of eps, where shear makes production P and stratification takes -B: c1 P + c3 B - c2 eps.
struct Balance {
    Sources of_tke, of_eps;
};

[[gnu::always_inline]] inline Balance balance(double production, double buoyant, double eps, double n2, double dt) {
    const double c3 = n2 < 0.0 ? Constants::c3_unstable : Constants::c3_stable;
    return {sources(production, buoyant, eps, dt),
            sources(Constants::c1 * production, c3 * buoyant, Constants::c2 * eps, dt)};
}

// Eliminates k and eps of interface k from the equations of the one above. Both equations are multiplied by the old k,
// which saves a division; another is saved by inverting both pivots at once.
void eliminate(const Turbulence& at, const Columns& c, Index k) {
    const bool lowest = k == 0, uppermost = k + 2 == c.levels;
    const double from_below = lowest ? 0.0 : 0.5 * at.shape.over(k) * at.shape.over_between(k),
                 from_above = uppermost ? 0.0 : 0.5 * at.shape.over(k + 1) * at.shape.over_between(k);
    const double at_bottom = lowest ? 1.0 : 0.0, at_surface = uppermost ? 1.0 : 0.0;
    const double dt = at.time_step, least_tke = at.least_tke, least_dissipation = at.least_dissipation;
    const Shear x = shear_at(c.flow_x_behind, c.flow_x, c.face_x_behind, c.face_x, at.shape, k);
    const Shear y = shear_at(c.flow_y_behind, c.flow_y, c.face_y_behind, c.face_y, at.shape, k);
    const Stratification layers{c.buoyancy(k), c.buoyancy(k + 1), c.over_thickness, at.compression,
                                at.shape.over_between(k)};
    const double *viscosity_below = c.viscosity(lowest ? 0 : k - 1), *viscosity = c.viscosity(k),
                 *viscosity_above = c.viscosity(k + 1), *diffusivity = c.diffusivity(k);
    const double* zero = c.tke_above;  // until the sweep down
    const double *tke_below = lowest ? zero : c.tke(k - 1), *eps_below = lowest ? zero : c.dissipation(k - 1),
                 *tke_share_below = lowest ? zero : c.tke_share(k - 1),
                 *eps_share_below = lowest ? zero : c.dissipation_share(k - 1);
    const double *conductance = c.conductance, *wet = c.wet, *bottom_source = c.bottom_source,
                 *surface_source = c.surface_source;
    double* __restrict tke = c.tke(k);
    double* __restrict dissipation = c.dissipation(k);
    double* __restrict tke_share = c.tke_share(k);
    double* __restrict eps_share = c.dissipation_share(k);
    const Index far = k + layers_ahead;
    fetch_layer(c.columns, c.tke(far), c.dissipation(far), c.viscosity(far), c.diffusivity(far), c.buoyancy(far),
                c.flow_x(far), c.flow_y(far), c.flow_y_behind(far));
    for_vectors(c.columns, [&](Index first, auto count) __attribute__((always_inline)) {
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double e = std::max(tke[i], least_tke), eps = std::max(dissipation[i], least_dissipation);
            const double shear2 = x.squared(i) + y.squared(i), n2 = layers.n2(i);  // 1/s2
            const auto [of_tke, of_eps] = balance(viscosity[i] * shear2, -diffusivity[i] * n2, eps, n2, dt);
            const double wall = (at_bottom * bottom_source[i] + at_surface * surface_source[i]) * (e * e);

            constexpr double slower = 1.0 / Constants::sigma_eps;
            const double down = conductance[i] * from_below * (viscosity_below[i] + viscosity[i]),
                         up = conductance[i] * from_above * (viscosity[i] + viscosity_above[i]);
            const double eps_down = slower * down, eps_up = slower * up;
            const double tke_pivot = e * (1.0 + up + down * (1.0 - tke_share_below[i])) + of_tke.loss;
            const double eps_pivot = e * (1.0 + eps_up + eps_down * (1.0 - eps_share_below[i])) + of_eps.loss;
            const double over_both = 1.0 / (tke_pivot * eps_pivot);
            const double over_tke = over_both * eps_pivot, over_eps = over_both * tke_pivot;

            const double new_tke = e * (e + of_tke.gain + down * tke_below[i]) * over_tke;
            const double new_eps = (e * (eps + wall + eps_down * eps_below[i]) + eps * of_eps.gain) * over_eps;
            const bool water = wet[i] > 0.0;
            tke_share[i] = water ? e * up * over_tke : 0.0;
            eps_share[i] = water ? e * eps_up * over_eps : 0.0;
            tke[i] = water ? new_tke : tke[i];
            dissipation[i] = water ? new_eps : dissipation[i];
        }
    });
}

// k and eps within their limits, and what they mix by but the background: nu = c_mu(aN) k2/eps, nu' = c_mu'(aN) k2/eps.
struct Mixing {
    double tke, dissipation;        // m2/s2, m2/s3
    double viscosity, diffusivity;  // m2/s
};

[[gnu::always_inline]] inline Mixing mixing(double tke, double dissipation, double n2, double least_tke,
                                            double least_dissipation) {
    constexpr double limit =
        Constants::c_mu0 * Constants::c_mu0 * Constants::c_mu0 / (1.4142135623730951 * Constants::largest_eddy);
    const double e = std::max(tke, least_tke);
    const double smallest = limit * e * std::sqrt(std::max(n2, 0.0));  // m2/s3
    const double eps = std::max(std::max(dissipation, least_dissipation), smallest);
    const double time = e / eps;  // s
    const auto [c_mu, c_mu_of_heat] =
        stability_functions(std::max(time * time * n2, Canuto2001::least_buoyancy_number));
    return {e, eps, c_mu * (e * time), c_mu_of_heat * (e * time)};
}

// Finds k and eps of interface k from those above, and how they mix.
void substitute(const Turbulence& at, const Columns& c, Index k) {
    const double least_tke = at.least_tke, least_dissipation = at.least_dissipation;
    const double background_viscosity = at.background_viscosity, background_diffusivity = at.background_diffusivity;
    const Stratification layers{c.buoyancy(k), c.buoyancy(k + 1), c.over_thickness, at.compression,
                                at.shape.over_between(k)};
    const double *tke_share = c.tke_share(k), *eps_share = c.dissipation_share(k), *wet = c.wet;
    double* __restrict tke = c.tke(k);
    double* __restrict dissipation = c.dissipation(k);
    double* __restrict viscosity = c.viscosity(k);
    double* __restrict diffusivity = c.diffusivity(k);
    double* __restrict tke_above = c.tke_above;
    double* __restrict eps_above = c.dissipation_above;
    for_vectors(c.columns, [&](Index first, auto count) __attribute__((always_inline)) {
#pragma omp simd
        for (Index i = first; i < first + count; ++i) {
            const double new_tke = tke[i] + tke_share[i] * tke_above[i],
                         new_eps = dissipation[i] + eps_share[i] * eps_above[i];
            tke_above[i] = new_tke;
            eps_above[i] = new_eps;
            const Mixing found = mixing(new_tke, new_eps, layers.n2(i), least_tke, least_dissipation);
            const bool water = wet[i] > 0.0;
            tke[i] = water ? found.tke : new_tke;
            dissipation[i] = water ? found.dissipation : new_eps;
            viscosity[i] = water ? found.viscosity + background_viscosity : viscosity[i];
            diffusivity[i] = water ? found.diffusivity + background_diffusivity : diffusivity[i];
        }
    });
}

void write_surface(const Turbulence& at, const Columns& c, const double* stress) {
    constexpr double c_mu0 = Constants::c_mu0;
    const Index k = c.levels - 1;
    const double length = Constants::kappa * at.surface_roughness;  // m
    const double least_tke = at.least_tke, least_dissipation = at.least_dissipation;
    const double background_viscosity = at.background_viscosity, background_diffusivity = at.background_diffusivity;
    const double* wet = c.wet;
    double* __restrict tke = c.tke(k);
    double* __restrict dissipation = c.dissipation(k);
    double* __restrict viscosity = c.viscosity(k);
    double* __restrict diffusivity = c.diffusivity(k);
#pragma omp simd
    for (Index i = 0; i < c.columns; ++i) {
        const double e = std::max(stress[i] / (c_mu0 * c_mu0), least_tke);
        const double q = std::sqrt(e);  // m/s
        const double eps = std::max(c_mu0 * c_mu0 * c_mu0 * e * q / length, least_dissipation);
        const bool water = wet[i] > 0.0;
        tke[i] = water ? e : tke[i];
        dissipation[i] = water ? eps : dissipation[i];
        viscosity[i] = water ? c_mu0 * q * length + background_viscosity : viscosity[i];
        diffusivity[i] = water ? c_mu0 * q * length + background_diffusivity : diffusivity[i];
    }
}

void step_columns(const Turbulence& at, const Fields& fields, const Columns& c, const Chunk& chunk) {
    measure(at, fields, c, chunk);
    for (Index k = 0; k + 1 < c.levels; ++k) eliminate(at, c, k);
    for (Index k = c.levels - 2; k >= 0; --k) substitute(at, c, k);
    double* stress = c.conductance;  // done with
    at.surface_stress.fill(chunk, stress);
    write_surface(at, c, stress);
}

constexpr Index gathered_fields = 9;

// Columns of several rows, side by side in the workspace for as long as it takes.
void step_gathered(const Turbulence& at, const Fields& fields, const Chunk& chunk) {
    const Columns columns = columns_at(at, fields, chunk);
    Columns c = columns;
    double* memory = at.work + (rows_of_columns + 2 * at.levels) * chunk_columns;
    const auto gather = [&](auto& layers) {
        const Layers<double> gathered{memory, chunk_columns, chunk.columns};
        copy_layers(layers, gathered, chunk.columns, chunk.rows, at.levels);
        layers = {memory, chunk_columns, chunk.columns};
        memory += at.levels * chunk_columns;
    };
    for (auto* layers : {&c.tke, &c.dissipation, &c.viscosity, &c.diffusivity}) gather(*layers);
    for (auto* layers : {&c.buoyancy, &c.flow_x, &c.flow_x_behind, &c.flow_y, &c.flow_y_behind}) gather(*layers);
    step_columns(at, fields, c, chunk);
    const auto scatter = [&](const Layers<double>& gathered, const Layers<double>& layers) {
        copy_layers(gathered, layers, chunk.columns, chunk.rows, at.levels);
    };
    scatter(c.tke, columns.tke);
    scatter(c.dissipation, columns.dissipation);
    scatter(c.viscosity, columns.viscosity);
    scatter(c.diffusivity, columns.diffusivity);
}

}  // namespace

Index turbulence_work(Index levels) { return (rows_of_columns + (2 + gathered_fields) * levels) * chunk_columns; }

void Turbulence::operator()(Box box, View<double> tke, View<double> dissipation, View<double> viscosity,
                            View<double> diffusivity, View<const double> buoyancy, View<const double> flow_x,
                            View<const double> flow_y, View<const double> face_depth_x, View<const double> face_depth_y,
                            View<const double> depth, View<const double> sea_level) const {
    const Fields fields{tke,    dissipation,  viscosity,    diffusivity, buoyancy, flow_x,
                        flow_y, face_depth_x, face_depth_y, depth,       sea_level};
    for_chunks(box, [&](const Chunk& chunk) {
        if (chunk.rows == 1) {
            step_columns(*this, fields, columns_at(*this, fields, chunk), chunk);
        } else {
            step_gathered(*this, fields, chunk);
        }
    });
}

}  // namespace lapwing_coast
