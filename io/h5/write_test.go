package h5

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gonum.org/v1/hdf5"
)

// TestTypeOfText checks what ParaView 5.11 demands of the attribute Type of VTKHDF.
func TestTypeOfText(t *testing.T) {
	w, path := create(t)
	must(t, w.Group("/VTKHDF"), w.AttrString("/VTKHDF", "Type", "ImageData"), w.AttrString("/VTKHDF", "units", "κ"), w.Commit())
	r := openFile(t, path)
	kind, err := r.attribute("/VTKHDF", "Type")
	must(t, err)
	if want := (elementType{class: classString, size: 9, padded: true}); kind.elem != want || len(kind.Dims) != 0 {
		t.Errorf("Type is %+v %v, want %+v and scalar", kind.elem, kind.Dims, want)
	}
	units, err := r.attribute("/VTKHDF", "units")
	must(t, err)
	if want := (elementType{class: classString, size: 2, padded: true, utf8: true}); units.elem != want {
		t.Errorf("units is %+v, want %+v", units.elem, want)
	}
}

// A file that is finished lets another be written, and has no name before Commit.
func TestFinish(t *testing.T) {
	first, path := create(t)
	must(t, first.Float32s("/a", []int{3}, []float32{1, 2, 3}), first.Finish(), first.Finish())
	second, other := create(t)
	must(t, second.Float32s("/b", []int{2}, []float32{4, 5}))
	if err := first.AttrInt64("/a", "n", 1); !errors.Is(err, ErrClosed) {
		t.Errorf("an attribute of a finished file: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a finished file has its name: %v", err)
	}
	must(t, first.Commit(), second.Commit())
	for name, at := range map[string]string{"/a": path, "/b": other} {
		_, _, err := openFile(t, at).Float32s(name)
		must(t, err)
	}
	third, gone := create(t)
	must(t, third.Finish())
	third.Abort()
	if left, err := filepath.Glob(gone + "*"); err != nil || len(left) > 0 {
		t.Errorf("%v are left of an aborted file: %v", left, err)
	}
}

// smooth returns values that compress, as a field does.
func smooth(dims []int) []float32 {
	values := make([]float32, length(dims))
	for i := range values {
		values[i] = float32(i%dims[len(dims)-1]) / 64
	}
	return values
}

func TestCompressedEqualsUncompressed(t *testing.T) {
	for _, dims := range [][]int{{1}, {70001}, {257, 300}, {16, 64, 64}, {17, 65, 130}, {33, 1, 70}, {18, 66, 67, 3}} {
		w, path := create(t)
		data := smooth(dims)
		for i := range data {
			data[i] += float32(i%7) * 1e-3
		}
		must(t, w.Float32s("/plain", dims, data), w.Float32s("/packed", dims, data, Compressed), w.Commit())
		r := openFile(t, path)
		for _, name := range []string{"/plain", "/packed"} {
			values, found, err := r.Float32s(name)
			must(t, err)
			equal(t, name, values, data)
			equal(t, name, found, dims)
		}
		plain, packed := r.byPath["/plain"], r.byPath["/packed"]
		equal(t, "checksum", packed.Checksum, plain.Checksum)
		if len(data) > 1000 && packed.Bytes >= plain.Bytes {
			t.Errorf("%v: packed to %d of %d bytes", dims, packed.Bytes, plain.Bytes)
		}
	}
}

// TestSameBytes checks that equal content gives equal files.
func TestSameBytes(t *testing.T) {
	first, err := os.ReadFile(sample(t))
	must(t, err)
	second, err := os.ReadFile(sample(t))
	must(t, err)
	if string(first) != string(second) {
		t.Error("two files of equal content differ")
	}
}

func TestNothingBeforeCommit(t *testing.T) {
	w, path := create(t)
	must(t, os.WriteFile(path, []byte("old"), 0o666))
	must(t, w.Float64s("/a", []int{3}, wave(3)))
	w.Abort()
	content, err := os.ReadFile(path)
	must(t, err)
	equal(t, "content after Abort", string(content), "old")
	if err := w.Commit(); !errors.Is(err, ErrClosed) {
		t.Errorf("Commit after Abort: %v", err)
	}
	must(t, os.WriteFile(path+temporarySuffix, []byte("left by a killed run"), 0o666))
	w, err = Create(path)
	must(t, err)
	must(t, w.Float64s("/a", []int{3}, wave(3)), w.Commit())
	w.Abort()
	if err := w.Commit(); !errors.Is(err, ErrClosed) {
		t.Errorf("second Commit: %v", err)
	}
	if err := w.AttrInt64("/", "n", 1); !errors.Is(err, ErrClosed) {
		t.Errorf("write after Commit: %v", err)
	}
	must(t, readAll(path))
	if _, err := os.Stat(path + temporarySuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("temporary file left: %v", err)
	}
}

