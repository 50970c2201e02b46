package checkpoint

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"convect/io/h5"
	"convect/io/header"
	"convect/io/pieces"
	"convect/kernels"
	"convect/physics"
	"convect/stencil"
)

// Places in a file.
const (
	scalarsGroup = "/scalars"
	fieldsGroup  = "/fields"
	sumsGroup    = "/sums"
	filesText    = header.Group + "/files"
)

// Checkpoint is what a file holds.
type Checkpoint struct {
	*header.Header
	Device      string
	Instruction string // instruction set; the same one gives the same bits
	State       *physics.State
	// Files has for the keys of the case that name other files, of which the steps are made, what identifies their content. Checkpoints
	// of earlier versions have none.
	Files map[string]string
	// Sums are those of averages, by name; nil: there are none.
	Sums map[string][]float64
}

// write writes a file. The h5.Writer keeps its first failure and returns it from Commit. Where there are fields all processes write what they have of them; else
// the state has their values.
func write(path string, c *Checkpoint, lead *pieces.Lead, fields []*stencil.Field) error {
	file, err := h5.Create(path)
	if err != nil {
		return err
	}
	defer file.Abort()
	c.Header.Write(file)
	file.AttrString(header.Group, "device", c.Device)
	file.AttrString(header.Group, "instruction", c.Instruction)
	if len(c.Files) > 0 {
		file.Text(filesText, filesLines(c.Files))
	}
	file.Group(scalarsGroup)
	for _, name := range slices.Sorted(maps.Keys(c.State.Scalars)) {
		file.Float64s(scalarsGroup+"/"+name, nil, []float64{c.State.Scalars[name]})
	}
	file.Group(fieldsGroup)
	var places []pieces.Array
	for _, f := range c.State.Fields {
		if fields == nil {
			err = writeField(file, c, f)
		} else {
			places, err = placeField(file, c, f, lead, fields[0].Grid.Box, places)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Sums)) {
		sums := c.Sums[name]
		file.Float64s(sumsGroup+"/"+name, []int{len(sums)}, sums)
	}
	if fields == nil {
		return file.Commit()
	}
	writing, err := writeTogether(file, lead, places, fields)
	if err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return errors.Join(err, writing.Abandon())
	}
	return nil
}

// placeField makes the place of a field.
func placeField(file *h5.Writer, c *Checkpoint, f physics.StateField, lead *pieces.Lead, box kernels.Box, places []pieces.Array) ([]pieces.Array, error) {
	dims, double := nodes(c.Cells, c.Periodic), c.Precision == kernels.Float64
	n := [3]int{dims[2], dims[1], dims[0]}
	a := pieces.Array{Dataset: fieldsGroup + "/" + f.Name, Double: double, Nodes: n, Points: n, Components: 1, Scale: 1}
	err := lead.Place(file, &a, box)
	return append(places, a), err
}

// writeTogether has all processes write what they have of the fields.
func writeTogether(file *h5.Writer, lead *pieces.Lead, places []pieces.Array, fields []*stencil.Field) (*pieces.Writing, error) {
	var of []kernels.Buffer
	for _, f := range fields {
		of = append(of, f.Buffer)
	}
	w, err := lead.WriteNow(file, places, fields[0].Grid.Box, of)
	if err != nil {
		return nil, err
	}
	return w, w.Settle()
}

func writeField(file *h5.Writer, c *Checkpoint, f physics.StateField) error {
	path, dims := fieldsGroup+"/"+f.Name, nodes(c.Cells, c.Periodic)
	if n := dims[0] * dims[1] * dims[2]; len(f.Values) != n {
		return fmt.Errorf("%s: %d values for %d nodes", f.Name, len(f.Values), n)
	}
	if c.Precision == kernels.Float64 {
		return file.Float64s(path, dims, f.Values)
	}
	values, err := narrow(f.Values)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	return file.Float32s(path, dims, values)
}

// Read reads a checkpoint and verifies it as a whole. The error names path and the reason: [header.ErrForeign], or one of
// package h5.
func Read(path string) (*Checkpoint, error) { return read(path, readField) }

// ReadLater is Read without the values of fields: they are read when they are filled in, by all processes of a run where the field is shared out.
func ReadLater(path string) (*Checkpoint, error) { return read(path, laterField) }

