// Package mpi joins processes through the MPI of the machine, which is loaded when a launcher has started them: one program serves Open MPI, MPICH and its kin, and
// libraries of the standard ABI of MPI 5, and needs none of them to be built or to run alone.
//
// # What is asked of MPI
//
// A dozen functions, with messages of bytes alone. Handles are addresses of symbols in Open MPI, and numbers elsewhere. One call is made at a time
// (MPI_THREAD_SERIALIZED), and none waits: who waits asks again, gives the core to others, and sleeps in the end, so that more ranks than cores get on too.
//
// # Signs of life
//
// Rank 0 and each other one send each other a sign twice a second, from a goroutine of their own, whatever the ranks compute or write. Who gets none for [Patience] of its
// own running time takes the other for lost, and every exchange fails with a [LostError]. A job that is suspended whole loses nobody: the time in which a process does
// not run does not count. A rank that has failed says so on the same way ([FailedError]).
package mpi
