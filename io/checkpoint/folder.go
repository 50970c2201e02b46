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
	"convect/io/pieces"
)

func fileName(step int64) string { return fmt.Sprintf("ckpt_%06d.h5", step) }

// list returns the steps of the checkpoints of a run directory in order, whole or not.
func list(dir string) ([]int64, error) { return listFolder(filepath.Join(dir, Folder)) }

// listFolder does so for the folder itself.
func listFolder(folder string) ([]int64, error) {
	files, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list checkpoints: %w", err)
	}
	var steps []int64
	for _, f := range files {
		if step := stepOf(f.Name()); step >= 0 {
			steps = append(steps, step)
		}
	}
	slices.Sort(steps)
	return steps, nil
}

var namePattern = regexp.MustCompile(`^ckpt_(\d{6,})\.h5$`)

// stepOf returns the step in the name of a checkpoint, -1 where it is none.
func stepOf(name string) int64 {
	if match := namePattern.FindStringSubmatch(name); match != nil {
		if step, err := strconv.ParseInt(match[1], 10, 64); err == nil && fileName(step) == name {
			return step
		}
	}
	return -1
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
	return pieces.RemoveOrphans(folder, func(name string) bool { return stepOf(name) >= 0 })
}

// UnreadableError says that a checkpoint cannot be read, as for lack of permission, though nothing is known to be wrong with it.
type UnreadableError struct {
	Path string
	Err  error
}

// Error says so in one sentence, and how to do without the checkpoint.
func (e *UnreadableError) Error() string {
	return fmt.Sprintf("%v; the checkpoint may be whole, so nothing earlier takes its place: make it readable, or move it out of %s", e.Err, filepath.Dir(e.Path))
}

// Unwrap returns the cause.
func (e *UnreadableError) Unwrap() error { return e.Err }

// Latest returns the newest checkpoint of a run directory that is whole, and why newer ones, which are damaged, were skipped. Where there
// is none at all the path is ""; where there are some but all are damaged, that is an error. One that cannot be read, or that
// another version or program wrote, is an [UnreadableError]: to go on from an older one would cost it.
func Latest(dir string) (path string, skipped []error, err error) {
	return Newest(filepath.Join(dir, Folder))
}

// Newest is Latest for a folder that holds the checkpoints themselves.
func Newest(folder string) (path string, skipped []error, err error) {
	steps, err := listFolder(folder)
	if err != nil {
		return "", nil, err
	}
	for _, step := range slices.Backward(steps) {
		path := filepath.Join(folder, fileName(step))
		err := verify(path, step)
		if err == nil {
			return path, skipped, nil
		}
		if !isDamage(err) {
			return "", skipped, &UnreadableError{path, err}
		}
		skipped = append(skipped, err)
	}
	if len(skipped) > 0 {
		return "", skipped, fmt.Errorf("no checkpoint in %s is whole: %w", folder, skipped[0])
	}
	return "", nil, nil
}

// errStep says that a file does not hold the step in its name.
var errStep = errors.New("not the step of its name")

// isDamage tells a file that is of no use to anybody from one that this process cannot read, or not now.
func isDamage(err error) bool {
	for _, damage := range []error{h5.ErrDamaged, h5.ErrNotHDF5, h5.ErrChecksum, h5.ErrMissing, h5.ErrType, errStep} {
		if errors.Is(err, damage) {
			return true
		}
	}
	return errors.Is(err, fs.ErrNotExist) // a link that leads nowhere
}

// verify checks a file as a whole by its seal, its header, and the values that are in files of parts.
func verify(path string, step int64) error {
	r, err := h5.Open(path)
	if err != nil {
		return err
	}
	defer r.Close()
	c, err := readHeader(r)
	if err == nil && c.State.Step != step {
		err = fmt.Errorf("%s: %w: it holds step %d", path, errStep, c.State.Step)
	}
	if err != nil {
		return err
	}
	return r.Walk(func(o h5.Object) error {
		if o.Kind != h5.Dataset || !strings.HasPrefix(o.Storage, "virtual") { // the seal is of this file
			return nil
		}
		_, _, err := r.Float64s(o.Path)
		return err
	})
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
			if err := pieces.Remove(filepath.Join(dir, Folder, fileName(s))); err != nil {
				return fmt.Errorf("cut checkpoints: %w", err)
			}
		}
	}
	return nil
}
