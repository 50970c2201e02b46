package pieces_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"convect/io/h5"
	"convect/io/pieces"
	"convect/kernels"
	"convect/kernels/cpu"
	"convect/kernels/link"
	"convect/kernels/ranks"
)

// team is a device of some processes, and rank 0's desk. change may change the tasks of a rank.
func team(t *testing.T, size int, change func(rank int, tasks map[string]kernels.Task)) (*ranks.Lead, *pieces.Lead) {
	t.Helper()
	all, made := link.Local(size), make([]*ranks.Device, size)
	desks := make([]*pieces.Desk, size)
	var joining, following sync.WaitGroup
	for n, l := range all {
		own, err := cpu.New(cpu.Options{Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		desks[n] = pieces.NewDesk(n)
		joining.Go(func() {
			made[n], _ = ranks.Join(own, l, []string{"anna", "bert", "carl"}[:size], ranks.Options{Rows: 2, Gather: -1})
			tasks := desks[n].Tasks()
			if change != nil {
				change(n, tasks)
			}
			made[n].Serve(tasks)
		})
	}
	joining.Wait()
	for _, d := range made[1:] {
		following.Go(func() { ranks.Follow(d, nil) })
	}
	lead := ranks.NewLead(made[0])
	t.Cleanup(func() { lead.Close(); following.Wait() })
	return lead, desks[0].Lead(lead)
}

// array returns an array of nodes with numbers of its own, and these.
func array(t *testing.T, d kernels.Device, box kernels.Box, factor float64) (kernels.Buffer, []float64) {
	t.Helper()
	b, err := kernels.AllocBox(d, kernels.Float64, box)
	if err != nil {
		t.Fatal(err)
	}
	v := make([]float64, box.Nodes())
	for n := range v {
		v[n] = factor * math.Sin(float64(n))
	}
	d.UploadBox(b, box, v)
	return b, v
}

// wanted returns the bytes of an array of the file.
func wanted(a *pieces.Array, values ...[]float64) []byte {
	var out bytes.Buffer
	for k := range a.Points[2] {
		for j := range a.Points[1] {
			for i := range a.Points[0] {
				for c, v := range values {
					x := v[i%a.Nodes[0]+a.Nodes[0]*(j%a.Nodes[1]+a.Nodes[1]*(k%a.Nodes[2]))]
					if c == 0 && a.Column != nil {
						x += a.Column[k%a.Nodes[2]]
					}
					if x *= a.Scale; a.Double {
						binary.Write(&out, binary.LittleEndian, x)
					} else {
						binary.Write(&out, binary.LittleEndian, float32(x))
					}
				}
			}
		}
	}
	return out.Bytes()
}

// placed makes a file with places for arrays.
func placed(t *testing.T, lead *pieces.Lead, box kernels.Box, arrays []pieces.Array) *h5.Writer {
	t.Helper()
	file, err := h5.Create(filepath.Join(t.TempDir(), "file.hdf"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(file.Abort)
	for n := range arrays {
		arrays[n].Dataset = fmt.Sprintf("/some/array%d", n)
		if err := lead.Place(file, &arrays[n], box); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// stored returns the bytes of the values of a dataset, whose checksum has been verified.
func stored(t *testing.T, r *h5.Reader, name string, double bool) []byte {
	t.Helper()
	var out bytes.Buffer
	var v any
	var err error
	if double {
		v, _, err = r.Float64s(name)
	} else {
		v, _, err = r.Float32s(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	binary.Write(&out, binary.LittleEndian, v)
	return out.Bytes()
}

// All processes write what they have, into one file or each into its own: planes of periodic axes at both ends, components side by side, columns, in both precisions, of
// copies that were taken before.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		size  int
		apart bool
	}{{2, false}, {3, false}, {2, true}, {3, true}} {
		lead, together := team(t, c.size, nil)
		together.Apart = c.apart
		box := kernels.NewBox([3]int{5, 13, 4}, false)
		if !together.Shares(box) {
			t.Fatal("it is not shared")
		}
		x, vx := array(t, lead, box, 1)
		y, vy := array(t, lead, box, -3)
		arrays := []pieces.Array{
			{Nodes: box.N, Points: box.N, Components: 1, Scale: 1},
			{Nodes: box.N, Points: [3]int{6, 14, 5}, Components: 2, Scale: 2.5, Column: []float64{0.5, 7, -2, 1e-3}},
			{Nodes: box.N, Points: [3]int{5, 14, 4}, Components: 1, Scale: -1, Double: true},
		}
		file := placed(t, together, box, arrays)
		var kept []pieces.Kept
		for _, b := range []kernels.Buffer{y, x, y, x} {
			k, err := together.Keep(box, b)
			if err != nil {
				t.Fatal(err)
			}
			kept = append(kept, k)
		}
		lead.Fill(kernels.FillArgs{X: x, Value: 7}) // too late
		w, err := together.Write(file, arrays, kept)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Settle(), file.Commit()); err != nil || !w.Ended() {
			t.Fatal(err)
		}
		r, err := h5.Open(file.Path())
		if err != nil {
			t.Fatal(err)
		}
		for n, want := range [][]byte{wanted(&arrays[0], vy), wanted(&arrays[1], vx, vy), wanted(&arrays[2], vx)} {
			if got := stored(t, r, arrays[n].Dataset, arrays[n].Double); !bytes.Equal(got, want) {
				t.Errorf("%+v: array %d has other values", c, n)
			}
		}
		if !c.apart && w.Settle() == nil {
			t.Error("it can be settled twice")
		}
		parts, _ := filepath.Glob(file.Path() + ".*")
		if want := map[bool]int{true: c.size}[c.apart]; len(parts) != want {
			t.Errorf("%+v: there are %v", c, parts)
		}
		if err := pieces.Remove(file.Path()); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(filepath.Dir(file.Path())); len(left) > 0 {
			t.Errorf("%+v: %v is left", c, left)
		}
	}
}

// Where a part is missing or another, its values are not taken for those of the array.
func TestPartMissing(t *testing.T) {
	lead, together := team(t, 3, nil)
	together.Apart = true
	box := kernels.NewBox([3]int{5, 13, 4}, false)
	b, _ := array(t, lead, box, 1)
	arrays := []pieces.Array{{Nodes: box.N, Points: box.N, Components: 1, Scale: 1}}
	file := placed(t, together, box, arrays)
	w, err := together.WriteNow(file, arrays, box, []kernels.Buffer{b})
	if err == nil {
		err = errors.Join(w.Settle(), file.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(path string) error{
		func(path string) error { return os.Rename(path+".0", path+".2") },
		func(path string) error { return os.Remove(path + ".1") },
	} {
		if err := change(file.Path()); err != nil {
			t.Fatal(err)
		}
		r, err := h5.Open(file.Path())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Float32s("/some/array0"); !errors.Is(err, h5.ErrChecksum) || !strings.Contains(err.Error(), "file.hdf.0 and so on") {
			t.Error(err)
		}
	}
}

// What a killed run leaves of parts is removed, and nothing else.
func TestOrphans(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.hdf", "a.hdf.0", "a.hdf.1.tmp", "b.hdf.0", "b.hdf.12", "c.hdf.0", "b.hdf.old", "notes.1"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := pieces.RemoveOrphans(dir, func(name string) bool { return name == "a.hdf" || name == "b.hdf" }); err != nil {
		t.Fatal(err)
	}
	files, _ := os.ReadDir(dir)
	var left []string
	for _, f := range files {
		left = append(left, f.Name())
	}
	if got := strings.Join(left, " "); got != "a.hdf a.hdf.0 b.hdf.old c.hdf.0 notes.1" {
		t.Errorf("there are %s", got)
	}
}

// What is written of arrays as they are is read back into others, and a file that a process does not see is not read.
func TestRead(t *testing.T) {
	hide := ""
	lead, together := team(t, 3, func(rank int, tasks map[string]kernels.Task) {
		see := tasks["see"]
		tasks["see"] = func(job []byte, rows [2]int, values [][]float64) ([]byte, error) {
			if rank == 2 && hide != "" {
				return nil, errors.New(hide)
			}
			return see(job, rows, values)
		}
	})
	box := kernels.NewBox([3]int{5, 13, 4}, false)
	from, values := array(t, lead, box, 1)
	into, _ := array(t, lead, box, 0)
	dir := t.TempDir()
	if err := together.Sees(dir); err != nil {
		t.Fatal(err)
	}
	arrays := []pieces.Array{{Nodes: box.N, Points: box.N, Components: 1, Scale: 1, Double: true}}
	file := placed(t, together, box, arrays)
	path, a := file.Path(), arrays[0]
	w, err := together.WriteNow(file, arrays, box, []kernels.Buffer{from})
	if err == nil {
		err = errors.Join(w.Settle(), file.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
	whole := h5.PieceOf(0, wanted(&a, values))
	if sum, err := pieces.Read(lead, path, a, box, into); err != nil || sum != fmt.Sprintf("crc64:%016x", whole.Sum64) {
		t.Errorf("%s, want %x: %v", sum, whole.Sum64, err)
	}
	got := make([]float64, len(values))
	if err := lead.DownloadBox(got, into, box); err != nil {
		t.Fatal(err)
	}
	for n, v := range got {
		if v != values[n] {
			t.Fatalf("node %d is %g, not %g", n, v, values[n])
		}
	}
	if _, err := pieces.Read(lead, path, pieces.Array{Offset: 1 << 20, Nodes: box.N, Points: box.N, Components: 1, Double: true}, box, into); err == nil {
		t.Error("it reads beyond the end of the file")
	}
	hide = "it is dark here"
	if _, err := pieces.Read(lead, path+"x", a, box, into); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "rank 2 on carl: open ") {
		t.Error(err)
	}
	if err := together.Sees(dir); err == nil || !strings.Contains(err.Error(), "carl") {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// A process that cannot write is named, and the others go on.
func TestWriteFails(t *testing.T) {
	lead, together := team(t, 2, func(rank int, tasks map[string]kernels.Task) {
		if settle := tasks["settle"]; rank == 1 {
			tasks["settle"] = func(job []byte, rows [2]int, values [][]float64) ([]byte, error) {
				settle(job, rows, values)
				return nil, &fs.PathError{Op: "write", Path: "file", Err: errors.New("no space left on device")}
			}
		}
	})
	box := kernels.NewBox([3]int{5, 13, 4}, false)
	b, _ := array(t, lead, box, 1)
	for _, together.Apart = range []bool{false, true} {
		arrays := []pieces.Array{{Nodes: box.N, Points: box.N, Components: 1, Scale: 1}}
		file := placed(t, together, box, arrays)
		w, err := together.WriteNow(file, arrays, box, []kernels.Buffer{b})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Settle(); err == nil || err.Error() != "rank 1 on bert: write file: no space left on device" {
			t.Error(err)
		}
		if parts, _ := filepath.Glob(file.Path() + ".*[0-9]"); len(parts) > 0 {
			t.Errorf("%v is left", parts)
		}
		if k, err := together.Keep(box, b); err != nil || together.Drop([]pieces.Kept{k}) != nil {
			t.Error(err)
		} else if w, err := together.Write(file, arrays, []pieces.Kept{k}); err != nil || w.Settle() == nil { // what is not there any more shows when it is settled
			t.Error(err)
		}
	}
}

// Where a file is there already its parts stay as they are: one of the same name that is written anew is one file, and a failure leaves the old one whole.
func TestPartsStay(t *testing.T) {
	fails := false
	lead, together := team(t, 2, func(rank int, tasks map[string]kernels.Task) {
		if settle := tasks["settle"]; rank == 1 {
			tasks["settle"] = func(job []byte, rows [2]int, values [][]float64) ([]byte, error) {
				reply, err := settle(job, rows, values)
				if fails {
					err = errors.New("no space left on device")
				}
				return reply, err
			}
		}
	})
	together.Apart = true
	box := kernels.NewBox([3]int{5, 13, 4}, false)
	b, _ := array(t, lead, box, 1)
	path := filepath.Join(t.TempDir(), "a[b.hdf")
	if err := writePart(t, together, path, box, b, false); err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"virtual", "virtual", "contiguous"} {
		if fails = n == 1; (writePart(t, together, path, box, b, true) != nil) != fails {
			t.Fatalf("attempt %d", n+1)
		}
		r, err := h5.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Float32s("/x"); err != nil {
			t.Errorf("attempt %d: %v", n+1, err)
		}
		r.Walk(func(o h5.Object) error {
			if o.Path == "/x" && o.Storage != want {
				t.Errorf("attempt %d: it is %s", n+1, o.Storage)
			}
			return nil
		})
	}
	if err := pieces.Remove(path); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// writePart writes an array to a file of parts, or, where rank 0 cannot, abandons it.
func writePart(t *testing.T, together *pieces.Lead, path string, box kernels.Box, b kernels.Buffer, can bool) error {
	t.Helper()
	file, err := h5.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Abort()
	arrays := []pieces.Array{{Dataset: "/x", Nodes: box.N, Points: box.N, Components: 1, Scale: 1}}
	if err := together.Place(file, &arrays[0], box); err != nil {
		t.Fatal(err)
	}
	w, err := together.WriteNow(file, arrays, box, []kernels.Buffer{b})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Settle(); err != nil {
		return err
	}
	if can {
		return errors.Join(file.Commit(), w.Abandon())
	}
	err = w.Abandon()
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
	return err
}
