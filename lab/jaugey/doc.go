// Package jaugey holds the kernel of an experiment: Jacobi sweeps of Poisson's equation in the plane over layouts and sizes of tiles, after Jaugey,
// Poisson solver in CUDA, 2021 (convect bench poisson2d).
//
// One sweep of -∇²u = f with square cells of width h is out = (Σ of the four neighbours + h² f) / 4 at inner nodes and out = u on the walls: [Poisson2DArgs].
// notes.md tells what was found.
package jaugey
