package call

// Structs of kernels on GPUs for grids of even widths.
type (
	// Even is cv_even_args: Descend and Ascend on a grid of even widths and constant K: c = k/h^2 along the axes, mass = s, volume that of an
	// inner node. fixed and coarse_fixed tell which sides are fixed. A block owns `rows` rows and `planes` planes, and nearly `columns` nodes
	// along x.
	Even struct {
		Fine, Coarse          Box
		Out                   Out
		U, F                  In
		CoarseX               Out
		C                     [3]float64
		Mass, Volume          float64
		Omega                 [2]float64
		Fixed, CoarseFixed    [6]int64
		Periodic              [3]int64
		Columns, Rows, Planes int64
	}

	// Trilinear is cv_trilinear_args: The same with trilinear elements: numbers of cycle_trilinear.cu in both types.
	Trilinear struct {
		Even          Even
		SingleNumbers [18]float32
		Numbers       [18]float64
	}

	// Spectral is cv_spectral_args: SolveCoarse on a grid of even widths and constant K, by fast diagonalization: c, mass and volume as in
	// cv_even_args, table[d] as spectral.cu tells. scratch holds a value a node, in rows of x padded to a multiple of 4, and one more. f loses
	// `mean` times its sum, if that is not zero. A block of spectral_forth and of spectral_along has `part` vectors along x, a multiple of 4, and
	// one of spectral_back `rows` rows. In spectral_folded.cu the scratch, the tables and the blocks are as told there, and `first` is the first
	// node of an axis that is not fixed.
	Spectral struct {
		Box          Box
		Points       int64
		U, F         Out
		C            [3]float64
		Mass, Volume float64
		Table        [3]In
		Periodic     [3]int64
		Mean         float64
		Scratch      Out
		Part         [2]int64
		Rows         int64
		First        [3]int64
	}

	// EvenSweep is cv_even_sweep_args: Apply, Residual, Smooth and RedBlack on a grid of even widths: the weights of differences, what A u and f are
	// multiplied by at each side and f everywhere, and the sides that are open, that is no walls: their halo is read. A plane has `groups` groups
	// of rows, each of `vectors` threads.
	EvenSweep struct {
		Box                              Box
		Out                              Out
		U, F, Cells                      In   // cells NULL: K is constant
		X, Y, Z, Mass, OwnMass           Real // own mass: beside a diagonal, of stencil_cells_even.cu
		OwnBeside, FarX, FarBeside, FarY Real
		Near, Far                        [3]Real // of stencil_cells_even.cu
		Balance, Source                  [6]Real
		SourceScale                      Real
		Open                             [6]int64
		Vectors, Groups                  int64
		Single                           int64 // a residual of double is written as float
		Colour                           int64 // of a sweep in place, over nodes with an odd sum of indices and it; 0: over all
	}

	// Correct is cv_correct_args: Correct on such a grid: u of the sweep is the first guess, its out the residual. partial holds five sums a block.
	// Energy has it too, with X for u and one sum. On other grids `of` is the sweep.
	Correct struct {
		Of           Sweep
		Sweep        EvenSweep
		E            SingleIn
		Corrected    Out
		Scale, Shift float64
		Volume       float64  // of an inner node
		By           Quotient // of the scale
		Partial      Sums
	}

	// Conjugate is cv_conjugate_args: Conjugate on such a grid: u of the sweep is X. On other grids `of` is the sweep.
	Conjugate struct {
		Of      Sweep
		Sweep   EvenSweep
		P       In
		Out     Out
		Scale   float64
		By      Quotient
		Partial Sums
	}

	// ConserveStrips is cv_conserve_strips_args: ConserveMeasured on such a grid with K on cells: the sweep has neither u nor out nor fixed sides, a correction is
	// U over the scale, and a residual over the mass of an inner node and the part of it that a node has is what it adds.
	ConserveStrips struct {
		Sweep   EvenSweep
		E       SingleIn
		X       In
		Out, R  Out
		Scale   float64
		PerMass Real
		Fixed   [6]int64
		Partial Sums
	}

	// FacesPass is cv_faces_pass_args: A pass of cycle_faces.cu: omega of two sweeps, and by what masses are multiplied. A block has so many
	// threads a row, and so many rows and planes of its own.
	FacesPass struct {
		Fine, Coarse        Box
		Out                 Out
		U, F                In
		Faces               [3]In
		W                   [3]In // of dual volumes, where Masses is 0
		Masses              In    // of nodes
		CoarseX             Out
		First, Second, Mass Real
		Fixed, CoarseFixed  [6]int64
		Periodic            [3]int64 // x and y
		Lanes, Rows, Planes int64
		Partial             Sums // of f out, or NULL
	}

	// ClosedTrilinear is cv_closed_trilinear_args: The same as cv_closed_args with trilinear elements and even widths
	// (closed_trilinear.cuh), along x and y: Q over 36 averaged differences of p, 36 r h / k, and the weight of neighbours beside a difference of
	// theta that has the weight 1; h_z Ra/2 times 1, a_x, a_y and b. lost: what the square of a difference of T along x, y, z, x and y, x and z, y
	// and z, and all three loses over the dual widths of the other axes (h where there is a difference).
	ClosedTrilinear struct {
		Closed               Closed
		Across, Turn, Beside [2]Real
		Lift                 [4]Real
		Lost                 [7]Real
		Q                    [3]Out // of DarcyFlux
	}
)
