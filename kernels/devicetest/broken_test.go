package devicetest

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"convect/kernels"
)

// defects names what brokenDevice does wrong, as kernel/defect.
func defects() []string {
	return []string{
		"Upload/drops the last value",
		"Apply/rounds to 13 bits",
		"Apply/writes the halo",
		"Apply/takes 7 points for 27",
		"Residual/modifies U",
		"Residual/forgets the scale",
		"Combine/adds in float32",
		"Combine/forgets the ratio",
		"Smooth/moves fixed nodes",
		"RedBlack/relaxes both colours",
		"LineSmooth/forgets the way back",
		"LineSmooth/cuts the periodic line",
		"LineSmooth/takes 27 points for 7",
		"SolveCoarse/stops early",
		"SolveFactored/keeps nothing",
		"SolveFactored/keeps what has changed",
		"Correct/forgets the correction",
		"Correct/forgets the ratio",
		"Correct/forgets the shift",
		"Correct/sums fixed nodes",
		"Correct/takes zero for another field",
		"Energy/forgets the mass",
		"Energy/takes half",
		"Energy/has no image of the last row",
		"Conjugate/forgets the last direction",
		"Conjugate/forgets the ratio",
		"Conjugate/takes the energy of what it began with",
		"Restrict/forgets the mask",
		"Prolong/overwrites",
		"ProlongCubic/interpolates linearly",
		"ProlongCubic/wraps at walls",
		"ProlongCubic/leaves what it replaces",
		"Inject/averages",
		"Descend/forgets the last sweep",
		"Ascend/smooths before the correction",
		"Ascend/measures what it began with",
		"Reduce/sums in float32",
		"HorizontalMean/rounds in float32",
		"AddHeights/takes the level below",
		"AxisMean/forgets the last node",
		"AxisMean/forgets the spread",
		"Accumulate/forgets what was before",
		"Accumulate/measures squares after the mean",
		"Halo/skips corners",
		"Mobility/extrapolates",
		"Mobility/forgets a corner",
		"Tabulate/takes one for the other",
		"CoarsenCells/averages harmonically across",
		"Coupling/looks beyond walls",
		"Conductance/takes x for y",
		"BuoyancySource/applies the mask",
		"DarcyFlux/writes wall faces",
		"DarcyFlux/adds a circulation",
		"NodeFlux/takes the gradient of the node's own faces",
		"NodeFlux/disperses alike in all directions",
		"WallFlux/turns the flow around",
		"WallThrough/lets the node's value in",
		"Advect/is not reproducible",
		"Advect/divides zero by zero",
		"FlowStatistics/writes a seventh slot",
		"AdvectMeasuredFlow/takes Q as it is",
		"Dispersivity/takes x for y",
		"Disperse/forgets the slopes across",
		"Disperse/leaves the slopes unlimited",
		"Disperse/takes edges for elements",
		"Disperse/holds nothing",
		"Transform/takes forth for back",
		"FastTransform/takes sines for cosines",
		"Modes/forgets the fixed end",
		"Modes/keeps the mean",
		"Modes/lies along z",
		"Errors/does not name the kernel",
		"Errors/runs on",
		"Errors/colours 27 points",
	}
}

// brokenDevice is a hostDevice with one defect.
type brokenDevice struct {
	*hostDevice
	defect   string
	calls    int
	factored bool
}

// shownBy narrows a pattern of tests to the cases that can show a defect, where many others would run before.
func shownBy(defect string) string {
	switch defect {
	case "Residual/forgets the scale", "Correct/forgets the correction", "Correct/forgets the ratio", "Correct/forgets the shift":
		return "/^float64$"
	case "LineSmooth/takes 27 points for 7":
		return "/^float32$/-27"
	}
	return ""
}

// The suite must find each defect, a short test looks for one in three.
func TestRunFindsDefects(t *testing.T) {
	drawn := Draw(t, 3)
	for _, defect := range defects() {
		if testing.Short() && !drawn() {
			continue
		}
		t.Run(defect, func(t *testing.T) {
			t.Parallel()
			kernel, _, _ := strings.Cut(defect, "/")
			child := exec.Command(os.Args[0], "-test.failfast", "-test.run=^TestRunOnBroken$/^"+kernel+"$"+shownBy(defect))
			child.Env = append(os.Environ(), "DEVICETEST_DEFECT="+defect, "TEST_EVERY=1") // the one case that shows it may not be drawn
			out, err := child.CombinedOutput()
			var failed *exec.ExitError
			if !errors.As(err, &failed) || !strings.Contains(string(out), "--- FAIL: TestRunOnBroken/"+kernel) {
				t.Errorf("the suite passed (error %v):\n%s", err, out)
			}
		})
	}
}

