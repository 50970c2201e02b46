package lock

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Of a lock file that names nobody, whose maker was perhaps killed before it could write, so much time must have passed; and so much
// passes before one that was taken over is trusted, as another process may be about to do the same.
const (
	namelessAge = 10 * time.Second
	doubt       = 100 * time.Millisecond
)

// takeFile makes the file at path+Suffix, where there is no flock, for a reason.
func (t *taker) takeFile(reason error) (*Lock, error) {
	target := t.path + Suffix
	takenOver := false
	for {
		own, err := t.make(target)
		if err == nil {
			if takenOver {
				time.Sleep(doubt)
			}
			if there, err := os.Stat(target); err != nil || !os.SameFile(own, there) {
				continue
			}
			t.tidy()
			return &Lock{path: t.path, own: own}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("lock %s, as there are no locks on this file system (%w): %w", target, reason, err)
		}
		text, h, state := t.judge(target)
		switch {
		case state == gone:
			takenOver = true
			if err := t.remove(target, text); err != nil {
				return nil, fmt.Errorf("lock %s: %w", target, err)
			}
		case state == elsewhere:
			e := held(target, h, true)
			e.NoFlock = reason
			return nil, e
		case state == absent:
		case !t.wait(holder{}, false):
			return nil, held(target, h, h.pid > 0)
		}
	}
}

// tidy removes the file that was to be locked by flock, if nobody has written into it.
func (t *taker) tidy() {
	if info, err := os.Stat(t.path); err == nil && info.Size() == 0 {
		os.Remove(t.path)
	}
}

// make makes the file with all of its text at once, or fails with fs.ErrExist.
func (t *taker) make(target string) (os.FileInfo, error) {
	f, err := os.CreateTemp(filepath.Dir(target), filepath.Base(target)+".*.tmp")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(t.me.text())
	f.Chmod(0o644) // others are told who holds it
	own, errStat := f.Stat()
	if err = errors.Join(err, errStat, f.Close()); err != nil {
		return nil, err
	}
	err = os.Link(f.Name(), target)
	if there, errThere := os.Stat(target); errThere == nil && os.SameFile(own, there) {
		return own, nil // over a network that may be so whatever link has answered
	}
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil, fs.ErrExist
	}
	return t.makeAlone(target)
}

// makeAlone is make on a file system without links.
func (t *taker) makeAlone(target string) (os.FileInfo, error) {
	f, err := os.OpenFile(target, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(t.me.text())
	own, errStat := f.Stat()
	if err = errors.Join(err, errStat, f.Close()); err != nil {
		os.Remove(target)
		return nil, err
	}
	return own, nil
}

// What a lock file tells.
type state int

const (
	absent    state = iota // it is not there any more
	alive                  // its holder runs, or may just be writing its name
	elsewhere              // its holder is on another host
	gone
)

// judge reads a lock file.
func (t *taker) judge(target string) (text []byte, h holder, s state) {
	text, err := os.ReadFile(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, h, absent
	}
	h, known := parse(string(text))
	switch {
	case err != nil:
		return nil, h, alive
	case !known:
		if info, err := os.Stat(target); err == nil && time.Since(info.ModTime()) > namelessAge {
			return text, h, gone
		}
		return text, h, alive
	case !h.isHere(t.me):
		return text, h, elsewhere
	case h.isGone(t.me):
		return text, h, gone
	}
	return text, h, alive
}

// remove removes a lock file that was judged by its text. If another process was quicker, and the file is a new one, it is put back.
func (t *taker) remove(target string, judged []byte) error {
	aside := fmt.Sprintf("%s.%d.%d.tmp", target, t.me.pid, time.Now().UnixNano())
	if err := os.Rename(target, aside); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	text, err := os.ReadFile(aside)
	if err == nil && !bytes.Equal(text, judged) {
		if err := os.Link(aside, target); err != nil && !errors.Is(err, syscall.EEXIST) {
			return os.Rename(aside, target)
		}
	}
	return os.Remove(aside)
}
