package devicetest

import (
	"errors"

	"convect/kernels"
)

func (d *hostDevice) Upload(dst kernels.Buffer, src []float64) {
	d.run("Upload", func() {
		for e, v := range src {
			dst.(*hostBuffer).store(e, v)
		}
	}, want{dst, len(src), false})
}

func (d *hostDevice) UploadInts(dst kernels.Buffer, src []int32) {
	d.run("UploadInts", func() {
		for e, v := range src {
			dst.(*hostBuffer).values[e] = float64(v)
		}
	}, want{dst, len(src), true})
}

func (d *hostDevice) Download(dst []float64, src kernels.Buffer) error {
	if len(dst) > src.Len() {
		return errors.New("host: Download: too short")
	}
	copy(dst, src.(*hostBuffer).values)
	return d.err
}

func (d *hostDevice) UploadBox(dst kernels.Buffer, box kernels.Box, src []float64) {
	d.run("UploadBox", func() {
		EachNode(box, func(n Node) {
			dst.(*hostBuffer).store(box.Index(n[0], n[1], n[2]), src[n[0]+box.N[0]*(n[1]+box.N[1]*n[2])])
		})
	}, want{dst, box.Len, false})
}

func (d *hostDevice) DownloadBox(dst []float64, src kernels.Buffer, box kernels.Box) error {
	EachNode(box, func(n Node) { dst[n[0]+box.N[0]*(n[1]+box.N[1]*n[2])] = fieldOf(box, src).At(n) })
	return d.err
}

func (d *hostDevice) DownloadBox32(dst []float32, src kernels.Buffer, box kernels.Box) error {
	wide := make([]float64, len(dst))
	err := d.DownloadBox(wide, src, box)
	for i, v := range wide {
		dst[i] = float32(v)
	}
	return err
}

func (d *hostDevice) Scalars() ([]float64, error) { return d.slots[:], d.err }

func (d *hostDevice) fillWith(b kernels.Buffer, values func(e int) float64) {
	for e := range b.Len() {
		b.(*hostBuffer).store(e, values(e))
	}
}

func (d *hostDevice) Fill(a kernels.FillArgs) {
	d.run("Fill", func() { d.fillWith(a.X, func(int) float64 { return a.Value }) })
}

func (d *hostDevice) Copy(a kernels.CopyArgs) {
	d.run("Copy", func() {
		d.fillWith(a.Dst, func(e int) float64 { return a.Src.(*hostBuffer).values[e] })
	}, want{a.Dst, a.Src.Len(), false}, want{a.Src, 0, false})
}

func (d *hostDevice) Combine(a kernels.CombineArgs) {
	var x [4][]float64
	wants := []want{{a.Out, 0, false}}
	for m, b := range a.X {
		a.C[m] *= d.quotient(a.By[m])
		if b != nil {
			x[m] = b.(*hostBuffer).values
			wants = append(wants, want{b, a.Out.Len(), false}, want{a.Out, b.Len(), false})
		}
	}
	d.run("Combine", func() {
		s := combine(a.C, x)
		d.fillWith(a.Out, func(e int) float64 {
			if s == nil {
				return 0
			}
			return s[e].value
		})
	}, wants...)
}

func (d *hostDevice) Halo(a kernels.HaloArgs) {
	d.run("Halo", func() { halo(fieldOf(a.Box, a.X), a.Periodic, a.Width) }, laidOut(a.Box, a.X)...)
}

func (d *hostDevice) SetWall(a kernels.SetWallArgs) {
	n := a.Box.WallNodes(a.Side)
	d.run("SetWall", func() {
		x := fieldOf(a.Box, a.X)
		EachNode(a.Box, func(n Node) {
			at := wallIndex(a.Box, a.Side, n)
			if !onSide(a.Box, a.Side, n) || a.Where.(*hostBuffer).values[at] == 0 {
				return
			}
			if a.Face && !a.Side.High() {
				n = shift(n, a.Side.Axis(), -1)
			}
			x.Set(n, a.Value.(*hostBuffer).values[at])
		})
	}, want{a.X, a.Box.Len, false}, want{a.Where, n, false}, want{a.Value, n, false})
}

