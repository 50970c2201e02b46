// Command soak disturbs runs of bin/convect at random, for as long as it is told to, and looks whether anything was lost or wrong.
//
// # Contract
//
// A round draws a case, runs it undisturbed, and then several times again with disturbances: killed at random moments or at the n-th call of
// the system of a kind, in new runs, resumes and restarts; faults injected by strace into write, fsync, rename, mkdir, unlink, open and flock; full disks,
// injected and on a small tmpfs; signals, limits of wall time, readers that leave, second runs. After each of them holds:
//
//   - every checkpoint that has its name is whole, no older than the newest before, and no older than the last that was due;
//   - tables and snapshots up to it are there, to the bit as in the undisturbed run;
//   - the exit code is one of those documented, a failure names its reason, and what is said of checkpoints is true.
//
// At last the run is resumed and ends with the files of the undisturbed one, but for wall times.
//
// What contradicts this is a finding: it is printed with seed and round, its directory is kept, and the exit code is 1. The same seed and
// round draw the same case and disturbances; when a signal strikes is up to the machine.
package main
