package mueller_test

import (
	"reflect"

	"convect/kernels"
	"convect/kernels/devicetest"
	"convect/lab/mueller"
)

// columnSamples returns a call of every kernel.
func columnSamples() []devicetest.GuestSample {
	panel := mueller.NewPanel([3]int{6, 4, 5}, mueller.RowOrder)
	coarse := coarsened(panel, [2]int{2, 2})
	operator := func(b *bench) *mueller.ColumnOperator { return b.columnOperator(panel).Upload(&b.Memory) }
	x := func(b *bench) kernels.Buffer { return b.panel(b.onPanel(panel)).Buffer }
	small := func(b *bench) kernels.Buffer { return b.panel(b.onPanel(coarse)).Buffer }
	with := func(paths ...string) []string {
		return append(paths, "A.Mass", "A.Vertical", "A.Horizontal", "A.Area", "A.EdgeX", "A.EdgeY")
	}
	stored := func(b *bench) mueller.ColumnMatrixArgs {
		a := mueller.ColumnMatrixArgs{A: operator(b)}
		a.Matrix, a.Tridiagonal = b.matrix(panel)
		b.columns().ColumnMatrix(a)
		return a
	}
	var all []devicetest.GuestSample
	for _, s := range []sample{
		{"ColumnApply", with("Y", "X"), 0, func(b *bench) any { return mueller.ColumnApplyArgs{A: operator(b), Y: x(b), X: x(b)} }},
		{"ColumnSolve", with("Z", "R"), 0, func(b *bench) any { return mueller.ColumnSolveArgs{A: operator(b), Z: x(b), R: x(b)} }},
		{"ColumnSearch", with("U", "P", "Q", "Z"), 1, func(b *bench) any {
			return mueller.ColumnSearchArgs{A: operator(b), U: x(b), P: x(b), Q: x(b), Z: x(b), Alpha: 1, Beta: 1}
		}},
		{"ColumnDescend", with("R", "Q", "Z"), 2, func(b *bench) any {
			return mueller.ColumnDescendArgs{A: operator(b), R: x(b), Q: x(b), Z: x(b), Alpha: 1}
		}},
		{"ColumnDot", []string{"X", "Y"}, 1, func(b *bench) any { return mueller.ColumnDotArgs{X: x(b), Y: x(b)} }},
		{"ColumnSmooth", with("Out", "U", "F"), 0, func(b *bench) any {
			return mueller.ColumnSmoothArgs{A: operator(b), Out: x(b), U: x(b), F: x(b), Omega: 1}
		}},
		{"ColumnCorrect", with("U", "R", "Z"), 1, func(b *bench) any {
			return mueller.ColumnCorrectArgs{A: operator(b), U: x(b), R: x(b), Z: x(b)}
		}},
		{"ColumnRestrict", with("U", "F", "CoarseF"), 0, func(b *bench) any {
			return mueller.ColumnRestrictArgs{A: operator(b), U: x(b), F: x(b), Coarse: coarse, CoarseF: small(b), Factor: [2]int{2, 2}}
		}},
		{"ColumnProlong", []string{"U", "CoarseU"}, 0, func(b *bench) any {
			return mueller.ColumnProlongArgs{Fine: panel, Coarse: coarse, U: x(b), CoarseU: small(b), Factor: [2]int{2, 2}}
		}},
		{"ColumnMatrix", with("Matrix.RowStart", "Matrix.Column", "Matrix.Value", "Tridiagonal.Lower", "Tridiagonal.Diagonal",
			"Tridiagonal.Upper"), 0, func(b *bench) any { return stored(b) }},
		{"MatrixApply", []string{"Y", "X", "Matrix.RowStart", "Matrix.Column", "Matrix.Value"}, 0, func(b *bench) any {
			return mueller.MatrixApplyArgs{Matrix: stored(b).Matrix, Panel: panel, Y: x(b), X: x(b)}
		}},
		{"MatrixSolve", []string{"Z", "R", "M.Lower", "M.Diagonal", "M.Upper"}, 0, func(b *bench) any {
			return mueller.MatrixSolveArgs{M: stored(b).Tridiagonal, Z: x(b), R: x(b)}
		}},
	} {
		all = append(all, devicetest.GuestSample{Kernel: s.kernel, Paths: s.paths, Slots: s.slots,
			Args: func(b *devicetest.Bench) any { return s.args(&bench{b}) },
			Call: func(d kernels.Device, args any) {
				k, _ := mueller.On(d)
				reflect.ValueOf(k).MethodByName(s.kernel).Call([]reflect.Value{reflect.ValueOf(args)})
			}})
	}
	return all
}

// sample is a valid call of a kernel, the paths of its buffers, and the number of its slots.
type sample struct {
	kernel string
	paths  []string
	slots  int
	args   func(b *bench) any
}
