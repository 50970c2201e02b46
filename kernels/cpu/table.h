/* All kernels for one REAL, VECTOR (bytes of a vector) and TABLE (name of the table). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-math-errno", "no-trapping-math")
#endif

#include <math.h>
#include <string.h>

#include "point.h"
#include "rows.h"

#include "vector.h"
#include "mixed.h"
#include "reduce.h"
#include "elliptic.h"
#include "trilinear_coarse.h"
#include "coarse.h"
#include "line.h"
#include "hierarchical_smooth.h"
#include "transfer.h"
#include "cells.h"
#include "cycle.h"
#include "transport.h"
#include "heat.h"
#include "darcy.h"
#include "trilinear_flux.h"
#include "wall.h"
#include "velocity.h"
#include "columns.h"
#include "transpose.h"
#include "tridiagonal.h"
#include "batch.h"
#include "multicolumn.h"
#include "benchmarks.h"
#include "hierarchical.h"
#include "hierarchical_cube.h"

const cv_kernel TABLE[cv_kernels] = {
    [cv_fill] = fill,
    [cv_copy] = copy,
    [cv_convert] = convert,
    [cv_combine] = combine,
    [cv_combine_mixed] = combine_mixed,
    [cv_halo_plane] = halo_plane,
    [cv_halo_z] = halo_z,
    [cv_set_wall] = set_wall,
    [cv_reduce] = reduce,
    [cv_shift] = shift,
    [cv_apply] = apply,
    [cv_residual] = residual,
    [cv_smooth] = smooth,
    [cv_red_black] = red_black,
    [cv_mass_update] = mass_update,
    [cv_solve_coarse] = solve_coarse,
    [cv_line_smooth] = line_smooth,
    [cv_hierarchical_smooth] = hierarchical_smooth,
    [cv_restrict] = restriction,
    [cv_prolong] = prolongation,
    [cv_prolong_cubic] = cubic_prolongation,
    [cv_inject] = injection,
    [cv_mobility] = mobility,
    [cv_coarsen_cells] = coarsen_cells,
    [cv_coupling] = coupling,
    [cv_descend] = descend,
    [cv_ascend] = ascend,
    [cv_buoyancy_source] = buoyancy_source,
    [cv_darcy_flux] = darcy_flux,
    [cv_heat_flux] = heat_flux,
    [cv_dissipation] = dissipation,
    [cv_trilinear_source] = trilinear_source,
    [cv_trilinear_darcy_flux] = trilinear_darcy_flux,
    [cv_trilinear_heat_flux] = trilinear_heat_flux,
    [cv_trilinear_dissipation] = trilinear_dissipation,
    [cv_wall_flux] = wall_flux,
    [cv_wall_sum] = wall_sum,
    [cv_advect] = advect,
    [cv_node_velocity] = node_velocity,
    [cv_flow_statistics] = flow_statistics,
    [cv_streamfunction] = streamfunction,
    [cv_column_apply] = column_apply,
    [cv_column_solve] = column_solve,
    [cv_column_search] = column_search,
    [cv_column_descend] = column_descend,
    [cv_column_dot] = column_dot,
    [cv_column_smooth] = column_smooth,
    [cv_column_correct] = column_correct,
    [cv_column_restrict] = column_restrict,
    [cv_column_prolong] = column_prolong,
    [cv_column_matrix] = column_matrix,
    [cv_matrix_apply] = matrix_apply,
    [cv_matrix_solve] = matrix_solve,
    [cv_laplace_jacobi] = laplace_jacobi,
    [cv_poisson2d] = poisson2d,
    [cv_hierarchical_jacobi] = hierarchical_jacobi,
    [cv_hierarchical_cube] = hierarchical_cube,
};
