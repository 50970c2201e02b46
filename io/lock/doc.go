// Package lock keeps a second process out of what one is writing to.
//
// # Contract
//
// [Take] locks a file with flock(2): the system lets go of it when the process ends, however it ends. Into the file goes who holds it, for
// those that are refused.
//
// Some file systems know no flock (ENOLCK, EOPNOTSUPP, ENOSYS: NFS without its lock daemon, Lustre without the option, some user-space ones).
// There a second file, of the same name with [Suffix], is the lock, made by link(2), which only one of several can do. It outlives a killed
// process, so it names host, boot, process and its time of start: one of this host that is gone is taken over, one of another host cannot be
// judged from here and is refused with the words what to do ([HeldError]).
//
// A holder that has been killed but has not yet let go, as one with much memory may take seconds for, is waited for.
package lock