// TestRunOnBroken runs the suite on a broken device for TestRunFindsDefects.
func TestRunOnBroken(t *testing.T) {
	defect := os.Getenv("DEVICETEST_DEFECT")
	if defect == "" {
		t.Skip("run by TestRunFindsDefects")
	}
	Run(t, func() kernels.Device { return &brokenDevice{hostDevice: &hostDevice{}, defect: defect} })
}

// spoil changes the value of a node.
func spoil(b kernels.Buffer, box kernels.Box, n Node, change func(v float64) float64) {
	x := fieldOf(box, b)
	x.Set(n, change(x.At(n)))
}

func increment(v float64) float64 { return v + 1 }

func (d *brokenDevice) Upload(dst kernels.Buffer, src []float64) {
	if d.defect == "Upload/drops the last value" && len(src) > 0 {
		src = src[:len(src)-1]
	}
	d.hostDevice.Upload(dst, src)
}

func (d *brokenDevice) Apply(a kernels.ApplyArgs) {
	if d.defect == "Apply/takes 7 points for 27" {
		other := *a.A
		other.Stencil, a.A = kernels.SevenPoint, &other
	}
	d.hostDevice.Apply(a)
	switch d.defect {
	case "Apply/rounds to 13 bits":
		spoil(a.Y, a.A.Box, Node{1, 0, 1}, func(v float64) float64 { return v * (1 + 0x1p-12) })
	case "Apply/writes the halo":
		spoil(a.Y, a.A.Box, Node{-1, 0, 0}, increment)
	case "Errors/does not name the kernel":
		if d.err != nil {
			d.err = errors.New("host: invalid buffer")
		}
	case "Errors/runs on":
		d.err = nil
	}
}

func (d *brokenDevice) Residual(a kernels.ResidualArgs) {
	d.hostDevice.Residual(a)
	if d.defect == "Residual/modifies U" {
		spoil(a.U, a.A.Box, Node{}, increment)
	}
	if d.defect == "Residual/forgets the scale" && a.R.Elem() != a.U.Elem() {
		spoil(a.R, a.A.Box, Node{1, 0, 1}, func(v float64) float64 { return v / a.Scale })
	}
}

func (d *brokenDevice) Combine(a kernels.CombineArgs) {
	if d.defect == "Combine/forgets the ratio" {
		a.By = [4]kernels.Ratio{}
	}
	d.hostDevice.Combine(a)
	if d.defect == "Combine/adds in float32" && a.X[0] != nil && a.X[0].Elem() == kernels.Float32 {
		d.fillWith(a.Out, func(e int) float64 { return float64(float32(a.Out.(*hostBuffer).values[e])) })
	}
}

func (d *brokenDevice) Smooth(a kernels.SmoothArgs) {
	if d.defect == "Smooth/moves fixed nodes" {
		free := *a.A
		free.Mask, a.A = nil, &free
	}
	d.hostDevice.Smooth(a)
}

func (d *brokenDevice) RedBlack(a kernels.RedBlackArgs) {
	if d.defect == "Errors/colours 27 points" {
		other := *a.A
		other.Stencil, a.A = kernels.SevenPoint, &other
	}
	d.hostDevice.RedBlack(a)
	if d.defect == "RedBlack/relaxes both colours" {
		a.Colour = 1 - a.Colour
		d.hostDevice.RedBlack(a)
	}
}

func (d *brokenDevice) LineSmooth(a kernels.LineSmoothArgs) {
	switch d.defect {
	case "LineSmooth/forgets the way back":
		d.hostDevice.LineSmooth(a)
		d.hostDevice.Smooth(kernels.SmoothArgs{A: a.A, Out: a.Out, U: a.U, F: a.F, Omega: a.Omega})
		return
	case "LineSmooth/takes 27 points for 7":
		other := *a.A
		other.Stencil, a.A = kernels.SevenPoint, &other
	case "LineSmooth/cuts the periodic line":
		a.Periodic = false
	}
	d.hostDevice.LineSmooth(a)
}

func (d *brokenDevice) SolveCoarse(a kernels.SolveCoarseArgs) {
	d.hostDevice.SolveCoarse(a)
	if d.defect == "SolveCoarse/stops early" {
		spoil(a.U, a.A.Box, Node{1, 0, 1}, func(v float64) float64 { return v * (1 + 1e-4) })
	}
}

func (d *brokenDevice) SolveFactored(a kernels.SolveFactoredArgs) {
	d.hostDevice.SolveFactored(a)
	if d.defect == "SolveFactored/keeps nothing" && !a.Renew && a.Factors != nil || d.defect == "SolveFactored/keeps what has changed" && a.Renew && d.factored {
		spoil(a.U, a.A.Box, Node{1, 0, 1}, func(v float64) float64 { return v + 1e-4 })
	}
	d.factored = d.factored || a.Factors != nil
}

