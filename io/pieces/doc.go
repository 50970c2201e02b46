// Package pieces writes arrays of files by all processes of a run, each the rows of y that it has, and reads them so.
//
// Rank 0 makes the file and the places of the arrays in it ([convect/io/h5.Writer.Place]), and tells the processes what goes where ([Lead.Write]). They write beside what
// the run does next, force what they have written to disk, and tell the sums of their pieces when they are asked for them ([Writing.Settle]), of which the checksums and
// the seal of the file are made. So the file is that of one process, to the byte.
//
// A process does this by a [Desk], whose tasks its device serves ([kernels.Sharer]). All must see the run directory, as the same one: [Lead.Sees] asks.
package pieces
