package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Read reads the JSON form of a report. Its numbers stay as they stand there. The plots have files and titles, but no data.
func Read(path string) (*Report, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	r := &Report{}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("report: %s: %w", path, err)
	}
	if r.Benchmark == "" {
		return nil, fmt.Errorf("report: %s is not the report of a benchmark", path)
	}
	if err := r.Verify(); err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return r, nil
}
