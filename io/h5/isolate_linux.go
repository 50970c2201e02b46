package h5

import (
	"os"
	"syscall"
)

// ownPath is that of this program, even where its file was replaced since it started.
func ownPath() string { return "/proc/self/exe" }

// apart keeps a child out of the reach of the terminal's signals, and lets it die with its parent.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// enlarge gives a pipe more room than usual, which makes it faster; where the system refuses it stays as it is.
func enlarge(pipe *os.File) {
	const room = 1 << 20
	if raw, err := pipe.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_SETPIPE_SZ, room) })
	}
}
