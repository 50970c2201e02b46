package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"convect/io/whole"
)

// writeSidecars brings snapshots.xmf and snapshots.hdf.series up to date. A sidecar that would name nothing is
// removed: ParaView takes an empty one for an error.
func writeSidecars(dir string, entries []Entry) error {
	text, err := xdmf(entries)
	if err != nil {
		return fmt.Errorf("%s: %w", XDMFName, err)
	}
	if err := replace(filepath.Join(dir, XDMFName), text, len(entries) > 0); err != nil {
		return err
	}
	text, n, err := series(entries)
	if err != nil {
		return fmt.Errorf("%s: %w", SeriesName, err)
	}
	return replace(filepath.Join(dir, SeriesName), text, n > 0)
}

// replace writes a file, or removes it where it is not wanted.
func replace(name string, text []byte, wanted bool) error {
	if wanted {
		return whole.WriteFile(name, text)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// series returns the list of VTKHDF files with their times that ParaView reads, and how many it names.
func series(entries []Entry) (text []byte, n int, err error) {
	type file struct {
		Name string  `json:"name"`
		Time float64 `json:"time"`
	}
	list := struct {
		Version string `json:"file-series-version"`
		Files   []file `json:"files"`
	}{Version: "1.0"}
	for _, e := range entries {
		if e.geometry.image() {
			list.Files = append(list.Files, file{path.Join(Folder, e.Name), e.Time})
		}
	}
	text, err = json.MarshalIndent(list, "", " ")
	return append(text, '\n'), len(list.Files), err
}
