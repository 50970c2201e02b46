package main

import "golang.org/x/sys/unix"

// isNFS tells whether a folder lies on a network file system of the kind NFS, on which machines see what others have written to a file when these have closed it.
func isNFS(dir string) bool {
	var of unix.Statfs_t
	return unix.Statfs(dir, &of) == nil && int64(of.Type) == unix.NFS_SUPER_MAGIC
}
