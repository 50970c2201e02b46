// Package giles holds the kernel of an experiment: Jacobi sweeps of Laplace's equation over shapes of tiles, and several in one pass over memory, after
// Giles, Jacobi iteration for a Laplace discretisation on a 3D structured grid, 2008 (convect bench jacobi).
//
// One sweep is out = (Σ of the six neighbours) / 6 at inner nodes and out = u on the walls: [LaplaceJacobiArgs]. notes.md tells what was found.
package giles
