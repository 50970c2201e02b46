package h5

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// children returns the processes that this one started.
func children(t *testing.T) []int {
	t.Helper()
	var pids []int
	lists, err := filepath.Glob("/proc/self/task/*/children")
	must(t, err)
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			pid, err := strconv.Atoi(word)
			must(t, err)
			pids = append(pids, pid)
		}
	}
	return pids
}

// TestCrashStaysInChild ends the child that reads a file as a crash or a limit
// would; the file is a pipe, on which libhdf5 waits for ever.
func TestCrashStaysInChild(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o666))
	for signal, want := range map[syscall.Signal]string{
		syscall.SIGSEGV: "crashes",
		syscall.SIGABRT: "crashes",
		syscall.SIGXCPU: "does not come to an end",
	} {
		answer := make(chan error)
		go func() {
			_, err := readJob{path: pipe}.list(true)
			answer <- err
		}()
		deadline := time.Now().Add(10 * time.Second)
		for len(children(t)) == 0 {
			if time.Now().After(deadline) {
				t.Skip("the kernel lists no children")
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(50 * time.Millisecond) // until the child has default signals
		for _, pid := range children(t) {
			must(t, syscall.Kill(pid, signal))
		}
		if err := <-answer; !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", signal, err)
		}
	}
	must(t, readAll(sample(t), NoVerify))
}

// TestDecoderTrustsNothing damages the list of objects that a child hands back.
func TestDecoderTrustsNothing(t *testing.T) {
	var catalogue []byte
	must(t, readJob{path: sample(t)}.isolated(1<<20, func(data []byte) error {
		catalogue = append(catalogue, data...)
		return nil
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
	err := readJob{path: sample(t)}.isolated(100, func([]byte) error { return nil })
	if err == nil || !strings.Contains(err.Error(), "too many objects") {
		t.Errorf("got %v", err)
	}
}

// TestChildHoldsNoFile looks at the child while it reads, from a pipe on which libhdf5 waits for ever: a lock of its parent would last as long as it.
func TestChildHoldsNoFile(t *testing.T) {
	dir := t.TempDir()
	lock, err := os.Create(filepath.Join(dir, "lock"))
	must(t, err)
	defer lock.Close()
	must(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o666))
	answer := make(chan error)
	go func() {
		_, err := readJob{path: pipe}.list(true)
		answer <- err
	}()
	var child int
	for deadline := time.Now().Add(10 * time.Second); child == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Skip("the kernel lists no children")
		}
		if all := children(t); len(all) > 0 {
			child = all[0]
		}
	}
	time.Sleep(50 * time.Millisecond)
	held, err := filepath.Glob("/proc/" + strconv.Itoa(child) + "/fd/*")
	must(t, err)
	for _, fd := range held {
		if name, _ := os.Readlink(fd); name == lock.Name() {
			t.Errorf("the child holds %s", name)
		}
	}
	must(t, syscall.Kill(child, syscall.SIGKILL))
	<-answer
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
