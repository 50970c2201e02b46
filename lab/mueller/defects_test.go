package mueller_test

import (
	"testing"

	"convect/kernels"
	"convect/kernels/cpu"
	"convect/lab/labtest"
	"convect/lab/mueller"
)

// broken is a device with one defect, or none.
type broken struct {
	mueller.Device
	defect string
}

// spoil changes elements of a buffer.
func (d broken) spoil(b kernels.Buffer, change func(v []float64)) {
	v := make([]float64, b.Len())
	if d.Download(v, b) == nil {
		change(v)
		d.Upload(b, v)
	}
}

func (d broken) ColumnApply(a mueller.ColumnApplyArgs) {
	d.Device.ColumnApply(a)
	if d.defect == "ColumnApply/writes padding" {
		d.spoil(a.Y, func(v []float64) { v[len(v)-1] = 1 })
	}
}

func (d broken) ColumnSolve(a mueller.ColumnSolveArgs) {
	d.Device.ColumnSolve(a)
	if d.defect == "ColumnSolve/rounds to 10 bits" {
		d.spoil(a.Z, func(v []float64) { v[a.A.Panel.Origin] *= 1 + 0x1p-9 })
	}
}

func (d broken) ColumnSearch(a mueller.ColumnSearchArgs) {
	if d.defect == "ColumnSearch/forgets U" {
		a.Alpha = 0
	}
	d.Device.ColumnSearch(a)
}

func (d broken) ColumnDescend(a mueller.ColumnDescendArgs) {
	d.Device.ColumnDescend(a)
	if slots, err := d.Scalars(); err == nil && d.defect == "ColumnDescend/swaps its sums" {
		slots[a.Slot], slots[a.Slot+1] = slots[a.Slot+1], slots[a.Slot]
	}
}

func (d broken) ColumnCorrect(a mueller.ColumnCorrectArgs) {
	d.Device.ColumnCorrect(a)
	if d.defect == "ColumnCorrect/adds to the residual" {
		d.spoil(a.R, func(v []float64) { v[a.A.Panel.Origin]++ })
	}
}

func (d broken) ColumnRestrict(a mueller.ColumnRestrictArgs) {
	d.Device.ColumnRestrict(a)
	if d.defect == "ColumnRestrict/averages" {
		d.Combine(kernels.CombineArgs{Out: a.CoarseF, C: [4]float64{0.5}, X: [4]kernels.Buffer{a.CoarseF}})
	}
}

func (d broken) ColumnMatrix(a mueller.ColumnMatrixArgs) {
	d.Device.ColumnMatrix(a)
	if d.defect == "ColumnMatrix/loses the last row" && d.Sync() == nil {
		p := a.A.Panel
		d.spoil(a.Tridiagonal.Diagonal, func(v []float64) { v[p.Index(p.N[0]-1, p.N[1]-1, p.N[2]-1)] = 0 })
	}
}

func TestSuiteFindsDefects(t *testing.T) {
	labtest.FindsDefects(t, guest(), []string{
		"ColumnApply/writes padding",
		"ColumnSolve/rounds to 10 bits",
		"ColumnSearch/forgets U",
		"ColumnDescend/swaps its sums",
		"ColumnCorrect/adds to the residual",
		"ColumnRestrict/averages",
		"ColumnMatrix/loses the last row",
	}, func(d *cpu.Device, defect string) kernels.Device { return broken{on(t, d), defect} })
}