func read(path string, field func(r *h5.Reader, o *h5.Object, name string, c *Checkpoint) error) (*Checkpoint, error) {
	r, err := h5.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	if err := c.ReadCase(r); err != nil {
		return nil, err
	}
	if r.Exists(filesText) {
		text, err := r.Text(filesText)
		if err != nil {
			return nil, err
		}
		c.Files = readFiles(text)
	}
	err = r.Walk(func(o h5.Object) error {
		if o.Kind != h5.Dataset {
			return nil
		}
		if name, ok := strings.CutPrefix(o.Path, scalarsGroup+"/"); ok {
			return readScalar(r, o.Path, name, c.State)
		}
		if name, ok := strings.CutPrefix(o.Path, fieldsGroup+"/"); ok {
			return field(r, &o, name, c)
		}
		if name, ok := strings.CutPrefix(o.Path, sumsGroup+"/"); ok {
			sums, _, err := r.Float64s(o.Path)
			if c.Sums == nil {
				c.Sums = map[string][]float64{}
			}
			c.Sums[name] = sums
			return err
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(c.State.Fields) == 0 {
		return nil, fmt.Errorf("%s: it holds no fields", path)
	}
	return c, nil
}

// filesLines returns a line "KEY CONTENT" for each file.
func filesLines(files map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%s %s\n", key, files[key])
	}
	return b.String()
}

// readFiles reads the lines back.
func readFiles(text string) map[string]string {
	files := map[string]string{}
	for line := range strings.Lines(text) {
		if key, content, found := strings.Cut(strings.TrimSuffix(line, "\n"), " "); found {
			files[key] = content
		}
	}
	return files
}

// readHeader reads what is not in the scalars and fields.
func readHeader(r *h5.Reader) (*Checkpoint, error) {
	h, err := header.Read(r, header.Checkpoint)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{Header: h, State: &physics.State{Step: h.Step, Scalars: map[string]float64{}}}
	if c.Device, err = r.AttrString(header.Group, "device"); err != nil {
		return nil, err
	}
	c.Instruction, err = r.AttrString(header.Group, "instruction")
	return c, err
}

func readScalar(r *h5.Reader, path, name string, state *physics.State) error {
	values, _, err := r.Float64s(path)
	if err == nil && len(values) != 1 {
		err = fmt.Errorf("%s: %s has %d values, not 1", r.Path(), path, len(values))
	}
	if err == nil {
		state.Scalars[name] = values[0]
	}
	return err
}

func readField(r *h5.Reader, o *h5.Object, name string, c *Checkpoint) error {
	if err := checkAxes(r, o, c); err != nil {
		return err
	}
	values, _, err := r.Float64s(o.Path)
	c.State.Fields = append(c.State.Fields, physics.StateField{Name: name, Values: values})
	return err
}

// laterField notes where a field is.
func laterField(r *h5.Reader, o *h5.Object, name string, c *Checkpoint) error {
	if err := checkAxes(r, o, c); err != nil {
		return err
	}
	path, of := r.Path(), *o
	c.State.Fields = append(c.State.Fields, physics.StateField{Name: name, Fill: func(f *stencil.Field) error { return fill(path, &of, f) }})
	return nil
}

// checkAxes refuses a field of another grid.
func checkAxes(r *h5.Reader, o *h5.Object, c *Checkpoint) error {
	if want := nodes(c.Cells, c.Periodic); !slices.Equal(o.Dims, want) {
		return fmt.Errorf("%s: %s has the axes %v, the grid has %v", r.Path(), o.Path, o.Dims, want)
	}
	return nil
}

// fill reads a field: by all processes, if it is shared out and they find in the file what this one does, else by this one.
func fill(path string, o *h5.Object, f *stencil.Field) error {
	n := f.Grid.Box.N
	if !slices.Equal(o.Dims, []int{n[2], n[1], n[0]}) {
		return fmt.Errorf("%s: %s has the axes %v, the grid has %v", path, o.Path, o.Dims, n)
	}
	device, ok := f.Grid.Device.(kernels.Sharer)
	if ok && device.Shares(f.Grid.Box) != nil && o.Offset >= 0 {
		a := pieces.Array{Offset: o.Offset, Double: o.Type == "float64", Nodes: n, Points: n, Components: 1}
		sum, err := pieces.Read(device, path, a, f.Grid.Box, f.Buffer)
		if err == nil && sum != o.Checksum {
			err = fmt.Errorf("%s: dataset %s: %w: stored %s, its values have %s", path, o.Path, h5.ErrChecksum, o.Checksum, sum)
		}
		if err == nil {
			return nil
		}
		if failed := f.Grid.Device.Sync(); failed != nil {
			return failed
		}
	}
	r, err := h5.Open(path, h5.NoVerify) // as a whole it has been verified
	if err != nil {
		return err
	}
	defer r.Close()
	values, _, err := r.Float64s(o.Path)
	if err == nil {
		f.Upload(values)
	}
	return err
}

// nodes returns the axes of a node array, [z][y][x], periodic planes once.
func nodes(cells [3]int, periodic [3]bool) []int {
	dims := make([]int, 3)
	for d, n := range cells {
		dims[2-d] = n
		if !periodic[d] || n == 0 {
			dims[2-d]++
		}
	}
	return dims
}

// narrow returns values as float32, which they must be already.
func narrow(values []float64) ([]float32, error) {
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(v)
		if float64(out[i]) != v && !math.IsNaN(v) {
			return nil, errors.New("a value of a float32 run is no float32")
		}
	}
	return out, nil
}
