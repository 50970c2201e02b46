package series

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSummary(t *testing.T) {
	sample := (&fake{20}).Sample()
	sample.Heat().Hot, sample.Heat().Cold, sample.StreamfunctionMid = 3, 2, -1.5
	s := Summarise(sample, Average{Mean: 2.5, StdErr: math.NaN()}, Options{Dimensions: 2}, 1000, 20, 4)
	s.Device, s.Precision, s.Version, s.Steady, s.Rayleigh = "cpu", "float64", "v1", true, 100
	path := filepath.Join(t.TempDir(), SummaryName)
	must(t, s.Write(path))
	content := text(t, filepath.Dir(path), SummaryName)
	for _, want := range []string{`"nusselt": 2.5,`, `"nusselt_hot": 3,`, `"nusselt_cold": 2,`, `"nusselt_dissipation": null,`,
		`"nusselt_mean": 2.5,`, `"nusselt_stderr": null,`, `"psi_max": null,`, `"psi_centre": -1.5,`, `"time": 2,`, `"steps": 20,`,
		`"steady": true,`, `"wall_seconds": 4,`, `"nodes": 1000,`, `"node_steps_per_second": 5000,`, `"device": "cpu",`,
		`"precision": "float64",`, `"version": "v1"`, `"nusselt_volume": `} {
		if !strings.Contains(content, want) {
			t.Errorf("no %s in\n%s", want, content)
		}
	}
	back, err := ReadSummary(path)
	must(t, err)
	if fmt.Sprint(back) != fmt.Sprint(s) { // NaN differs from itself, but not in print
		t.Errorf("read back\n%+v, want\n%+v", back, s)
	}
	must(t, os.WriteFile(path, []byte("{"), 0o666))
	if _, err := ReadSummary(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}
