package kernels

//kernel:family Vectors are operations on whole buffers and reductions over nodes.

// FillArgs sets every element of X, halo and padding included, to Value.
type FillArgs struct {
	X     Buffer
	Value float64
}

// CopyArgs copies all elements of Src to Dst, converting between float32 and float64.
type CopyArgs struct{ Dst, Src Buffer }

// CombineArgs computes Out = C[0] X[0] + C[1] X[1] + C[2] X[2] + C[3] X[3] over whole buffers, halo included.
// A nil X[n] is skipped. Out may be one of the X. Terms are added in index order. Out and the X may be float32 and
// float64 in any mixture: where they are not all of one type, the sum is made in float64 and rounded once. A RatioTaker multiplies C[n] by By[n].
type CombineArgs struct {
	Out Buffer
	C   [4]float64
	X   [4]Buffer
	By  [4]Ratio
}

// HaloArgs fills Width halo layers (at most HaloWidth) of X along the axes that are periodic, x first, then y,
// then z, each over the halo of the axes before, so that edges and corners are right. Indices wrap modulo N, so a
// halo wider than the axis repeats it.
//
//kernel:struct Halo Periodic=- Width=-
//kernel:check
//kernel:ranks byhand
type HaloArgs struct {
	Box      Box
	X        Buffer  `kernel:"update,uncounted"`
	Periodic [3]bool `sample:"[3]bool{true, true, true}"`
	Width    int     `sample:"1"`
}

// SetWallArgs sets the nodes of one side where Where is not zero: X_n = Value_n. Both are wall arrays. With Face,
// X holds the face velocities of the side's axis and its wall faces are set: those at node -1 of a low side.
//
//kernel:cpu lines
//kernel:cuda lines
//kernel:check
type SetWallArgs struct {
	Box          Box
	X            Buffer `kernel:"update,uncounted"`
	Side         Side   `sample:"kernels.Top"`
	Face         bool
	Where, Value Buffer `kernel:"side=Side"`
}

// Reduction selects what Reduce computes over the nodes of a box.
type Reduction uint8

// Reductions. V is the dual volume.
const (
	Dot       Reduction = iota // Σ X Y
	VolumeSum                  // Σ V X
	VolumeDot                  // Σ V X Y
	MaxAbs                     // max |X - Value|
	MaxDiff                    // max |X - Y|
	Sum                        // Σ X
	Finite                     // number of values of X that are NaN or infinite
)

// ReduceArgs reduces to slot Slot, in float64 and in the fixed tree. W are the dual widths of the axes (axis
// arrays, see Elliptic), used by VolumeSum and VolumeDot only; Value, rounded to X's type, by MaxAbs only. Mask, if set, drops fixed nodes.
type ReduceArgs struct {
	Kind  Reduction
	Box   Box
	X, Y  Buffer
	W     [3]Buffer
	Mask  *RowMask
	Value float64
	Slot  int
}

// RemoveMeanArgs removes the null space of an all-Neumann problem, in float64:
// for a solution (Integrated false) X -= Σ V X / Σ V; for integrated residuals X_n -= V_n Σ X / Σ V.
type RemoveMeanArgs struct {
	Box        Box
	X          Buffer
	W          [3]Buffer
	Integrated bool
}

// HorizontalMeanArgs computes Out[k] = Σ_ij wx wy X / Σ_ij wx wy for every z node of the box; Out has N[2]
// elements of X's type, and element k belongs to node k (no halo).
type HorizontalMeanArgs struct {
	Box Box
	X   Buffer
	W   [3]Buffer
	Out Buffer
}

// AddHeightsArgs adds to every node of X a number of its level, X_n = X_n + Column[k].
//
//kernel:cpu rows
//kernel:cuda nodes
type AddHeightsArgs struct {
	Box    Box
	X      Buffer `kernel:"update"`
	Column Buffer `kernel:"heights"`
}

// AxisMeanArgs takes means along the lines of nodes of an axis of From,
//
//	Out = Σ_i Part_i X_i,   Square = Σ_i Part_i ((X_i - Out)² + Spread_i),
//
// for every node of Box, which has one node along Axis and is From otherwise. Part has a number for each node of the axis. Square and Spread may be nil: nothing is
// written, nothing is added.
//
//kernel:cpu rows scratch=6
//kernel:cuda nodes
//kernel:check
//kernel:ranks byhand
type AxisMeanArgs struct {
	Box    Box    `sample:"5, 4, 1"`
	From   Box    `sample:"5, 4, 3"`
	Axis   int    `kernel:"axis" sample:"2"`
	Part   Buffer `kernel:"read,len=Nodes"`
	Nodes  int    `kernel:"least=1" sample:"3"`
	X      Buffer `kernel:"read,of=From"`
	Spread Buffer `kernel:"read,optional,of=From,byhand"`
	Out    Buffer `kernel:"write"`
	Square Buffer `kernel:"write,optional"`
}

// AccumulateArgs adds a step to a mean over time. X was Before at its start; where X is a mean over axes Spread is the mean squared deviation from it, and
// SpreadBefore was it:
//
//	d = (Before + X)/2 - Mean
//	Square = Square + Dt ((Before - X)²/4 + (SpreadBefore + Spread)/2) + Dt Rest d²,   Mean = Mean + Part d
//	Before = X,   SpreadBefore = Spread
//
// With Dt the length of the step, Part its part in the time with it, and Rest what is left of 1. Square may be nil; so may the spreads, both, which count as 0.
//
//kernel:cpu rows
//kernel:cuda nodes
//kernel:check
type AccumulateArgs struct {
	Box            Box
	X              Buffer `kernel:"read"`
	Before         Buffer `kernel:"update"`
	Mean           Buffer `kernel:"update"`
	Square         Buffer `kernel:"update,optional"`
	Spread         Buffer `kernel:"read,optional"`
	SpreadBefore   Buffer `kernel:"update,optional"`
	Dt, Part, Rest float64
}
