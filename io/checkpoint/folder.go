package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"convect/io/h5"
)

func fileName(step int64) string { return fmt.Sprintf("ckpt_%06d.h5", step) }

// list returns the steps of the checkpoints of a run directory in order, whole or not.
func list(dir string) ([]int64, error) {
	files, err := os.ReadDir(filepath.Join(dir, Folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	pattern := regexp.MustCompile(`^ckpt_(\d{6,})\.h5$`)
	var steps []int64
	for _, f := range files {
		match := pattern.FindStringSubmatch(f.Name())
		if match == nil {
			continue
		}
		if step, err := strconv.ParseInt(match[1], 10, 64); err == nil && fileName(step) == f.Name() {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

// removeTemporaries removes the files that a killed run left half written.
func removeTemporaries(folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "ckpt_") && strings.HasSuffix(f.Name(), ".h5.tmp") {
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Latest returns the newest checkpoint of a run directory that is whole, and why newer ones were skipped. Where there
// is none at all the path is ""; where there are some but none is whole, that is an error.
func Latest(dir string) (path string, skipped []error, err error) {
	steps, err := list(dir)
	if err != nil {
		return "", nil, err
	}
	for _, step := range slices.Backward(steps) {
		path := filepath.Join(dir, Folder, fileName(step))
		err := verify(path, step)
		if err == nil {
			return path, skipped, nil
		}
		skipped = append(skipped, err)
	}
	if len(skipped) > 0 {
		return "", skipped, fmt.Errorf("no checkpoint in %s is whole: %w", filepath.Join(dir, Folder), skipped[0])
	}
	return "", nil, nil
}

// verify checks a file as a whole by its seal, and its header.
func verify(path string, step int64) error {
	r, err := h5.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	c, err := readHeader(r)
	if err == nil && c.State.Step != step {
		err = fmt.Errorf("%s: it holds step %d", path, c.State.Step)
	}
	return err
}

// Cut removes the checkpoints later than a step, whole or not; with a negative step, all. On resuming it is called
// before anything else is cut.
func Cut(dir string, step int64) error {
	steps, err := list(dir)
	if err != nil {
		return err
	}
	for _, s := range slices.Backward(steps) {
		if s > step {
			if err := os.Remove(filepath.Join(dir, Folder, fileName(s))); err != nil {
				return fmt.Errorf("cut checkpoints: %w", err)
			}
		}
	}
	return nil
}
