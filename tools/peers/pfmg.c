/* Solves Poisson's equation on the unit cube with hypre: conjugate gradients preconditioned by one V(1,1)-cycle of PFMG
   with red-black Gauss-Seidel.

     -Δu = f,   f = e^x cos(3y) (1 + z²),   u = 0 on the walls,   n³ cells, 7 points, unknowns on inner nodes

   from a zero first guess to a relative residual (2-norm). The ranks share z. Rank 0 prints one line,

     iterations set-up solve residual

   with times in seconds, those of the slowest rank, and ‖f - A u‖/‖f‖ computed from u by the stencil, not by hypre.

   usage: mpirun -n 2 pfmg n tolerance */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include <HYPRE.h>
#include <HYPRE_struct_ls.h>

enum { entries = 7 };

/* The part of the grid that a rank owns: inner nodes i = 1..n-1 of x and y, first..last of z. */
typedef struct {
  int n, first, last, rank, ranks;
} part;

static int planes(const part *p) { return p->last - p->first + 1; }
static long nodes(const part *p) { return (long)(p->n - 1) * (p->n - 1) * planes(p); }

static part divide(int n) {
  part p = {.n = n};
  MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
  p.first = 1 + (n - 1) * p.rank / p.ranks;
  p.last = (n - 1) * (p.rank + 1) / p.ranks;
  return p;
}

