package devicetest

import (
	"fmt"

	"convect/kernels"
)

func (d *hostDevice) Transform(a kernels.TransformArgs) {
	rows, pitch := kernels.TransformRows(a.Box.N[a.Axis], a.Folding)
	if a.Folding != kernels.Whole {
		rows *= 2
	}
	if d.err == nil && a.Entries < rows*pitch {
		d.err = fmt.Errorf("Transform: the matrix has %d elements, not %d", a.Entries, rows*pitch)
	}
	d.run("Transform", func() {
		write(a.Out, transform(fieldOf(a.Box, a.In), a.Axis, a.Folding, a.Matrix.(*hostBuffer).values))
	}, append(laidOut(a.Box, a.In, a.Out), want{a.Matrix, a.Entries, false})...)
}

func (d *hostDevice) TransformsFast(a kernels.FastTransformArgs) bool {
	return a.Waves != kernels.NoWaves && a.Box.N[a.Axis] > 2
}

func (d *hostDevice) FastTransform(a kernels.FastTransformArgs) {
	points, parts := a.Waves.Period(a.Box.N[a.Axis])
	if n := kernels.WavesEntries(a.Box.N[a.Axis], a.Waves); d.err == nil && a.Entries < n {
		d.err = fmt.Errorf("FastTransform: the table has %d elements, not %d", a.Entries, n)
	}
	d.run("FastTransform", func() {
		write(a.Out, waves(fieldOf(a.Box, a.In), a.Axis, a.Waves, a.Back, a.Table.(*hostBuffer).values[2*points*parts:]))
	}, append(laidOut(a.Box, a.In, a.Out), want{a.Table, a.Entries, false})...)
}

func (d *brokenDevice) FastTransform(a kernels.FastTransformArgs) {
	if d.defect == "FastTransform/takes sines for cosines" && a.Waves == kernels.Cosines {
		a.Waves = kernels.Sines
	}
	d.hostDevice.FastTransform(a)
}

func (d *hostDevice) Modes(a kernels.ModesArgs) {
	if n := kernels.ModesEntries(a.Turn(a.Box.N)); d.err == nil && a.Entries < n {
		d.err = fmt.Errorf("Modes: the table has %d elements, not %d", a.Entries, n)
	}
	d.run("Modes", func() {
		m := &tridiagonal{a.Turn(a.Box.N), a.Table.(*hostBuffer).values, a.Mass, a.Low, a.High, a.Singular, a.Turned}
		write(a.X, m.modes(fieldOf(a.Box, a.X)))
	}, append(laidOut(a.Box, a.X, a.Work), want{a.Table, a.Entries, false})...)
}

func (d *brokenDevice) Transform(a kernels.TransformArgs) {
	if d.defect == "Transform/takes forth for back" && a.Folding == kernels.FoldBack {
		a.Folding = kernels.FoldForth
	}
	d.hostDevice.Transform(a)
}

func (d *brokenDevice) Modes(a kernels.ModesArgs) {
	switch d.defect {
	case "Modes/forgets the fixed end":
		a.High = false
	case "Modes/keeps the mean":
		a.Singular = false
	case "Modes/lies along z":
		a.Turned = false
	}
	d.hostDevice.Modes(a)
}
