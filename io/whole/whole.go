package whole

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// TemporarySuffix ends the name of a file that is being written.
const TemporarySuffix = ".tmp"

// WriteFile replaces the file at path, or creates it, with mode 0666 before umask. On failure the file at path is as
// before and nothing else is left behind; the error names path and wraps the system's.
func WriteFile(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Write is WriteFile of what content writes.
func Write(path string, content func(w io.Writer) error) error {
	temporary := path + TemporarySuffix
	err := write(temporary, content)
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		os.Remove(temporary)
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := SyncDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// write creates path with the content on disk.
func write(path string, content func(w io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	err = content(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncDir forces the names in a directory to disk. Some network file systems have no such operation: they do so by themselves.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, d.Close())
}

// MakeDir makes the directory at path, and those above it that are missing, with mode 0777 before umask. Their names are on disk when it
// returns, also those that a killed process has made just before; only where the directory above may not be read, that is left to the system.
func MakeDir(path string) error {
	path = filepath.Clean(path)
	parent := filepath.Dir(path)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) && parent != path {
		if err := MakeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o777); err != nil {
		info, errStat := os.Stat(path)
		if errStat != nil || !info.IsDir() {
			return err
		}
	}
	if err := SyncDir(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}
