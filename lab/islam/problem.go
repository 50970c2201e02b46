package islam

import (
	"fmt"
	"math"

	"convect/kernels"
)

// Shape is the shape of the unknowns.
type Shape struct {
	N      int  // unknowns along an axis
	Copies int  // Lines: of them at once; 0: a plane of N x N
	Cubic  bool // a cube of N x N x N
}

// Lines returns the shape of many one-dimensional problems.
func Lines(n, copies int) Shape { return Shape{N: n, Copies: copies} }

// Plane returns the shape of a problem in two dimensions.
func Plane(n int) Shape { return Shape{N: n} }

// Cube returns the shape of a problem in three dimensions.
func Cube(n int) Shape { return Shape{N: n, Cubic: true} }

// Unknowns returns the number of all unknowns.
func (s Shape) Unknowns() int {
	switch {
	case s.Copies > 0:
		return s.N * s.Copies
	case s.Cubic:
		return s.N * s.N * s.N
	}
	return s.N * s.N
}

// Blocks says how a cycle cuts the unknowns. Plain Jacobi is one sweep.
type Blocks struct {
	Tile    int // unknowns of a block along an axis
	Overlap int // that neighbouring blocks share: even, less than Tile
	Sweeps  int // of a cycle
}

// Problem is u and f on a device. It allocates nothing after New.
type Problem struct {
	Shape
	Device     kernels.Device
	kernels    Kernels
	box        kernels.Box
	u, next, f kernels.Buffer
	saved      kernels.Buffer
}

// slot is the reduction slot in use.
const slot = kernels.Slots - 5

// New allocates a problem, u at its start; Free releases it. It fails without unknowns, on a device without the
// kernels, and when memory does not suffice.
func New(d kernels.Device, e kernels.Elem, s Shape) (*Problem, error) {
	if s.N < 1 || s.Copies < 0 || s.Copies > 0 && s.Cubic {
		return nil, fmt.Errorf("islam: %d unknowns along an axis, %d copies", s.N, s.Copies)
	}
	nodes := [3]int{s.N + 2, 1, s.N + 2}
	switch {
	case s.Copies > 0:
		nodes[kernels.Z] = s.Copies
	case s.Cubic:
		nodes[kernels.Y] = s.N + 2
	}
	on, ok := On(d)
	if !ok {
		return nil, fmt.Errorf("islam: %s has no kernels for blocks", d.Info().Name)
	}
	p := &Problem{Shape: s, Device: d, kernels: on, box: kernels.NewBox(nodes, !s.Cubic)}
	for _, b := range []*kernels.Buffer{&p.u, &p.next, &p.f} {
		var err error
		if *b, err = d.Alloc(e, p.box.Len); err != nil {
			p.Free()
			return nil, fmt.Errorf("islam: %w", err)
		}
	}
	u, f := p.Start()
	p.Upload(u, f)
	return p, d.Sync()
}

// Start returns the first u and h² f on the host, rows of N+2 nodes: 1 at unknowns, 0 on the boundary, and h².
func (p *Problem) Start() (u, f []float64) {
	u, f = make([]float64, p.box.Nodes()), make([]float64, p.box.Nodes())
	h := 1 / float64(p.N+1)
	for c := range u {
		if !p.wall(c) {
			u[c], f[c] = 1, h*h
		}
	}
	return u, f
}

// wall tells whether a node is on the boundary.
func (p *Problem) wall(c int) bool {
	end := func(i int) bool { return i == 0 || i == p.N+1 }
	i, j, k := c%p.box.N[0], c/p.box.N[0]%p.box.N[1], c/(p.box.N[0]*p.box.N[1])
	return end(i) || p.Cubic && end(j) || p.Copies == 0 && end(k)
}

// Upload sets u and h² f.
func (p *Problem) Upload(u, f []float64) {
	p.Device.UploadBox(p.u, p.box, u)
	p.Device.UploadBox(p.f, p.box, f)
}

// Download returns u into values of N+2 nodes a row.
func (p *Problem) Download(values []float64) error { return p.Device.DownloadBox(values, p.u, p.box) }

// Nodes returns the number of values of Upload and Download.
func (p *Problem) Nodes() int { return p.box.Nodes() }

// rowsCached is the number of bytes of scratch memory that a block of lines is to take: its two u and f in a first cache.
const rowsCached = 24 << 10

