package column

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t testing.TB, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "weather.csv")
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The same two columns, however the table is written.
func TestRead(t *testing.T) {
	for name, content := range map[string]string{
		"commas":      "time,T,note\n0,1.5,dry\n60,-2e1,\"rain, wind\"\n",
		"semicolons":  "note;T;time\n\"a;b\"; 1.5 ;0\nb;-20; 60\n",
		"white space": "  time   T\n 0    1.5\n\t60  -20",
		"tabs":        "time\tnote of the day\tT\n0\t\t1.5\n60\tx y\t-2.0e+01\n",
		"quotes":      "\"time\",\"T\"\n\"0\",\"1.5\"\n60,-20\n",
		"white quote": "\"time\" \"T\"\n0  \"1.5\"\n60 -20\n",
		"mark, CRLF":  "\ufefftime,T\r\n0,1.5\r\n60,-20\r\n",
		"comments":    "# of a station\n\ntime, T\n# s, K\n0, 1.5\n\n  # gap\n60, -20\n",
		"our own":     "step,time,T\n#1,s,K\n0,0,1.5\n1,60,-20\n",
	} {
		table, err := Read(write(t, content), "time", "T")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff([][]float64{{0, 60}, {1.5, -20}}, table.Columns); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	table, err := Read(write(t, "# a\ntime,T\n\n0,1\n#b\n1,1\n"), "T")
	if err != nil || !cmp.Equal(table.Lines, []int{4, 6}) {
		t.Errorf("lines %v, %v", table, err)
	}
}

// Whatever is wrong is refused with its line.
func TestRefusals(t *testing.T) {
	for content, want := range map[string]string{
		"":                        "holds no line with the names",
		"# only\n":                "holds no line with the names",
		"time,T\n":                ":1: no row follows",
		"0,1\n1,2\n":              ":1: the first line must name the columns",
		"time,temp\n0,1\n":        ":1: there is no column T; there are time, temp",
		"time,T,T\n0,1,2\n":       ":1: two columns are called T",
		"time,T\n0,1\n1\n":        ":3: the row has 1 values, but there are 2 columns",
		"time,T\n0,1\n\n1,2,3\n":  ":4: the row has 3 values",
		"time,T\ns,K\n0,1\n":      `:2: column time: "s" is no number`,
		"time,T\n0,\n":            ":2: column T: there is no value",
		"time,T\n0,nan\n":         `"nan" is not a finite number`,
		"time,T\n0,-Inf\n":        `"-Inf" is not a finite number`,
		"time,T\n0,1e999\n":       `"1e999" is too large`,
		"time,T\n0,0x10\n":        `"0x10" is no number`,
		"time,T\n0,1_000\n":       `"1_000" is no number`,
		"time,T\n0,+-e\n":         `"+-e" is no number`,
		"time;T\n0;1,5\n":         "write a point in place of the comma",
		"time,T\n0,\"1\n":         ":2: the quotes in the line do not match",
		"time,T\n0,1\x00\n":       ":2: this is not text",
		"time,T\n0,\xff\n":        ":2: this is not text",
		"\x89HDF\r\n\x1a\n":       "this is an HDF5 file",
		"\xff\xfet\x00,\x00":      "UTF-16",
		"PK\x03\x04\x14\x00":      "spreadsheet",
		strings.Repeat("x", 2e6):  ":1: the line is longer than",
		"time,T\n0,1\n0,\"\"\n":   ":3: column T: there is no value",
		"time T\n0 1 2\n":         ":2: the row has 3 values",
		"time,T\n0,1\n2012-1-1,1": `:3: column time: "2012-1-1" is no number`,
	} {
		path := write(t, content)
		_, err := Read(path, "time", "T")
		var fault *Error
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), path+":") || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", content, err, want)
		}
	}
}

// What is no regular file is refused, and nothing waits for its other end.
func TestNotAFile(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for path, want := range map[string]string{fifo: "not a regular file", "/dev/zero": "not a regular file", t.TempDir(): "folder"} {
			if _, err := Read(path, "T"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", path, err)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it hangs")
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none.csv"), "T"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// A file that is too large is refused before it is read.
func TestTooLarge(t *testing.T) {
	path := write(t, "time,T\n")
	if err := os.Truncate(path, maxBytes+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, "T"); err == nil || !strings.Contains(err.Error(), "too many for a table") {
		t.Error(err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("time,T\n0,1\n")
	f.Add("time;T\r\n\"0\";1\r\n")
	f.Fuzz(func(t *testing.T, content string) {
		table, err := Read(write(t, content), "time", "T")
		if err == nil && (len(table.Columns) != 2 || len(table.Columns[0]) != len(table.Lines) || len(table.Columns[1]) != len(table.Lines)) {
			t.Errorf("%d columns, %d lines", len(table.Columns), len(table.Lines))
		}
	})
}

func TestNames(t *testing.T) {
	names, err := Names(write(t, "# of a log\nx; z (m) ;\"k\"\n1;2;3\n"))
	if err != nil || !cmp.Equal(names, []string{"x", "z (m)", "k"}) {
		t.Errorf("%q, %v", names, err)
	}
	if _, err := Names(write(t, "")); err == nil {
		t.Error("an empty file names columns")
	}
}
