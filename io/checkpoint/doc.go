// Package checkpoint saves the whole state of a run and finds it again.
//
// # Files
//
// checkpoints/ckpt_000123.h5 holds the state after step 123: every field and scalar that the time stepper needs, at
// the precision of the run (node arrays [z][y][x], periodic planes once, nondimensional), the grid, the case, and the
// version, device, instruction set and precision that made it. Each dataset has its checksum and the file its seal
// (package h5).
//
// # Contract
//
// A run that is killed at any moment and resumed from [Latest] ends with the same bits:
//
//   - A checkpoint gets its name when it is whole and on disk. Older ones are removed after that, never before.
//   - What the steps up to a checkpoint have written elsewhere is on disk before the checkpoint is: the hook
//     Options.Before, which the caller binds to the tables of package series and to the snapshot under way. The checkpoint is
//     the last observer of a step.
//   - When a checkpoint is due never shapes a step, and depends on nothing but the clock, the step and the time, so
//     that a resumed run goes on with the same multiples.
//   - On resuming, [Cut] comes before the tables and snapshots are cut: were the run killed in between, the newest
//     checkpoint would still be one whose tables are whole.
//
// A damaged, truncated or foreign file is an error that names path and reason.
package checkpoint