func TestCannotCreate(t *testing.T) {
	directory := t.TempDir()
	if _, err := Create(filepath.Join(directory, "no", "file.h5")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	if err := os.Chmod(directory, 0o500); err == nil && os.Getuid() != 0 {
		if _, err := Create(filepath.Join(directory, "file.h5")); !errors.Is(err, os.ErrPermission) {
			t.Errorf("unwritable directory: %v", err)
		}
	}
	occupied := filepath.Join(t.TempDir(), "taken.h5")
	must(t, os.Mkdir(occupied, 0o777))
	w, err := Create(occupied)
	must(t, err)
	if err := w.Commit(); err == nil || !strings.Contains(err.Error(), occupied) {
		t.Errorf("a directory in the way: %v", err)
	}
	if _, err := os.Stat(occupied + temporarySuffix); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("temporary file left: %v", err)
	}
	w, _ = create(t)
	if _, err := Create(w.path); err == nil {
		t.Error("two writers of one file")
	}
}

// TestNoRoom lets the system refuse to write beyond ever larger sizes: in the
// values, in what libhdf5 holds back until the end, in the seal. It does so in a
// process of its own, because the limit would hit the log of the tests too.
func TestNoRoom(t *testing.T) {
	const inside = "H5_TEST_NO_ROOM"
	if os.Getenv(inside) == "" {
		run := exec.Command(os.Args[0], "-test.run=^TestNoRoom$")
		run.Env = append(os.Environ(), inside+"=1")
		if output, err := run.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	path := filepath.Join(t.TempDir(), "file.h5")
	must(t, os.WriteFile(path, []byte("old"), 0o666))
	whole := int64(0)
	for _, room := range []int64{1 << 30, 1, 500, 3000, 200_000, 400_000, 800_000, -int64(sealSize) - 1, -1} {
		if room < 0 {
			room += whole
		}
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(room), Max: before.Max}))
		err := writeLarge(path)
		if whole == 0 {
			must(t, err)
			info, err := os.Stat(path)
			must(t, err, os.WriteFile(path, []byte("old"), 0o666))
			whole = info.Size()
			continue
		}
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), path) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		content, err := os.ReadFile(path)
		must(t, err)
		equal(t, "content", string(content), "old")
		if _, err := os.Stat(path + temporarySuffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("temporary file left: %v", err)
		}
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before), writeLarge(path), readAll(path))
}

// TestNoRoomAtAll lets the system refuse every write from some size on for good: what libhdf5 still holds back can never be written, and it would
// crash if it were asked to close such a file.
func TestNoRoomAtAll(t *testing.T) {
	const inside = "H5_TEST_NO_ROOM_AT_ALL"
	if os.Getenv(inside) == "" {
		run := exec.Command(os.Args[0], "-test.run=^TestNoRoomAtAll$")
		run.Env = append(os.Environ(), inside+"=1")
		if output, err := run.CombinedOutput(); err != nil {
			t.Errorf("%v\n%.2000s", err, output)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	var before syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	limit := func(room int) {
		must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(room), Max: before.Max}))
	}
	path := filepath.Join(t.TempDir(), "file.h5")
	for room := 0; room < 40_000; room += 397 {
		limit(1 << 30)
		w, err := Create(path)
		must(t, err)
		limit(room)
		if room == 0 {
			limit(1 << 30)
		}
		for i := range 8 {
			w.Float64s(fmt.Sprintf("/group%d/values", i), []int{20, 20}, make([]float64, 400))
			w.AttrString(fmt.Sprintf("/group%d/values", i), "unit", "K")
		}
		if room == 0 { // all but the last word of libhdf5 as it closes the file
			must(t, onLibrary(func() error { return w.file.Flush(hdf5.F_SCOPE_GLOBAL) }))
		}
		limit(0)
		if err := w.Commit(); !errors.Is(err, syscall.EFBIG) {
			t.Errorf("room for %d bytes: %v", room, err)
		}
		w.Abort()
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
			t.Fatalf("left %v: %v", left, err)
		}
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before), writeLarge(path), readAll(path))
}

// writeLarge writes a file of about a megabyte.
func writeLarge(path string) error {
	w, err := Create(path)
	if err != nil {
		return err
	}
	defer w.Abort()
	noise := make([]float64, 40000)
	random := rand.New(rand.NewPCG(5, 6))
	for i := range noise {
		noise[i] = random.Float64()
	}
	for i := range 2 {
		plain := w.Float64s(fmt.Sprintf("/plain%d", i), []int{200, 200}, noise)
		packed := w.Float64s(fmt.Sprintf("/packed%d", i), []int{100, 20, 20}, noise, Compressed)
		if err := errors.Join(plain, packed); err != nil {
			return err
		}
	}
	return w.Commit()
}

func TestConcurrency(t *testing.T) {
	shared := openFile(t, sample(t))
	foreign := openFile(t, shared.Path(), NoVerify)
	w, path := create(t)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			if err := w.Float32s(fmt.Sprintf("/set%d", i), []int{20, 66, 65}, smooth([]int{20, 66, 65}), Compressed); err != nil {
				t.Error(err)
			}
			own := filepath.Join(t.TempDir(), "own.h5")
			if err := errors.Join(writeLarge(own), readAll(own), readAll(own, NoVerify)); err != nil {
				t.Error(err)
			}
			for _, r := range []*Reader{shared, foreign} {
				if values, _, err := r.Float64s("/state/temperature"); err != nil || values[59] != wave(60)[59] {
					t.Error(values, err)
				}
			}
		})
	}
	group.Wait()
	must(t, w.Commit(), readAll(path))
}
