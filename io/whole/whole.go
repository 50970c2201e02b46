package whole

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// TemporarySuffix ends the name of a file that is being written.
const TemporarySuffix = ".tmp"

// WriteFile replaces the file at path, or creates it, with mode 0666 before umask. On failure the file at path is as
// before and nothing else is left behind; the error names path and wraps the system's.
func WriteFile(path string, data []byte) error {
	temporary := path + TemporarySuffix
	err := write(temporary, data)
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

// write creates path with data on disk.
func write(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// SyncDir forces the names in a directory to disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
