package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"convect/io/whole"
)

// beginningName is the file that stands for the checkpoint of step 0, which the case alone determines, until a first one is whole.
const beginningName = ".beginning"

const beginningText = "No checkpoint of this run is whole yet. Until one is, convect run --resume may begin it anew.\n"

// Begin notes in a run directory, on disk, that a run begins from its case. It comes before the first result, so that results without a
// checkpoint are known for what they are: the beginning of a run that was killed, or a run that has lost its checkpoints.
func Begin(dir string) error {
	folder := filepath.Join(dir, Folder)
	if err := whole.MakeDir(folder); err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	if err := whole.WriteFile(filepath.Join(folder, beginningName), []byte(beginningText)); err != nil {
		return fmt.Errorf("checkpoints: %w", err)
	}
	return nil
}

// HasBegun tells whether the run in a directory has begun from its case and had no whole checkpoint so far.
func HasBegun(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, Folder, beginningName))
	return err == nil
}

// Forget takes the note of [Begin] back, where there is one.
func Forget(dir string) error {
	if err := os.Remove(filepath.Join(dir, Folder, beginningName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("checkpoints: %w", err)
	}
	return nil
}
