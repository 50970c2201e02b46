// Package physics simulates natural convection in a fluid-saturated porous medium.
//
// # Equations
//
// Darcy–Boussinesq, nondimensional with lengths in H, time in H²/κ, velocity in κ/H, temperature in ΔT:
//
//	u = -(K/μ) (∇p - Ra T ẑ),   ∇·u = 0,   σ ∂T/∂t + ∇·(uT) = ∇·((D + E(u))∇T) + Q
//
// with K the permeability relative to the reference (diagonal, per cell), μ the relative viscosity, σ the heat
// capacity of the medium over that of the fluid (for a dissolved substance: the porosity), D the diffusivity (diagonal), E(u) = α_T |u| I + (α_L - α_T) u u/|u| the dispersion and Ra = k ρ g α ΔT H / (μ κ). z points up.
//
// # Viscosity
//
// A viscosity that depends on the temperature, or on the concentration of the first solute, makes the mobility K/μ follow it: before each pressure solve every cell
// takes μ at the mean value of its nodes, and the coarse levels are renewed after it, all on the device. 1/μ is
// a table that is widened where the value comes near its ends. Of both, ln(1/μ) is a table of two dimensions, which nodes look up, and a cell takes the exponential of the mean of its nodes.
// The velocity of a state is a function of its scalars and pressure alone, so a restart repeats the bits.
//
// # Pressure
//
// The pressure is solved about the hydrostatic column of the horizontally averaged temperature T̄(z):
// p = p' + p_h, ∂p_h/∂z = Ra T̄, p_h = 0 at the top. What drives p' is Ra (T - T̄), so a stable stratification has a
// zero right side and stays at rest to rounding. Package stencil computes right side and Darcy velocities from the
// same conductances, so every node's mass balance closes to the residual of the pressure solve.
//
// # Time stepping
//
// SBDF2 with variable step (Wang & Ruuth, J. Comput. Math. 26, 2008), ω = Δt_n/Δt_(n-1): advection N
// extrapolated, diffusion L implicit,
//
//	σV/Δt [a0 T^(n+1) + a1 T^n + a2 T^(n-1)] = (1+ω) N^n - ω N^(n-1) - L T^(n+1) + S
//	a0 = (1+2ω)/(1+ω),  a1 = -(1+ω),  a2 = ω²/(1+ω),
//
// and IMEX Euler (a0 = 1, a1 = -1, a2 = 0, no N^(n-1)) first. It is solved for the increment δ over a
// guess G, on the parabola through the last three temperatures, A δ = R with A = a0 σV/Δt + L, and then updated once from the fluxes of the solution,
// T = G + δ + (R - Aδ) Δt/(a0 σV): total heat closes to rounding whatever the solver's tolerance. Working on the
// increment keeps that last step harmless in float32: the residual of δ carries the rounding of δ, not that of T.
//
// At nodes of fixed temperature -(R - Aδ), taken without the mask, is the conservative heat flux in through
// the wall; the wall Nusselt numbers are made of it.
//
// Δt follows from the Courant number, the first and the largest step, and from what varies in time; it grows at most 1.5-fold a step and divides
// the time to the next output into equal steps. Nothing else shapes it, so a restarted run repeats the bits.
//
// With dispersion N holds ∇·(E∇T) too, and the matrix A has D + β α_L |u| in the place of D, β = (1+2ω)/(2+2ω) of the largest ω: it holds δ back so that any step
// is stable. G is then the line through the last two temperatures. A is renewed in each step from the velocities of the last state; since δ is of
// second order, any velocity would do.
//
// # What varies in time
//
// Values of walls and the heat source are taken at the end of a step. With the range R of a value over the run and the tolerance ε, a step keeps
// |f - line through its ends| <= 3/8 ε R and |third difference over its thirds| <= 6^(3/2)/54 ε^(3/2) R. Both hold for a sine where ωΔt = √(6ε), where the
// flux √(iω) through a wall has the error (ωΔt)²/6 = ε, since SBDF2 has iω (1 + (ωΔt)²/3) for iω. Steps end on turns ([Course]); the step that ends on one
// sees the values before it, and after a jump the history is dropped: IMEX Euler from the first step on.
//
// # Layout
//
// [Parameters] go down once into [New]; a [Simulation] steps a model and calls each [Observer] after each step. The model has a domain
// (grid, walls, fields for work), a flow (pressure, velocities, and the buoyancy that drives it: a sum of scalars with their factors) and a list of scalars, each
// with its history, operators, solver, walls, sources, diagnostics and the names of its results ([Transported]): one in cases of today, the temperature.
// [Simulation.State] and [Simulation.Restore] carry everything that a step needs.
package physics
