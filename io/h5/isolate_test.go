package h5

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// large returns a file with a dataset /x that does not fit into a pipe, so that a child waits for its parent to take it.
func large(t *testing.T) (path string, bytes int) {
	t.Helper()
	w, path := create(t)
	must(t, w.Float64s("/x", []int{1 << 20}, wave(1<<20)), w.Commit())
	return path, 8 << 20
}

// waiting starts a child that waits in the middle of its work.
func waiting(t *testing.T) *child {
	t.Helper()
	path, bytes := large(t)
	c, err := readJob{path: path, dataset: "/x", memory: asFloat64}.start(bytes)
	must(t, err)
	var one [1]byte
	_, err = c.data.Read(one[:])
	must(t, err)
	return c
}

func drain(data io.Reader) error {
	_, err := io.Copy(io.Discard, data)
	return err
}

// TestCrashStaysInChild ends the child that reads a file as a crash or a limit would, and as others might.
func TestCrashStaysInChild(t *testing.T) {
	for signal, want := range map[syscall.Signal]string{
		syscall.SIGSEGV: "crashes",
		syscall.SIGABRT: "crashes",
		syscall.SIGXCPU: "does not come to an end",
	} {
		c := waiting(t)
		must(t, c.process.Process.Signal(signal))
		if err := c.wait(drain); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", signal, err)
		}
	}
	c := waiting(t)
	must(t, c.process.Process.Kill())
	if err := c.wait(drain); err == nil || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "ended from outside") {
		t.Errorf("killed: %v", err)
	}
	must(t, readAll(sample(t), NoVerify))
}

// TestSignalsOfTheTerminal reach the parent alone, and do not end the child.
func TestSignalsOfTheTerminal(t *testing.T) {
	c := waiting(t)
	group, err := syscall.Getpgid(c.process.Process.Pid)
	must(t, err)
	if own := syscall.Getpgrp(); group == own {
		t.Error("the child is in the group of its parent")
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGTSTP} {
		must(t, c.process.Process.Signal(signal))
	}
	must(t, c.wait(drain))
}

func TestLateChild(t *testing.T) {
	c := waiting(t)
	c.limit = 500 * time.Millisecond // of which the child may not have used half
	began := time.Now()
	err := c.wait(func(data io.Reader) error {
		time.Sleep(800 * time.Millisecond)
		return drain(data)
	})
	if err == nil || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "could not be read within") || time.Since(began) > 5*time.Second {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
}

// TestMoreThanThereIs hands over more than was asked for.
func TestMoreThanThereIs(t *testing.T) {
	c := waiting(t)
	err := c.wait(func(data io.Reader) error {
		_, err := io.CopyN(io.Discard, data, 100)
		return err
	})
	if !errors.Is(err, ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

// TestDecoderTrustsNothing damages the list of objects that a child hands back.
func TestDecoderTrustsNothing(t *testing.T) {
	var catalogue []byte
	c, err := readJob{path: sample(t)}.start(1 << 20)
	must(t, err)
	must(t, c.wait(func(data io.Reader) (err error) {
		catalogue, err = io.ReadAll(data)
		return err
	}))
	objects, err := decodeCatalogue(catalogue)
	must(t, err)
	equal(t, "objects", len(objects), 8)
	for at := range catalogue {
		if _, err := decodeCatalogue(catalogue[:at]); err == nil && at > 0 && catalogue[at] != 'g' && catalogue[at] != 'd' && catalogue[at] != 'a' {
			t.Errorf("cut at %d of %d went unnoticed", at, len(catalogue))
		}
		for _, value := range []byte{0, 1, 0x7f, 0xff} {
			damaged := append([]byte{}, catalogue...)
			damaged[at] = value
			decodeCatalogue(damaged) // must not panic
		}
	}
}

func TestTooSmallForItsCatalogue(t *testing.T) {
	_, err := readJob{path: sample(t)}.list(100)
	if err == nil || !strings.Contains(err.Error(), "too many objects") {
		t.Errorf("got %v", err)
	}
}

// TestChildHoldsNoFile looks at a child while it reads: a lock of its parent would last as long as it. The file is opened as C code does, for
// all children.
func TestChildHoldsNoFile(t *testing.T) {
	lock, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	must(t, err)
	defer lock.Close()
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, lock.Fd(), syscall.F_SETFD, 0)
	equal(t, "F_SETFD", errno, syscall.Errno(0))
	c := waiting(t)
	held, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", c.process.Process.Pid))
	must(t, err)
	for _, fd := range held {
		if name, _ := os.Readlink(fd); name == lock.Name() {
			t.Errorf("the child holds %s", name)
		}
	}
	must(t, c.wait(drain))
}

// Without locks in the file system libhdf5 must not ask for any.
func TestLibraryTakesNoLocks(t *testing.T) {
	path := sample(t)
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	must(t, syscall.Flock(int(file.Fd()), syscall.LOCK_EX))
	must(t, readAll(path, NoVerify))
	next, err := os.OpenFile(filepath.Join(filepath.Dir(path), "next.h5.tmp"), os.O_CREATE|os.O_RDWR, 0o666)
	must(t, err)
	defer next.Close()
	must(t, syscall.Flock(int(next.Fd()), syscall.LOCK_EX))
	w, err := Create(filepath.Join(filepath.Dir(path), "next.h5"))
	must(t, err)
	must(t, w.Commit())
}