// Cycle makes a cycle on u.
func (p *Problem) Cycle(b Blocks) {
	p.relax(b)
	p.u, p.next = p.next, p.u
}

// relax makes a cycle from u to next.
func (p *Problem) relax(b Blocks) {
	if p.Cubic {
		a := HierarchicalCubeArgs{Box: p.box, Out: p.next, U: p.u, F: p.f, Tile: [3]int{b.Tile, b.Tile, b.Tile},
			Overlap: b.Overlap, Sweeps: b.Sweeps}
		if b.Sweeps == 1 { // plain Jacobi, whole rows
			a.Tile[0] = p.N
		}
		p.kernels.HierarchicalCube(a)
		return
	}
	a := HierarchicalJacobiArgs{Box: p.box, Out: p.next, U: p.u, F: p.f, Lines: p.Copies > 0, Tile: [2]int{b.Tile, b.Tile},
		Overlap: b.Overlap, Sweeps: b.Sweeps}
	if a.Lines {
		a.Tile[1] = max(rowsCached/(3*8*(b.Tile+8)), 1)
	}
	p.kernels.HierarchicalJacobi(a)
}

// Residual returns the 2-norm of h² (f - A u) over the 2 (lines), 4 (plane) or 6 (cube) of the diagonal: what a plain sweep changes.
func (p *Problem) Residual() (float64, error) {
	p.relax(Blocks{Tile: p.N, Sweeps: 1})
	p.Device.Combine(kernels.CombineArgs{Out: p.next, C: [4]float64{1, -1}, X: [4]kernels.Buffer{p.next, p.u}})
	p.Device.Reduce(kernels.ReduceArgs{Box: p.box, Kind: kernels.Dot, X: p.next, Y: p.next, Slot: slot})
	v, err := p.Device.Scalars()
	if err != nil {
		return 0, fmt.Errorf("islam: %w", err)
	}
	return math.Sqrt(v[slot]), nil
}

// looks is the number of times that Count looks at the residual for each factor e of its fall, about.
const looks = 16

// Count makes cycles from the start until the residual is tolerance times the first, and returns how many it took, exactly: it looks
// at the residual seldom, and goes back to the last look once it is small enough. It fails where more than most would be needed.
func (p *Problem) Count(b Blocks, tolerance float64, most int) (int, error) {
	if p.saved == nil {
		var err error
		if p.saved, err = p.Device.Alloc(p.u.Elem(), p.box.Len); err != nil {
			return 0, fmt.Errorf("islam: %w", err)
		}
	}
	u, f := p.Start()
	p.Upload(u, f)
	first, err := p.Residual()
	if err != nil {
		return 0, err
	}
	done, left := 0, first
	for stride := 1; left > tolerance*first; stride = 1 + done/looks {
		p.Device.Copy(kernels.CopyArgs{Dst: p.saved, Src: p.u})
		for range stride {
			p.Cycle(b)
		}
		if left, err = p.Residual(); err != nil {
			return 0, err
		}
		if left <= tolerance*first && stride > 1 {
			return p.step(b, tolerance*first, done, stride)
		}
		if done += stride; done > most {
			return 0, fmt.Errorf("islam: after %d cycles of %d sweeps on blocks of %d the residual is %.2g of the first",
				done, b.Sweeps, b.Tile, left/first)
		}
	}
	return done, nil
}

// step goes back to the last look and halves the number of cycles from there until it knows the one that is enough.
func (p *Problem) step(b Blocks, target float64, done, stride int) (int, error) {
	for stride > 1 {
		half := stride / 2
		p.Device.Copy(kernels.CopyArgs{Dst: p.u, Src: p.saved})
		for range half {
			p.Cycle(b)
		}
		left, err := p.Residual()
		if err != nil {
			return 0, err
		}
		if left <= target {
			stride = half
			continue
		}
		p.Device.Copy(kernels.CopyArgs{Dst: p.saved, Src: p.u})
		done, stride = done+half, stride-half
	}
	return done + 1, nil
}

// Free releases the problem. A second call does nothing.
func (p *Problem) Free() {
	for _, b := range []*kernels.Buffer{&p.u, &p.next, &p.f, &p.saved} {
		if *b != nil {
			p.Device.Free(*b)
			*b = nil
		}
	}
}
