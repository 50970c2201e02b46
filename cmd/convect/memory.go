package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"convect/cmd/convect/casefile"
	"convect/io/sampling"
	"convect/kernels"
	"convect/physics"
)

// A trial of the memory of a case has at most so many nodes.
const memoryNodes = 100_000

// What no case needs more than, so that most need no trial: bytes, and bytes a node.
const (
	plentyBytes   = 128 << 20
	plentyPerNode = 2 << 10
)

// spareGPU is what the copies of boxes, the code of kernels and their stacks may take on a GPU beside all arrays.
const spareGPU = 128 << 20

// reloader reads a case again with more overrides.
type reloader func(extra ...string) (*casefile.Case, error)

// footprint is the memory that a case takes, found by what a trial of it on fewer nodes has allocated: so many arrays on the
// nodes of each level of its solvers.
type footprint struct {
	cells    [3]int // of the trial
	periodic [3]bool
	levels   []levelBytes
	tables   float64 // bytes of what lies on axes and walls
	matrices float64 // bytes of matrices along axes, of direct solves
	same     float64 // bytes of what is the same on any grid: tables of the fluid's properties, factors of the coarsest levels
	work     float64 // bytes that the device keeps for kernels of its own accord
	spare    float64 // bytes, of any case
	host     hostNeed
}

// levelBytes is what lies on the nodes of one level.
type levelBytes struct {
	cells [3]int
	bytes float64 // for each element of an array
}

// newFootprint sorts the arrays of a trial of a case by the levels of its solvers.
func newFootprint(s *physics.Simulation, d *countingDevice, c *casefile.Case) (*footprint, error) {
	g := s.Grid()
	f := &footprint{cells: g.Cells, periodic: g.Periodic}
	left := maps.Clone(d.atMost)
	levels, matrices, same := s.PressureSolver().Levels(), s.PressureSolver().Matrices(), append(physics.TableLengths(), s.PressureSolver().CoarseFactors())
	for _, solver := range s.DiffusionSolvers() {
		levels, matrices, same = append(levels, solver.Levels()...), append(matrices, solver.Matrices()...), append(same, solver.CoarseFactors())
	}
	for _, l := range levels {
		n := f.box(l.Cells).Len
		if left[n] > 0 {
			f.levels = append(f.levels, levelBytes{l.Cells, left[n]})
			delete(left, n)
		}
	}
	if d, ok := d.Device.(interface{ ColumnArrays() int }); ok && len(matrices) > 0 {
		elem := kernels.Float32
		if c.Parameters.Precision == kernels.Float64 && !c.Parameters.Mixed {
			elem = kernels.Float64
		}
		f.levels = append(f.levels, levelBytes{g.Cells, float64(d.ColumnArrays() * elem.Size())})
	}
	for _, n := range matrices {
		f.matrices += float64(n) * left[n]
		delete(left, n)
	}
	for n, bytes := range left {
		if slices.Contains(same, n) {
			f.same += float64(n) * bytes
		} else {
			f.tables += float64(n) * bytes
		}
	}
	if own, ok := d.Device.(interface{ WorkBytes() int }); ok && deviceFamily(d.Info().Name) != "cpu" {
		f.work, f.spare = float64(own.WorkBytes()), spareGPU
	}
	var err error
	f.host, err = hostBytes(s, c)
	return f, err
}

// cellArrays counts the arrays of properties of cells on the host.
func cellArrays(p physics.Parameters) int {
	seen := map[*float64]bool{}
	for _, m := range []physics.Material{p.Permeability, p.HeatCapacityRatio, p.Diffusivity} {
		for _, v := range m.Cells {
			if len(v) > 0 {
				seen[&v[0]] = true
			}
		}
	}
	return len(seen)
}

// box lays out the nodes of a grid.
func (f *footprint) box(cells [3]int) kernels.Box {
	n := [3]int{1, 1, 1}
	for d, c := range cells {
		if n[d] = c + 1; f.periodic[d] {
			n[d] = c
		}
	}
	return kernels.NewBox(n, cells[kernels.Y] == 0)
}

// device returns the bytes that the case needs on the device on so many cells.
func (f *footprint) device(cells [3]int) float64 {
	total := f.spare + f.same
	for _, l := range f.levels {
		total += l.bytes * float64(f.box(f.onLevel(cells, l)).Len)
	}
	own, other := f.box(f.cells), f.box(cells)
	dimensions := 3.0
	if own.Flat() {
		dimensions = 2
	}
	ratio := float64(other.Len) / float64(own.Len)
	longer := float64(cells[kernels.X]) / float64(f.cells[kernels.X])
	return total + f.work*ratio + f.matrices*longer*longer + f.tables*math.Pow(ratio, 1-1/dimensions)
}

// need returns the bytes that the case needs on so many cells on a device and, where that is not the host, on the host.
func (f *footprint) need(i kernels.Info, cells [3]int) (device, host float64) {
	device, host = f.device(cells), baseBytes+f.host.alone*float64(f.box(cells).Nodes())
	if deviceFamily(i.Name) == "cpu" {
		return device + f.unused(cells) + host, 0
	}
	return device, host
}

