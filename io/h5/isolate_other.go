//go:build !linux

package h5

import (
	"os"
	"syscall"
)

func ownPath() string {
	path, _ := os.Executable()
	return path
}

func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func enlarge(*os.File) {}