func (d *hostDevice) Reduce(a kernels.ReduceArgs) {
	wants := append(append(laidOut(a.Box, a.X, a.Y), axes(a.Box, a.W)...), rows(a.Box, a.Mask)...)
	d.reduceTo("Reduce", a.Slot, 1, func() []sum {
		g := gridOf(a.Box, [3]bool{}, a.W)
		return []sum{reduce(a.Kind, g, fieldOf(a.Box, a.X), fieldOf(a.Box, a.Y), round(a.X.Elem(), a.Value), maskOf(a.Box, a.Mask))}
	}, wants...)
}

func (d *hostDevice) RemoveMean(a kernels.RemoveMeanArgs) {
	d.run("RemoveMean", func() {
		write(a.X, removeMean(gridOf(a.Box, [3]bool{}, a.W), fieldOf(a.Box, a.X), a.Integrated))
	}, append(laidOut(a.Box, a.X), axes(a.Box, a.W)...)...)
}

func (d *hostDevice) HorizontalMean(a kernels.HorizontalMeanArgs) {
	d.run("HorizontalMean", func() {
		for k, s := range horizontalMean(gridOf(a.Box, [3]bool{}, a.W), fieldOf(a.Box, a.X)) {
			a.Out.(*hostBuffer).store(k, s.value)
		}
	}, append(append(laidOut(a.Box, a.X), axes(a.Box, a.W)...), want{a.Out, a.Box.N[2], false})...)
}

func (d *hostDevice) AddHeights(a kernels.AddHeightsArgs) {
	d.run("AddHeights", func() {
		x, column := fieldOf(a.Box, a.X), a.Column.(*hostBuffer).values
		write(a.X, compute(a.Box, func(n Node) sum { return exact(x.At(n) + column[n[2]]) }))
	}, append(laidOut(a.Box, a.X), want{a.Column, a.Box.N[2], false})...)
}

func (d *hostDevice) AxisMean(a kernels.AxisMeanArgs) {
	d.run("AxisMean", func() {
		mean, square := axisMean(a.Box, a.Axis, a.Part.(*hostBuffer).values, fieldOf(a.From, a.X), fieldOf(a.From, a.Spread))
		write(a.Out, mean)
		if a.Square != nil {
			write(a.Square, square)
		}
	}, append(append(laidOut(a.Box, a.Out, a.Square), laidOut(a.From, a.X, a.Spread)...), want{a.Part, a.Nodes, false})...)
}

func (d *hostDevice) Accumulate(a kernels.AccumulateArgs) {
	d.run("Accumulate", func() {
		mean, square := accumulate(&a, fieldOf(a.Box, a.X), fieldOf(a.Box, a.Before), fieldOf(a.Box, a.Mean), fieldOf(a.Box, a.Square), fieldOf(a.Box, a.Spread),
			fieldOf(a.Box, a.SpreadBefore))
		write(a.Mean, mean)
		if a.Square != nil {
			write(a.Square, square)
		}
		for to, from := range map[kernels.Buffer]kernels.Buffer{a.Before: a.X, a.SpreadBefore: a.Spread} {
			if from != nil {
				x := fieldOf(a.Box, from)
				write(to, compute(a.Box, func(n Node) sum { return exact(x.At(n)) }))
			}
		}
	}, laidOut(a.Box, a.X, a.Before, a.Mean, a.Square, a.Spread, a.SpreadBefore)...)
}

func (d *hostDevice) Apply(a kernels.ApplyArgs) {
	d.run("Apply", func() {
		write(a.Y, operatorOf(a.A, [3]bool{}).apply(fieldOf(a.A.Box, a.X)))
	}, operands(a.A, a.X, a.Y)...)
}

func (d *hostDevice) Residual(a kernels.ResidualArgs) {
	d.run("Residual", func() {
		r := operatorOf(a.A, [3]bool{}).residual(fieldOf(a.A.Box, a.F), fieldOf(a.A.Box, a.U))
		if a.R.Elem() != a.U.Elem() {
			r = scaled(a.Scale, r)
		}
		write(a.R, r)
	}, operands(a.A, a.R, a.F, a.U)...)
}

func (d *hostDevice) Smooth(a kernels.SmoothArgs) {
	d.run("Smooth", func() {
		u := NewField(a.A.Box)
		if a.U != nil {
			u = fieldOf(a.A.Box, a.U)
		}
		write(a.Out, operatorOf(a.A, [3]bool{}).smooth(u, fieldOf(a.A.Box, a.F), a.Omega))
	}, operands(a.A, a.Out, a.F, a.U)...)
}

