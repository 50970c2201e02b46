// Package convect holds nothing but the description of the house and the test that keeps it in order.
//
// Imports go one way:
//
//	kernels  ←  stencil  ←  multigrid  ←  physics  ←  io/*  ←  cmd/convect
//
// Each floor owns one thing:
//
//   - kernels: the device interface; kernels/cpu and kernels/cuda implement it and kernels/devicetest checks any
//     implementation. Only cmd/convect chooses one. The packages between name no backend: they call kernels.Device, and ask
//     it through kernels.Optional, or for an interface such as kernels.Recorder, for what not every device has.
//   - stencil: grid, field, boundary kinds, elliptic operators and their face fluxes, transport.
//   - multigrid: hierarchy, cycles, smoothers, transfers, coarsest solve, conjugate gradients. Linear algebra only.
//   - physics: equations, boundary conditions, time stepping, diagnostics, the Simulation and its Observers.
//   - io: a folder of packages for HDF5, snapshots, checkpoints and tables.
//   - cmd/convect: command line, case file, logging, progress, wiring.
//
// Each library from outside has one owner, so that it can be replaced in one place.
package convect
