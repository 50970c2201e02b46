// Package bench measures: each [Benchmark] follows a paper, runs on any device, and returns a report.Report. Nothing
// here prints or writes files.
//
// # How it is measured
//
// What a benchmark computes is compared with a plain Go reference before it is timed; a benchmark that is wrong fails.
// Every measurement is made in turns with a plain copy of random data of the same size on the same device and threads
// (memory full of zeros copies faster than data), so that other work on the machine slows both; medians of both are
// reported. A sample lasts at least a millisecond: short kernels run several times.
//
// # Bytes
//
// The bytes of a kernel are the least that must move between memory and processor: every array that it reads is read
// once and every array that it writes is written once. Effective GB/s are those bytes over the measured time; the copy
// counts bytes read plus bytes written. The bytes of solvers and time steps are counted kernel by kernel as they run,
// on a device that counts ([counting]), with the levels that fit into the caches included.
package bench
