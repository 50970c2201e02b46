// Package gridded reads values on rectilinear grids that a user made, from HDF5 (also NetCDF-4) or columns of text, and brings them onto the
// cells or nodes of another grid.
//
// # What is read
//
// A field is an array with a coordinate along each of its axes. Axes are told apart by their dimension scales and else by their order, [z][y][x].
// As many coordinates as values are those of points ([Points]) or of centres of cells, one more those of the ends of cells ([Cells]). Where neither
// is said they are points if they reach the ends of the target, and else centres of cells whose ends lie midway between them. Coordinates may
// decrease. A field is the same all along an axis that it does not have, or of which it has one value. A field without any coordinates
// has one value for each cell of the target, or for each node.
//
// # How it gets onto another grid
//
// Along each axis by a sparse matrix, so that three of them make the map. With f(x) the field, constant in each of its cells or linear between
// its points,
//
//	mean over [a, b]        f̄ = 1/(b-a) ∫ f dx             (exact; Σ (b-a) f̄ = ∫ f dx, so that totals are kept)
//	in series, along x      f̄ = (b-a) / ∫ dx/f             (1/f linear between points, where stretches between them lie within [a, b])
//	value at a point        f(x), linear between the centres where the field is one of cells
//
// Every function that reads trusts nothing: see packages h5 and column.
package gridded