func (d *hostDevice) RedBlack(a kernels.RedBlackArgs) {
	d.sevenPoint("RedBlack", a.A)
	d.run("RedBlack", func() {
		write(a.U, operatorOf(a.A, [3]bool{}).redBlack(fieldOf(a.A.Box, a.U), fieldOf(a.A.Box, a.F), a.Omega, a.Colour))
	}, operands(a.A, a.U, a.F)...)
}

func (d *hostDevice) LineSmooth(a kernels.LineSmoothArgs) {
	d.run("LineSmooth", func() {
		u := NewField(a.A.Box)
		if a.U != nil {
			u = fieldOf(a.A.Box, a.U)
		}
		o := operatorOf(a.A, [3]bool{kernels.Z: a.Periodic})
		write(a.Out, o.lineSmooth(u, fieldOf(a.A.Box, a.F), a.Omega))
	}, operands(a.A, a.Out, a.F, a.U)...)
}

func (d *hostDevice) MassUpdate(a kernels.MassUpdateArgs) {
	d.run("MassUpdate", func() {
		write(a.U, operatorOf(a.A, [3]bool{}).massUpdate(fieldOf(a.A.Box, a.U), fieldOf(a.A.Box, a.R)))
	}, operands(a.A, a.U, a.R)...)
}

func (d *hostDevice) Energy(a kernels.EnergyArgs) {
	d.reduceTo("Energy", a.Slot, 1, func() []sum {
		o, x := operatorOf(a.A, [3]bool{}), fieldOf(a.A.Box, a.X)
		if a.Image != nil {
			write(a.Image, o.apply(x))
		}
		return []sum{o.energy(x)}
	}, operands(a.A, a.X, a.Image)...)
}

func (d *hostDevice) SolveCoarse(a kernels.SolveCoarseArgs) {
	d.run("SolveCoarse", func() {
		u := solve(operatorOf(a.A, a.Periodic), fieldOf(a.A.Box, a.F), a.Singular)
		write(a.U, result{u, u})
	}, operands(a.A, append(a.Work[:], a.U, a.F)...)...)
}

func (d *hostDevice) FactorsCoarse(*kernels.Elliptic) bool { return true }

func (d *hostDevice) SolveFactored(a kernels.SolveFactoredArgs) {
	d.run("SolveFactored", func() {
		u := solve(operatorOf(a.A, a.Periodic), fieldOf(a.A.Box, a.F), a.Singular)
		write(a.U, result{u, u})
	}, operands(a.A, a.U, a.F)...)
}

func (d *hostDevice) transfer(name string, a kernels.TransferArgs, target kernels.Box, kernel func()) {
	wants := append(laidOut(a.Fine, a.FineX), laidOut(a.Coarse, a.CoarseX)...)
	d.run(name, kernel, append(wants, rows(target, a.Mask)...)...)
}

func (d *hostDevice) Restrict(a kernels.TransferArgs) {
	d.transfer("Restrict", a, a.Coarse, func() {
		write(a.CoarseX, restrict(a.Coarse, ratioOf(a.Fine, a.Coarse, a.Periodic), fieldOf(a.Fine, a.FineX), maskOf(a.Coarse, a.Mask)))
	})
}

func (d *hostDevice) Prolong(a kernels.TransferArgs) {
	d.transfer("Prolong", a, a.Fine, func() {
		write(a.FineX, prolong(ratioOf(a.Fine, a.Coarse, a.Periodic), fieldOf(a.Fine, a.FineX), fieldOf(a.Coarse, a.CoarseX), maskOf(a.Fine, a.Mask)))
	})
}

func (d *hostDevice) ProlongCubic(a kernels.TransferArgs) {
	d.transfer("ProlongCubic", a, a.Fine, func() {
		write(a.FineX, prolongCubic(ratioOf(a.Fine, a.Coarse, a.Periodic), a.Periodic, fieldOf(a.Fine, a.FineX), fieldOf(a.Coarse, a.CoarseX), maskOf(a.Fine, a.Mask), a.Replaces))
	})
}

func (d *hostDevice) Inject(a kernels.TransferArgs) {
	a.Mask = nil
	d.transfer("Inject", a, a.Coarse, func() {
		write(a.CoarseX, inject(a.Coarse, ratioOf(a.Fine, a.Coarse, a.Periodic), a.Periodic, fieldOf(a.Fine, a.FineX)))
	})
}