func (d *brokenDevice) Energy(a kernels.EnergyArgs) {
	if d.defect == "Energy/forgets the mass" {
		o := *a.A
		o.MassScale = 0
		a.A = &o
	}
	d.hostDevice.Energy(a)
	if d.defect == "Energy/takes half" {
		d.slots[a.Slot] /= 2
	}
	if b := a.A.Box; d.defect == "Energy/has no image of the last row" && a.Image != nil {
		clear(a.Image.(*hostBuffer).values[b.Origin+(b.N[1]-1)*b.Stride[1]+(b.N[2]-1)*b.Stride[2]:][:b.N[0]])
	}
}

func (d *brokenDevice) Restrict(a kernels.TransferArgs) {
	if d.defect == "Restrict/forgets the mask" {
		a.Mask = nil
	}
	d.hostDevice.Restrict(a)
}

func (d *brokenDevice) Descend(a kernels.CycleArgs) {
	if d.defect == "Descend/forgets the last sweep" && a.Sweeps > 1 {
		a.Sweeps--
	}
	d.hostDevice.Descend(a)
}

func (d *brokenDevice) Ascend(a kernels.CycleArgs) {
	if d.defect == "Ascend/smooths before the correction" && a.Sweeps > 0 {
		first := a
		first.CoarseX = &hostBuffer{a.CoarseX.Elem(), make([]float64, a.CoarseX.Len())}
		d.hostDevice.Ascend(first)
		a.U, a.Sweeps = a.Out, 0
	}
	d.hostDevice.Ascend(a)
	if d.defect == "Ascend/measures what it began with" && a.Measures {
		d.Reduce(kernels.ReduceArgs{Kind: kernels.Dot, Box: a.A.Box, X: a.F, Y: a.U, Slot: a.Slot})
	}
}

func (d *brokenDevice) Prolong(a kernels.TransferArgs) {
	if d.defect == "Prolong/overwrites" {
		d.Fill(kernels.FillArgs{X: a.FineX})
	}
	d.hostDevice.Prolong(a)
}

func (d *brokenDevice) ProlongCubic(a kernels.TransferArgs) {
	switch d.defect {
	case "ProlongCubic/interpolates linearly":
		coarse := &Grid{Box: a.Coarse, Periodic: a.Periodic}
		coarse.wrapHalo(fieldOf(a.Coarse, a.CoarseX))
		d.hostDevice.Prolong(a)
		return
	case "ProlongCubic/wraps at walls":
		a.Periodic[0] = true
	case "ProlongCubic/leaves what it replaces":
		a.Replaces = a.Mask == nil && a.Replaces
	}
	d.hostDevice.ProlongCubic(a)
}

func (d *brokenDevice) Inject(a kernels.TransferArgs) {
	if d.defect == "Inject/averages" {
		a.Mask = nil
		d.hostDevice.Restrict(a)
		return
	}
	d.hostDevice.Inject(a)
}

func (d *brokenDevice) Reduce(a kernels.ReduceArgs) {
	d.hostDevice.Reduce(a)
	if d.defect == "Reduce/sums in float32" {
		d.slots[a.Slot] = float64(float32(d.slots[a.Slot]))
	}
}

func (d *brokenDevice) HorizontalMean(a kernels.HorizontalMeanArgs) {
	d.hostDevice.HorizontalMean(a)
	if d.defect == "HorizontalMean/rounds in float32" {
		d.fillWith(a.Out, func(e int) float64 { return float64(float32(a.Out.(*hostBuffer).values[e]) * (1 + 0x1p-22)) })
	}
}

func (d *brokenDevice) AddHeights(a kernels.AddHeightsArgs) {
	if d.defect == "AddHeights/takes the level below" {
		values := a.Column.(*hostBuffer).values
		a.Column = &hostBuffer{a.Column.Elem(), append([]float64{values[0]}, values[:len(values)-1]...)}
	}
	d.hostDevice.AddHeights(a)
}

func (d *brokenDevice) AxisMean(a kernels.AxisMeanArgs) {
	switch d.defect {
	case "AxisMean/forgets the last node":
		part := append([]float64{}, a.Part.(*hostBuffer).values...)
		part[a.Nodes-1] = 0
		a.Part = &hostBuffer{a.Part.Elem(), part}
	case "AxisMean/forgets the spread":
		a.Spread = nil
	}
	d.hostDevice.AxisMean(a)
}

func (d *brokenDevice) Accumulate(a kernels.AccumulateArgs) {
	switch d.defect {
	case "Accumulate/forgets what was before":
		d.Copy(kernels.CopyArgs{Dst: a.Before, Src: a.X})
	case "Accumulate/measures squares after the mean":
		a.Rest *= (1 - a.Part) * (1 - a.Part)
	}
	d.hostDevice.Accumulate(a)
}

func (d *brokenDevice) Halo(a kernels.HaloArgs) {
	if d.defect != "Halo/skips corners" {
		d.hostDevice.Halo(a)
		return
	}
	x := fieldOf(a.Box, a.X)
	corner := x.At(Node{-1, -1, -1})
	d.hostDevice.Halo(a)
	x.Set(Node{-1, -1, -1}, corner)
}
