package bench

import "convect/kernels"

// counting is a device that counts the bytes that its kernels must move at least: each array that a kernel reads once,
// and each that it writes once, over the nodes of its box; whole buffers where it works on those. Masks, axis arrays and
// walls are left out, being small. What the coarse solve does inside its kernel is not seen. It counts the memory of arrays too.
type counting struct {
	kernels.Optional
	bytes           float64
	allocated, most float64 // bytes of arrays, now and when they were most
}

func newCounting(dev kernels.Device) *counting {
	return &counting{Optional: kernels.Optional{Device: dev}}
}

// Alloc counts and allocates.
func (c *counting) Alloc(e kernels.Elem, n int) (kernels.Buffer, error) {
	b, err := c.Device.Alloc(e, n)
	if err == nil {
		c.allocated += float64(n * e.Size())
		c.most = max(c.most, c.allocated)
	}
	return b, err
}

// Free counts and releases.
func (c *counting) Free(b kernels.Buffer) {
	c.allocated -= float64(b.Len() * b.Elem().Size())
	c.Device.Free(b)
}

// Record records what f counts with its kernels: see [kernels.Recorder].
func (c *counting) Record(f func()) kernels.Recording {
	d, ok := c.Device.(kernels.Recorder)
	if !ok {
		return nil
	}
	before := c.bytes
	r := d.Record(f)
	bytes := c.bytes - before
	c.bytes = before
	if r == nil {
		return nil
	}
	return &countedRecording{r, c, bytes}
}

// countedRecording counts the bytes of its kernels.
type countedRecording struct {
	kernels.Recording
	counting *counting
	bytes    float64
}

// Replay runs and counts.
func (r *countedRecording) Replay() bool {
	done := r.Recording.Replay()
	if done {
		r.counting.bytes += r.bytes
	}
	return done
}

// add counts arrays over so many elements; nil ones are skipped.
func (c *counting) add(elements int, arrays ...kernels.Buffer) {
	for _, b := range arrays {
		if b != nil {
			c.bytes += float64(elements * b.Elem().Size())
		}
	}
}

// operator counts the coefficients of an operator and fields over its nodes.
func (c *counting) operator(a *kernels.Elliptic, fields ...kernels.Buffer) {
	n := a.Box.Nodes()
	c.add(n, fields...)
	for d, k := range a.Cells {
		if d == 0 || k != a.Cells[0] && (d == 1 || k != a.Cells[1]) {
			c.add(n, k)
		}
	}
	if a.MassScale != 0 {
		c.add(n, a.Mass)
	}
}

// Fill writes X.
func (c *counting) Fill(a kernels.FillArgs) {
	c.add(a.X.Len(), a.X)
	c.Device.Fill(a)
}

// Copy reads Src and writes Dst.
func (c *counting) Copy(a kernels.CopyArgs) {
	c.add(a.Src.Len(), a.Src, a.Dst)
	c.Device.Copy(a)
}

// Combine reads every different X and writes Out.
func (c *counting) Combine(a kernels.CombineArgs) {
	c.add(a.Out.Len(), a.Out)
	for n, x := range a.X {
		seen := false
		for _, y := range a.X[:n] {
			seen = seen || x == y
		}
		if !seen {
			c.add(a.Out.Len(), x)
		}
	}
	c.Device.Combine(a)
}

// Reduce reads X, and Y if it is another array.
func (c *counting) Reduce(a kernels.ReduceArgs) {
	c.add(a.Box.Nodes(), a.X)
	if a.Y != a.X {
		c.add(a.Box.Nodes(), a.Y)
	}
	c.Device.Reduce(a)
}

// RemoveMean reads X twice and writes it.
func (c *counting) RemoveMean(a kernels.RemoveMeanArgs) {
	c.add(a.Box.Nodes(), a.X, a.X, a.X)
	c.Device.RemoveMean(a)
}

// HorizontalMean reads X.
func (c *counting) HorizontalMean(a kernels.HorizontalMeanArgs) {
	c.add(a.Box.Nodes(), a.X)
	c.Device.HorizontalMean(a)
}

// Restrict reads FineX and writes CoarseX.
func (c *counting) Restrict(a kernels.TransferArgs) {
	c.add(a.Fine.Nodes(), a.FineX)
	c.add(a.Coarse.Nodes(), a.CoarseX)
	c.Device.Restrict(a)
}

// Prolong reads CoarseX and FineX and writes FineX.
func (c *counting) Prolong(a kernels.TransferArgs) {
	c.add(a.Fine.Nodes(), a.FineX, a.FineX)
	c.add(a.Coarse.Nodes(), a.CoarseX)
	c.Device.Prolong(a)
}

// ProlongCubic reads CoarseX, and FineX unless it replaces it, and writes FineX.
func (c *counting) ProlongCubic(a kernels.TransferArgs) {
	c.add(a.Fine.Nodes(), a.FineX)
	if !a.Replaces {
		c.add(a.Fine.Nodes(), a.FineX)
	}
	c.add(a.Coarse.Nodes(), a.CoarseX)
	c.Device.ProlongCubic(a)
}

// Inject writes CoarseX and reads as many values of FineX.
func (c *counting) Inject(a kernels.TransferArgs) {
	c.add(a.Coarse.Nodes(), a.FineX, a.CoarseX)
	c.Device.Inject(a)
}

// Descend reads F and U (unless zero) and writes Out and CoarseX.
func (c *counting) Descend(a kernels.CycleArgs) {
	c.operator(a.A, a.F, a.U, a.Out)
	c.add(a.Coarse.Nodes(), a.CoarseX)
	c.Device.Descend(a)
}

// Ascend reads U, F and CoarseX and writes Out.
func (c *counting) Ascend(a kernels.CycleArgs) {
	c.operator(a.A, a.F, a.U, a.Out)
	c.add(a.Coarse.Nodes(), a.CoarseX)
	c.Device.Ascend(a)
}

// AdvectMeasured reads Q, T and the coefficients and writes Out.
func (c *counting) AdvectMeasured(a kernels.AdvectMeasuredArgs) {
	e := *a.A
	e.MassScale = 1
	c.operator(&e, a.Q[0], a.Q[1], a.Q[2], a.T, a.Out)
	c.Device.AdvectMeasured(a)
}
