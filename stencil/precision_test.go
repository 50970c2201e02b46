package stencil

import (
	"testing"

	"convect/kernels"
)

// TestOperatorInSinglePrecision compares the residual of the float32 copy, and the one that is rounded to float32, with that
// in float64, also after the conductivities have changed.
func TestOperatorInSinglePrecision(t *testing.T) {
	operators(t, []kernels.Side{kernels.Top, kernels.Left}, func(t *testing.T, o *Operator) {
		o.SetMassScale(3)
		single := must[*Operator](t)(o.InType(kernels.Float32))
		defer single.FreeAll()
		if single.Couplings() != o.Couplings() || single.Variable() != o.Variable() || single.MassScale() != 3 {
			t.Errorf("couplings %v and %v", single.Couplings(), o.Couplings())
		}
		if o.Variable() {
			k := o.Elliptic().Cells[2]
			o.Grid.Device.Combine(kernels.CombineArgs{Out: k, C: [4]float64{1.5}, X: [4]kernels.Buffer{k}})
			single.Refresh()
		}
		const scale = 8
		n := o.Grid.Nodes()
		u, f := field(t, o.Grid, noise(n, 1)), field(t, o.Grid, noise(n, 2))
		us, fs := field(t, single.Grid, noise(n, 1)), field(t, single.Grid, noise(n, 2))
		r, rs := field(t, o.Grid, noise(n, 3)), field(t, single.Grid, noise(n, 3))
		o.Residual(r, f, u)
		single.Residual(fs, fs, us)
		o.ResidualSingle(rs, f, u, scale)
		want, copied, rounded := download(t, r), download(t, fs), download(t, rs)
		size := maxAbs(want)
		for i, v := range want {
			near(t, "residual of the copy", copied[i], v, 1e-5, size)
			near(t, "rounded residual", rounded[i]/scale, v, 1e-7, size)
		}
	})
}
