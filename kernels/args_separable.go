package kernels

//kernel:family Separables solve operators that are sums of products of matrices along the axes.

// Folding tells how a matrix of TransformArgs is stored. Where both ends of an axis are alike its vectors are their own mirror images, or those with the other
// sign: even ones and odd ones. A matrix that is folded has only the first half of each, and what it is multiplied by is added to its mirror image, or
// what comes out is, so that there are half as many products.
type Folding uint8

// Foldings. Of N nodes half, (N+1)/2, is rounded up; as many vectors come first and are even, and N/2 odd ones follow.
const (
	Whole     Folding = iota // N rows of N results
	FoldForth                // from nodes to vectors: for the sums of a node and its mirror image half rows, for the differences as many, each of half results
	FoldBack                 // from vectors to nodes: likewise
)

// TransformRows returns the rows of a matrix of n results, or of half of them, and their pitch: the elements of a matrix are rows times pitch, twice as many if
// it is folded. What pads it is zero.
func TransformRows(n int, f Folding) (rows, pitch int) {
	if f != Whole {
		n = (n + 1) / 2
	}
	return (n + 15) / 16 * 16, (n + 31) / 32 * 32
}

// TransformArgs multiplies the lines of nodes along Axis, X or Y, by a matrix of N results, N being the nodes along the axis:
//
//	Whole      Out_m = Σ_i M(i, m) In_i
//	FoldForth  Out_m = Σ_i E(i, m) (In_i + In_(N-1-i)),   Out_(half+m) = Σ_i O(i, m) (In_i - In_(N-1-i)),   i < half
//	FoldBack   Out_i = e + o,   Out_(N-1-i) = e - o,   e = Σ_m E(m, i) In_m,   o = Σ_m O(m, i) In_(half+m)
//
// The node in the middle is its own mirror image and counts once. Matrix holds M, or E and then O, in rows (see TransformRows); Entries are its elements. Out
// must not be In.
//
//kernel:check
//kernel:ranks byhand
type TransformArgs struct {
	Box     Box
	Axis    int `kernel:"axis" sample:"0"`
	Folding Folding
	Matrix  Buffer `kernel:"read,len=Entries"`
	Entries int    `kernel:"least=1" sample:"1024"`
	Out     Buffer `kernel:"write"`
	In      Buffer `kernel:"read"`
}

// Waves tells which sines or cosines the vectors of an axis of equal widths are, of N nodes and N-1 cells, or with periodic ends N cells. Vector m is, at node i,
//
//	Cosines       cos(π m i/(N-1)), m = 0 ... N-1         free ends
//	Sines         sin(π m i/(N-1)), m = 1 ... N-2         fixed ends
//	FixedHigh     cos(π (2m+1) i/(2N-2)), m = 0 ... N-2   the last node is fixed
//	FixedLow      sin(π (2m+1) i/(2N-2)), m = 0 ... N-2   the first one is
//	PeriodicWaves cos(π m (2i+1)/N), 2m < N, and sin(π m (2i+1)/N), 0 < 2m <= N
//
// each times a number of its own. They are stored as those of TransformArgs: one after the other with FixedHigh and FixedLow; else those that are even first, which are
// cosines of even and sines of odd m, but cosines with periodic ends, and then the odd ones, in the order of m. Where that is fewer vectors than nodes, or than there is room for
// even ones or odd ones, those that follow are zero.
type Waves uint8

// Kinds of waves; of the zero value there is no fast transform.
const (
	NoWaves Waves = iota
	Cosines
	Sines
	FixedHigh
	FixedLow
	PeriodicWaves
)

// Period returns the number of points of the Fourier transform by which lines of n nodes are transformed, and how many parts of one of them a turn has in the table of
// FastTransformArgs.
func (w Waves) Period(n int) (points, parts int) {
	switch w {
	case Cosines, Sines:
		return 2 * (n - 1), 1
	case FixedHigh, FixedLow:
		return 2 * (n - 1), 2
	}
	return n, 2
}

// WavesEntries returns the number of elements of the table of FastTransformArgs.
func WavesEntries(n int, w Waves) int {
	points, parts := w.Period(n)
	return 2*points*parts + n
}

// FastTransformArgs does what TransformArgs does, with waves for vectors, by fast Fourier transforms: without Back from nodes to vectors, Out_s = c_s Σ_i v_s(i) In_i,
// with it from vectors to nodes, Out_i = Σ_s c_s v_s(i) In_s. Table has the cosine and the sine of all turns t/(points parts) of Waves.Period, t = 0, 1, ..., one after the
// other, and then c of each vector, in their order. Values at fixed nodes do not count, and they get zero. Two lines that are neighbours are transformed as the
// parts of complex numbers: the rounding of either is that of the larger. A device is also asked of lines without Out, which are of float32. Axis may be Z too.
//
//kernel:optional FastTransformer TransformsFast(FastTransformArgs) cuda
//kernel:also Radices Pairs
//kernel:check
//kernel:ranks byhand
type FastTransformArgs struct {
	Box     Box
	Axis    int   `kernel:"axis" sample:"0"`
	Waves   Waves `sample:"kernels.Cosines"`
	Back    bool
	Table   Buffer `kernel:"read,len=Entries"`
	Entries int    `kernel:"least=1" sample:"512"`
	Out     Buffer `kernel:"write"`
	In      Buffer `kernel:"read"`
}

// Numbers of a node of z in the table of ModesArgs.
const (
	ModesFirst    = iota // what λ is multiplied by
	ModesSecond          // and μ
	ModesVolume          // what Mass is multiplied by
	ModesTie             // what is added to that
	ModesUp              // the coupling to the node above
	ModesUpFirst         // less λ times this
	ModesUpSecond        // and μ times this
	ModesHeights
)

// ModesEntries returns the number of elements of the table of ModesArgs, of so many nodes along x, beside it and along the systems.
func ModesEntries(n [3]int) int { return 2*n[X] + 2*n[Y] + ModesHeights*n[Z] }

// ModesArgs solves in place a tridiagonal system along z for each i and j, by elimination from below:
//
//	d_k x_k + g_(k-1) (x_k - x_(k-1)) + g_k (x_k - x_(k+1)) = X_k,
//	d_k = λ_i h0_k + μ_j h1_k + ρ_i σ_j (Mass h2_k + h3_k),   g_k = h4_k - λ_i h5_k - μ_j h6_k.
//
// Table holds λ and ρ for each i, μ and σ for each j, and h0 to h6 for each k, array after array. The system may be as
// near to singular as its d are small: there is no difference in its elimination where all g are positive. Low and High tell of fixed nodes at the ends, where x is
// 0. Singular: d of i = j = 0 is 0, and nothing is fixed: there X loses its mean, weighted by h2, and so does x.
// Work is room. Turned, the systems lie along y, and y and z change places in all that was said: μ and σ are of each k, and h0 to h6 of each j.
//
//kernel:also Kept Held Rows First
//kernel:check
//kernel:ranks byhand
type ModesArgs struct {
	Box       Box
	X         Buffer  `kernel:"update"`
	Work      Buffer  `kernel:"write,lost"`
	Table     Buffer  `kernel:"read,len=Entries"`
	Entries   int     `kernel:"least=1" sample:"512"`
	Mass      float64 `sample:"1"`
	Low, High bool
	Singular  bool
	Turned    bool
}

// Turn returns three numbers of x, y and z in the order of x, what lies beside it, and the systems.
func (a *ModesArgs) Turn(n [3]int) [3]int {
	if a.Turned {
		n[Y], n[Z] = n[Z], n[Y]
	}
	return n
}
