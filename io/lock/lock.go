package lock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"
)

// Suffix ends the name of the file that is the lock where the file system has no flock.
const Suffix = ".host"

// How long to wait, and how long for a holder that is gone or about to end.
const (
	patience = time.Second
	mourning = time.Minute
	pause    = 10 * time.Millisecond
)

// Lock is a lock that this process holds.
type Lock struct {
	path string
	file *os.File // locked by flock; nil where path+Suffix is the lock
	own  os.FileInfo
}

// HeldError says that another process holds the lock.
type HeldError struct {
	Path   string
	Holder string // "" where nothing is known of it
	// NoFlock is why the file system has no flock where the holder is on another host, so that the file may be one left behind.
	NoFlock error
}

// Error says who holds the lock, and what to do where that cannot be known.
func (e *HeldError) Error() string {
	switch {
	case e.NoFlock != nil:
		return fmt.Sprintf("another run is writing to it, or was killed: %s. From here that cannot be seen, as this file system has no locks (%v). "+
			"If the process is gone, remove %s and try again", e.Holder, e.NoFlock, e.Path)
	case e.Holder != "":
		return "another run is writing to it: " + e.Holder
	}
	return "another run is writing to it"
}

// Take takes the lock at path, which is created if need be, for this process until Release or its end. A lock that is held is waited for for
// a second, as its holder may be ending. It fails with a *HeldError where it stays so, else with the system's error.
func Take(path string) (*Lock, error) { return newTaker(path).take() }

// taker tries to take a lock.
type taker struct {
	path  string
	me    holder
	began time.Time
	flock func(*os.File) error

	patience, mourning time.Duration
}

func newTaker(path string) *taker {
	return &taker{path: path, me: self(), began: time.Now(), patience: patience, mourning: mourning,
		flock: func(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }}
}

// isMissing tells the errors of a file system that has no flock from others.
func isMissing(err error) bool {
	return slices.ContainsFunc([]error{syscall.ENOLCK, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL}, func(e error) bool { return errors.Is(err, e) })
}

func (t *taker) take() (*Lock, error) {
	for {
		f, err := os.OpenFile(t.path, os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return nil, err
		}
		switch err := t.flock(f); {
		case err == nil:
			if !isFile(f, t.path) { // its holder came to its end meanwhile and has removed it: this one locks nobody out
				f.Close()
				continue
			}
			return t.mark(f)
		case isMissing(err):
			f.Close()
			return t.takeFile(err)
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", t.path, err)
		}
		h, known := read(f)
		f.Close()
		if !t.wait(h, known) {
			return nil, held(t.path, h, known)
		}
	}
}

// mark writes who holds the lock into its file, for information alone, unless one without flock has it.
func (t *taker) mark(f *os.File) (*Lock, error) {
	if h, known := readFile(t.path + Suffix); known && !h.isGone(t.me) {
		f.Close()
		e := held(t.path+Suffix, h, known)
		if !h.isHere(t.me) {
			e.NoFlock = errors.New("not on every host")
		}
		return nil, e
	}
	os.Remove(t.path + Suffix)
	if f.Truncate(0) == nil {
		f.WriteAt([]byte(t.me.text()), 0)
	}
	return &Lock{path: t.path, file: f}, nil
}

// wait pauses before the next try, and tells whether there should be one.
func (t *taker) wait(h holder, known bool) bool {
	limit := t.patience
	if known && h.isGone(t.me) {
		limit = t.mourning
	}
	time.Sleep(pause)
	return time.Since(t.began) < limit
}

func held(path string, h holder, known bool) *HeldError {
	e := &HeldError{Path: path}
	if known {
		e.Holder = h.String()
	}
	return e
}

// read returns the holder that an open file names.
func read(f *os.File) (h holder, known bool) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<12))
	if err != nil {
		return h, false
	}
	return parse(string(text))
}

func readFile(path string) (h holder, known bool) {
	f, err := os.Open(path)
	if err != nil {
		return h, false
	}
	defer f.Close()
	return read(f)
}

// isFile tells whether an open file is the one at a path.
func isFile(f *os.File, path string) bool {
	open, errOpen := f.Stat()
	there, errThere := os.Stat(path)
	return errOpen == nil && errThere == nil && os.SameFile(open, there)
}

// Release lets go of the lock and removes its file; one left behind does no harm.
func (l *Lock) Release() {
	if l.file != nil {
		os.Remove(l.path)
		l.file.Close()
		return
	}
	if there, err := os.Stat(l.path + Suffix); err == nil && os.SameFile(there, l.own) {
		os.Remove(l.path + Suffix)
	}
}
