package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"convect/io/whole"
)

// WriteFiles writes NAME.json, NAME.md and the plots into a folder, which is made if need be, and returns their paths.
// NAME is that of the benchmark.
func (r *Report) WriteFiles(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	var paths []string
	put := func(name string, content []byte) error {
		paths = append(paths, filepath.Join(dir, name))
		if err := whole.WriteFile(filepath.Join(dir, name), content); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		return nil
	}
	for _, f := range []struct {
		suffix string
		write  func(w io.Writer) error
	}{{".json", r.WriteJSON}, {".md", r.WriteMarkdown}} {
		var b bytes.Buffer
		if err := f.write(&b); err != nil {
			return nil, fmt.Errorf("report: %s%s: %w", r.Benchmark, f.suffix, err)
		}
		if err := put(r.Benchmark+f.suffix, b.Bytes()); err != nil {
			return nil, err
		}
	}
	for _, p := range r.Plots {
		png, err := p.PNG()
		if err != nil {
			return nil, err
		}
		if err := put(p.File, png); err != nil {
			return nil, err
		}
	}
	return paths, nil
}