// unused returns what large arrays leave of their last pages on the host.
func (f *footprint) unused(cells [3]int) float64 {
	total := 0.0
	for _, l := range f.levels {
		if n := float64(f.box(f.onLevel(cells, l)).Len); 8*n >= hugePage {
			total += l.bytes / 8 * hugePage / 2
		}
	}
	return total
}

// onLevel returns the cells of a level of the case on so many cells.
func (f *footprint) onLevel(cells [3]int, l levelBytes) [3]int {
	for d := range cells {
		if cells[d] > 0 {
			cells[d] = int(math.Ceil(float64(cells[d]) * float64(l.cells[d]) / float64(f.cells[d])))
		}
	}
	return cells
}

// largest returns the largest grid of the proportions of a case that fits.
func (f *footprint) largest(cells [3]int, fits func(cells [3]int) bool) (most [3]int, found bool) {
	const steps = 400
	for n := steps - 1; n > 0; n-- {
		for d, c := range cells {
			if most[d] = 0; c > 0 {
				most[d] = multiple(float64(c) * float64(n) / steps)
			}
		}
		if fits(most) {
			return most, true
		}
	}
	return most, false
}

// memoryError says that a case does not fit.
func (f *footprint) memoryError(c *casefile.Case, i kernels.Info) error {
	cells, room := c.Extent().Cells, roomOn(i)
	need, _ := f.need(i, cells)
	if need <= room.free {
		return nil
	}
	text := "no grid of these proportions fits"
	most, found := f.largest(cells, func(cells [3]int) bool {
		need, _ := f.need(i, cells)
		return need <= room.free
	})
	if found {
		text = fmt.Sprintf("the largest grid of these proportions that fits has %s cells", cellsText(most))
	}
	return fmt.Errorf("the case does not fit into the memory of %s: it needs %s (%.0f bytes a node, %.9g nodes), %s; %s",
		i.Name, bytesText(need), need/c.Nodes(), c.Nodes(), room.words(), text)
}

// checkReading fails where reading the files of a case takes more memory than is free on the host, as far as the device knows.
func checkReading(dev kernels.Device, c *casefile.Case, restart bool) error {
	i := dev.Info()
	if i.Name != "cpu" {
		return nil
	}
	room := roomOn(i)
	if file, bytes := c.ReadingBytes(restart); bytes > room.free {
		return fmt.Errorf("%s: reading %s takes about %s of memory, %s", file.Key, file.Path, bytesText(bytes), room.words())
	}
	return nil
}

// checkMemory fails where a case needs more memory than is free. It makes a trial of cases that are not small.
func checkMemory(dev kernels.Device, c *casefile.Case, reload reloader) error {
	i := dev.Info()
	room := roomOn(i)
	if plentyBytes+plentyPerNode*c.Nodes() < room.free {
		return nil
	}
	f, err := tryMemory(dev, c, reload, memoryNodes)
	if err != nil { // a case that cannot be solved on so few nodes: all that is sure is the least
		if need := memoryFloor(c); need > room.free {
			return fmt.Errorf("%.4g nodes need more than %s of memory, %s", c.Nodes(), bytesText(need), room.words())
		}
		return dev.Sync()
	}
	return f.memoryError(c, dev.Info())
}

// memoryFloor is less than what a case needs, whatever it says: ten arrays of nodes.
func memoryFloor(c *casefile.Case) float64 {
	return 10 * c.Nodes() * float64(c.Parameters.Precision.Size())
}

// tryMemory makes a step of a case on at most so many nodes.
func tryMemory(dev kernels.Device, c *casefile.Case, reload reloader, most float64) (*footprint, error) {
	small, _, err := coarser(c, reload, most)
	if err != nil {
		return nil, err
	}
	counting := newCounting(dev)
	s, err := physics.New(counting, small.Parameters, small.Controls)
	if err != nil {
		return nil, c.Explain(err)
	}
	defer s.Free()
	sums, err := sampling.Rehearse(s, small.Output.Averages)
	if err != nil {
		return nil, err
	}
	defer sums.Free()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	w := &stopwatch{stop: cancel, most: 1}
	if _, err := s.Run(ctx, w); err != nil { // after it the device keeps the memory that its kernels work in
		return nil, err
	}
	return newFootprint(s, counting, small)
}

// countingDevice counts the memory that it allocates.
type countingDevice struct {
	kernels.Optional
	live, atMost map[int]float64 // bytes for each element of the arrays of a length, now and when most was allocated
	now, most    float64
}

func newCounting(dev kernels.Device) *countingDevice {
	return &countingDevice{Optional: kernels.Optional{Device: dev}, live: map[int]float64{}}
}

// SolvesDirectly is false: the levels of a small grid are to be those of a large one.
func (d *countingDevice) SolvesDirectly(*kernels.Elliptic) bool { return false }

// Alloc counts and allocates.
func (d *countingDevice) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	b, err := d.Device.Alloc(e, n)
	if err != nil {
		return nil, err
	}
	d.live[n] += float64(e.Size())
	if d.now += float64(n * e.Size()); d.now > d.most {
		d.most, d.atMost = d.now, maps.Clone(d.live)
	}
	return b, nil
}

// Free counts and releases.
func (d *countingDevice) Free(b kernels.Buffer) {
	d.live[b.Len()] -= float64(b.Elem().Size())
	d.now -= float64(b.Len() * b.Elem().Size())
	d.Device.Free(b)
}
