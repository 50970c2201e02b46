// Package h5 writes and reads HDF5 files; it is the only package that touches
// libhdf5 (through gonum.org/v1/hdf5 and the C files beside it).
//
// # Contract
//
// A file is written whole or not at all: [Create] opens a temporary name beside
// the target, [Writer.Commit] closes it, seals it, forces it to disk and renames it
// over the target. A killed run, a full disk or a failed write leave the target
// as it was.
//
// A file is read without trust: [Open] and every method of [Reader] answer a
// damaged, truncated, foreign or empty file with an error that names the path and
// the reason, and never crash.
//
// # Integrity
//
// Two sums protect a file.
//
// Each dataset carries the string attribute "checksum", "crc64:" and 16 hexadecimal
// digits: the CRC-64 (ECMA-182, as hash/crc64) of its values as little-endian
// bytes in C order, uncompressed. It is compared whenever the dataset is read
// ([ErrChecksum]).
//
// The file as a whole carries a seal, one line of text after the end of the HDF5
// data, which readers of HDF5 ignore:
//
//	\n#convect-seal v1 bytes=0000000000123456 crc32c=89abcdef\n
//
// bytes is the number of bytes before the seal and crc32c their CRC-32C
// (Castagnoli). [Open] verifies it before libhdf5 sees the file. The attribute
// "sealed" of the root group says that a file was sealed, so that a file whose seal
// was cut off or defaced is refused too ([ErrDamaged]).
//
// Both guard against accidents (a torn write, a bad disk, a cut copy), not
// against an adversary, so cyclic redundancy checks fit: they catch every error of
// a single run of 32 (64) bits, miss others once in 2³² (2⁶⁴), and run at
// 20 GB/s (CRC-32C) and 1.7 GB/s (CRC-64) on any processor, where SHA-256 falls to
// 0.4 GB/s on one without SHA instructions.
//
// # Isolation
//
// libhdf5 1.10 can crash or loop on damaged metadata, and a seal is easily made anew by whoever means harm. A
// file is therefore parsed by a child, sealed or not: the program itself started once more, which a variable
// of the environment makes a reader in C before any Go runs. It has no file of its parent open, writes none, works
// in the folder of the file, has limits on time by the clock (10 s and 10 MiB/s), on memory and on what it hands back
// through a pipe, is apart from the terminal's signals and dies with its parent. What it hands back is trusted
// no more than the file. If it dies, the file is reported as damaged. The one exception are the files that a run lists in its own directory ([Own]):
// there may be thousands, and a child takes some ten milliseconds.
//
// Nothing leads out of the file but virtual datasets made of regular files that lie in its own folder and are named
// plainly. Datasets in external storage, other virtual ones and those packed by a filter that is not built in
// are listed but not read ([ErrRefused]); links are listed and never followed.
//
// # Threads
//
// libhdf5 keeps one error stack a thread and prints to stderr from any thread not
// told otherwise. All calls therefore run one after the other on one goroutine that
// owns its thread. Writers and readers may be used from several goroutines.
//
// Only little-endian machines are supported (amd64, arm64).
package h5
