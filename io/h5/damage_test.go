package h5

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readAll opens a file and reads everything in it; it returns the first error.
func readAll(path string, options ...OpenOption) error {
	r, err := Open(path, options...)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Walk(func(o Object) error {
		if o.Kind != Dataset {
			return nil
		}
		if o.elem.class == classString {
			_, err := r.Text(o.Path)
			return err
		}
		_, _, err := r.Float64s(o.Path)
		return err
	})
}

// put writes data to a file in a fresh directory.
func put(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "damaged.h5")
	must(t, os.WriteFile(path, data, 0o666))
	return path
}

func TestFlippedBits(t *testing.T) {
	whole, err := os.ReadFile(sample(t))
	must(t, err)
	path := put(t, whole)
	random := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < len(whole); at += 1 + random.IntN(31) {
		damaged := append([]byte{}, whole...)
		damaged[at] ^= 1 << random.IntN(8)
		must(t, os.WriteFile(path, damaged, 0o666))
		err := readAll(path)
		if err == nil {
			t.Fatalf("a flipped bit in byte %d of %d went unnoticed", at, len(whole))
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotHDF5) || !strings.Contains(err.Error(), path) {
			t.Fatalf("byte %d: %v", at, err)
		}
	}
}

func TestTruncated(t *testing.T) {
	whole, err := os.ReadFile(sample(t))
	must(t, err)
	path := put(t, whole)
	for size := len(whole) - 1; size >= 0; size -= 1 + size/2000 {
		must(t, os.Truncate(path, int64(size)))
		if err := readAll(path); !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNotHDF5) {
			t.Fatalf("%d of %d bytes: %v", size, len(whole), err)
		}
	}
}

// TestDamageInIsolation lets libhdf5 itself see damaged metadata, where it may
// report, crash or loop; this process must survive and values stay checked.
func TestDamageInIsolation(t *testing.T) {
	whole, err := os.ReadFile(sample(t))
	must(t, err)
	path := put(t, whole)
	random := rand.New(rand.NewPCG(3, 4))
	failures := 0
	for range 150 {
		damaged := append([]byte{}, whole...)
		for range 1 + random.IntN(8) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		must(t, os.WriteFile(path, damaged, 0o666))
		if err := readAll(path, NoVerify); err != nil {
			failures++
		}
	}
	if failures < 30 {
		t.Errorf("only %d of 150 damaged files were noticed", failures)
	}
}

// TestDamageUnderANewSeal makes the seal right again over damaged metadata, as one who means harm would: no more than the child may crash.
func TestDamageUnderANewSeal(t *testing.T) {
	whole, err := os.ReadFile(sample(t))
	must(t, err)
	body := whole[:len(whole)-sealSize]
	path := put(t, body)
	random := rand.New(rand.NewPCG(5, 6))
	crashes := 0
	for range 150 {
		damaged := append([]byte{}, body...)
		for range 1 + random.IntN(8) {
			damaged[random.IntN(min(len(damaged), 4096))] = byte(random.Uint32())
		}
		must(t, os.WriteFile(path, damaged, 0o666), appendSeal(path, nil))
		if err := readAll(path); err != nil && strings.Contains(err.Error(), "crashes on it") {
			crashes++
		}
	}
	t.Logf("libhdf5 crashed on %d of 150", crashes)
}

func TestChecksum(t *testing.T) {
	path := sample(t)
	whole, err := os.ReadFile(path)
	must(t, err)
	at := strings.Index(string(whole), string(asBytes(wave(60))))
	if at < 0 {
		t.Fatal("the values are not contiguous in the file")
	}
	whole[at+100] ^= 4
	damaged := put(t, whole)
	if _, err := Open(damaged); !errors.Is(err, ErrDamaged) {
		t.Errorf("Open: %v", err)
	}
	_, _, err = openFile(t, damaged, NoVerify).Float64s("/state/temperature")
	if !errors.Is(err, ErrChecksum) || !strings.Contains(err.Error(), damaged) || !strings.Contains(err.Error(), "/state/temperature") {
		t.Errorf("Float64s: %v", err)
	}
}

func TestForeignFiles(t *testing.T) {
	whole, err := os.ReadFile(sample(t))
	must(t, err)
	cases := map[string]struct {
		data []byte
		want error
	}{
		"empty":          {nil, ErrNotHDF5},
		"short":          {[]byte("\x89HDF"), ErrNotHDF5},
		"text":           {[]byte(strings.Repeat("temperature,pressure\n", 100)), ErrNotHDF5},
		"PNG":            {[]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), ErrNotHDF5},
		"zeros":          {make([]byte, 100000), ErrNotHDF5},
		"signature only": {[]byte(signature), ErrDamaged},
		"version 9":      {[]byte(signature + "\x09" + strings.Repeat("\x08", 500)), ErrDamaged},
		"zero superblock": {append([]byte(signature), make([]byte, 1000)...),
			ErrDamaged},
		"seal cut off": {whole[:len(whole)-sealSize], ErrDamaged},
		"seal moved":   {append(whole[:len(whole):len(whole)], '\n'), ErrDamaged},
	}
	for name, c := range cases {
		path := put(t, c.data)
		if err := readAll(path); !errors.Is(err, c.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNotHDF5) {
		t.Errorf("directory: %v", err)
	}
	if _, err := Open(filepath.Join(t.TempDir(), "no.h5")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzOpen opens and reads mutations of a valid file. Run it with -fuzzminimizetime
// 1x: minimising inputs of a C library teaches nothing and takes all the time.
func FuzzOpen(f *testing.F) {
	whole, err := os.ReadFile(sample(f))
	must(f, err)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(signature))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		path := put(t, data)
		for _, options := range [][]OpenOption{nil, {NoVerify}} {
			if err := readAll(path, options...); err != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("no path in %v", err)
			}
		}
	})
}
