// Package snapshot writes the fields of a run at output times as files that ParaView 5.11 opens.
//
// # Files
//
// snapshots/snap_000123.hdf holds step 123. On a uniform 3-D grid it is VTKHDF ImageData 1.0 (dims in x y z order,
// arrays in [z][y][x][component]). On a flat or graded grid, which VTKHDF cannot describe without aborting ParaView 5.11, the
// same datasets lie in the same places, and the attribute Type names the file to open instead: ParaView quotes it in
// its error message.
//
// Two sidecars in the run directory name the snapshots relative to themselves: snapshots.xmf (XDMF 2, for every
// grid) and snapshots.hdf.series (uniform 3-D grids). They list exactly the snapshots that are present; a run that goes
// on derives the list from the directory ([List]), so that it survives a kill between a snapshot and its sidecars.
//
// # Contract
//
// Values, coordinates and times are in the units of the case. A periodic axis repeats its first plane, so that
// the picture closes. Every file gets its name when it is whole and on disk (packages h5 and whole). Order of
// writing: snapshot, then sidecars; of removing: sidecars, then snapshots, so that a sidecar never names a file
// that is not there.
//
// The fields are copied at their step, and the file is written beside the steps that follow: handed to the system in one part, sealed, forced to
// disk and named in another, beside which the next file is handed over. So the disk never waits, a run is held up only where the disk takes
// longer than its steps do, and no more than two files are between memory and disk. Whoever relies on the files waits for
// the last one first ([Writer.Wait]).
package snapshot