static void *room(size_t count) {
  void *p = malloc(count * sizeof(double));
  if (!p) {
    fprintf(stderr, "pfmg: no memory for %zu numbers\n", count);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return p;
}

/* f h² on the owned nodes. */
static double *right_side(const part *p) {
  const double h = 1.0 / p->n;
  double *f = room(nodes(p)), *at = f;
  for (int k = p->first; k <= p->last; k++)
    for (int j = 1; j < p->n; j++)
      for (int i = 1; i < p->n; i++)
        *at++ = h * h * exp(i * h) * cos(3 * j * h) * (1 + k * h * k * h);
  return f;
}

static HYPRE_StructMatrix laplacian(const part *p, HYPRE_StructGrid grid, int *low, int *high) {
  int offsets[entries][3] = {{0, 0, 0}, {-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
  int all[entries] = {0, 1, 2, 3, 4, 5, 6};
  HYPRE_StructStencil stencil;
  HYPRE_StructMatrix a;
  HYPRE_StructStencilCreate(3, entries, &stencil);
  for (int e = 0; e < entries; e++)
    HYPRE_StructStencilSetElement(stencil, e, offsets[e]);
  HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid, stencil, &a);
  HYPRE_StructMatrixInitialize(a);
  double *values = room(entries * nodes(p)), *at = values;
  for (int k = p->first; k <= p->last; k++)
    for (int j = 1; j < p->n; j++)
      for (int i = 1; i < p->n; i++) {
        const int wall[entries] = {0, i == 1, i == p->n - 1, j == 1, j == p->n - 1, k == 1, k == p->n - 1};
        *at++ = 6;
        for (int e = 1; e < entries; e++)
          *at++ = wall[e] ? 0 : -1;
      }
  HYPRE_StructMatrixSetBoxValues(a, low, high, entries, all, values);
  HYPRE_StructMatrixAssemble(a);
  HYPRE_StructStencilDestroy(stencil);
  free(values);
  return a;
}

static HYPRE_StructVector vector(HYPRE_StructGrid grid, int *low, int *high, double *values) {
  HYPRE_StructVector v;
  HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid, &v);
  HYPRE_StructVectorInitialize(v);
  HYPRE_StructVectorSetBoxValues(v, low, high, values);
  HYPRE_StructVectorAssemble(v);
  return v;
}

/* ‖f - A u‖/‖f‖, with the planes of the neighbours above and below. */
static double true_residual(const part *p, const double *u, const double *f) {
  const long row = p->n - 1, plane = row * row, count = nodes(p);
  double *halo = calloc(count + 2 * plane, sizeof *halo), *x = halo + plane;
  for (long m = 0; m < count; m++)
    x[m] = u[m];
  const int down = p->rank > 0 ? p->rank - 1 : MPI_PROC_NULL, up = p->rank < p->ranks - 1 ? p->rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(x, plane, MPI_DOUBLE, down, 0, x + count, plane, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + count - plane, plane, MPI_DOUBLE, up, 1, halo, plane, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  double sums[2] = {0, 0}, total[2];
  for (long m = 0; m < count; m++) {
    const long i = m % row, j = m / row % row;
    double r = f[m] - 6 * x[m] + x[m - plane] + x[m + plane];
    r += (i > 0 ? x[m - 1] : 0) + (i < row - 1 ? x[m + 1] : 0);
    r += (j > 0 ? x[m - row] : 0) + (j < row - 1 ? x[m + row] : 0);
    sums[0] += r * r;
    sums[1] += f[m] * f[m];
  }
  MPI_Allreduce(sums, total, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  free(halo);
  return sqrt(total[0] / total[1]);
}

static double slowest(double seconds) {
  double most;
  MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

/* One V(1,1)-cycle from zero, symmetric: the colours are reversed after the correction. Of hypre's choices these are the
   fastest here: coarse operators of seven points, relaxation skipped on levels that one direction alone coarsens. */
static HYPRE_StructSolver cycle(void) {
  enum { red_black = 2, non_galerkin = 1 };
  HYPRE_StructSolver m;
  HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &m);
  HYPRE_StructPFMGSetMaxIter(m, 1);
  HYPRE_StructPFMGSetTol(m, 0);
  HYPRE_StructPFMGSetZeroGuess(m);
  HYPRE_StructPFMGSetRelaxType(m, red_black);
  HYPRE_StructPFMGSetRAPType(m, non_galerkin);
  HYPRE_StructPFMGSetNumPreRelax(m, 1);
  HYPRE_StructPFMGSetNumPostRelax(m, 1);
  return m;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3 || atoi(argv[1]) < 4) {
    fprintf(stderr, "usage: pfmg n tolerance, n at least 4\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  HYPRE_Init();
  const part p = divide(atoi(argv[1]));
  int low[3] = {1, 1, p.first}, high[3] = {p.n - 1, p.n - 1, p.last};
  HYPRE_StructGrid grid;
  HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid);
  HYPRE_StructGridSetExtents(grid, low, high);
  HYPRE_StructGridAssemble(grid);
  double *f = right_side(&p), *u = room(nodes(&p));
  for (long m = 0; m < nodes(&p); m++)
    u[m] = 0;
  HYPRE_StructMatrix a = laplacian(&p, grid, low, high);
  HYPRE_StructVector b = vector(grid, low, high, f), x = vector(grid, low, high, u);

  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  HYPRE_StructSolver solver, m = cycle();
  HYPRE_StructPCGCreate(MPI_COMM_WORLD, &solver);
  HYPRE_StructPCGSetMaxIter(solver, 200);
  HYPRE_StructPCGSetTol(solver, atof(argv[2]));
  HYPRE_StructPCGSetTwoNorm(solver, 1);
  HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, m);
  HYPRE_StructPCGSetup(solver, a, b, x);
  const double setup = slowest(MPI_Wtime() - start);
  MPI_Barrier(MPI_COMM_WORLD);
  start = MPI_Wtime();
  HYPRE_StructPCGSolve(solver, a, b, x);
  const double solve = slowest(MPI_Wtime() - start);

  int iterations;
  HYPRE_StructPCGGetNumIterations(solver, &iterations);
  HYPRE_StructVectorGetBoxValues(x, low, high, u);
  const double residual = true_residual(&p, u, f);
  if (p.rank == 0)
    printf("%d %.6f %.6f %.6e\n", iterations, setup, solve, residual);
  HYPRE_StructPCGDestroy(solver);
  HYPRE_StructPFMGDestroy(m);
  HYPRE_StructVectorDestroy(b);
  HYPRE_StructVectorDestroy(x);
  HYPRE_StructMatrixDestroy(a);
  HYPRE_StructGridDestroy(grid);
  free(f);
  free(u);
  HYPRE_Finalize();
  MPI_Finalize();
  return 0;
}
