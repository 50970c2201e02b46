package call

// The structs that a kernel of C or CUDA gets. Each names its struct in C, which is written from it with the offsets of both: see
// kernels/internal/generate. Members that only some backend needs are left zero by the others.
type (
	// Box is cv_box: Pointers to fields point at node (0,0,0), pointers to axis arrays at node 0, halo before and after.
	Box struct {
		N      [3]int64 // nodes along x, y, z
		Sy, Sz int64    // strides in elements; sy is 0 where y is absent
		Own    [2]int64 // rows of y that sums and maxima of a GPU count: the first, and the one after the last
	}

	// Quotient is cv_quotient: Slots of a GPU; NULL: it is 1.
	Quotient struct{ Of, Over Sums }

	// Mask is cv_mask.
	Mask struct {
		Index  Ints // table entry of row j + k*n[1]; NULL: all nodes are free
		Table  In
		Stride int64
	}

	// Elliptic is cv_elliptic.
	Elliptic struct {
		Box       Box
		Points    int64 // of the stencil: 7 or 27
		H, RH, W  [3]In
		K         [3]float64
		Cells     [3]In // all NULL: the constants k
		Faces     [3]In // what Conductance makes of cells; all NULL: not kept
		MassScale float64
		Mass      In // NULL: the dual volume
		Mask      Mask
	}

	// Sweep is cv_sweep_args: Apply (out, u), Residual, Smooth (u NULL: zero), RedBlack (out is u), MassUpdate (f is R).
	Sweep struct {
		A      Elliptic
		Out    Out
		U, F   In
		Omega  float64
		Colour int64
		Strip  int64 // rows of y visited together
		Stream int64 // streaming stores
		Single int64 // Residual: out is float, of residuals times scale
		Scale  float64
	}

	// Line is cv_line_args: LineSmooth: a sweep over columns of nodes, `tile` of them at a time.
	Line struct {
		Sweep    Sweep
		Periodic int64 // in z
		Tile     int64
		Scratch  Out // GPU: two values a node, three if periodic
	}

	// Coarse is cv_coarse_args.
	Coarse struct {
		A         Elliptic
		U         Out
		F         In
		Singular  int64
		Periodic  [3]int64
		Tolerance float64
		Scratch   Out // GPU
		Along     int64
		Factored  int64
		Renew     int64
		Planes    Out // GPU: the factors at work, or NULL: in shared memory
		Kept      Out // GPU: those that are kept, or NULL
		Inverse   Out // GPU: that of the matrix, or NULL
	}

	// Transfer is cv_transfer_args.
	Transfer struct {
		Fine, Coarse   Box
		Factor         [3]int64
		FineX, CoarseX Out
		Mask           Mask
		Periodic       [3]int64
		First, Count   int64 // rows of y of the target
		Replaces       int64
	}

	// Cycle is cv_cycle_args: Descend (coarse_x is the coarse right side) and Ascend (coarse_x is the coarse correction, u is read).
	Cycle struct {
		A             Elliptic
		Out           Out
		U, F          In
		Omega         [4]float64
		Sweeps        int64
		Periodic      [3]int64
		Coarse        Box
		Factor        [3]int64
		CoarseX       Out
		CoarseMask    Mask
		Strips, Slabs int64 // tiles in y and in z
		Stream        int64
	}

	// Vector is cv_vector_args: Fill, Copy and Combine, on blocks of cv_block elements.
	Vector struct {
		Len       int64
		Out       Out
		X         [4]In
		C         [4]float64
		Terms     int64
		Stream    int64
		Single    [4]int64
		SingleOut int64 // of cv_combine: which arrays are float, not double
		By        [4]Quotient
	}

	// Halo is cv_halo_args.
	Halo struct {
		Box   Box
		X     Out
		Width [3]int64 // layers to fill per axis
	}

	// Reduce is cv_reduce_args: The values of kernels.Reduction, and the sum of w_x w_y (X - X_0) for HorizontalMean.
	Reduce struct {
		Box     Box
		Kind    int64
		X, Y    In
		W       [3]In
		Mask    Mask
		Partial Sums
		Slot    Sums // GPU: of the result; NULL: partial results are all
		Counter Counter
		Value   float64 // of cv_max_abs
	}

	// Shift is cv_shift_args.
	Shift struct {
		Box        Box
		X          Out
		W          [3]In
		Shift      float64 // subtracted from X, times the dual volume if integrated
		Integrated int64
	}

	// Pack is cv_pack_args: Of device backends. Packing: the nodes of a field to an array without halo, of float if single, else double, or where it is unpacked from there.
	Pack struct {
		Box            Box
		Field, Packed  Out
		Single, Unpack int64
	}

	// Gather is cv_gather_args: Block b adds n partial results from n b on into the slot b after the first, or takes their maximum, or the root of
	// it: where bit b of `maximum` or of `root` is set.
	Gather struct {
		Partial, Slot    Sums
		N, Maximum, Root int64
		Add              int64 // bits, as of the others: what the slots hold counts too
	}

	// Report is cv_report_args: `n` slots from the first on are written to memory of the host, and when they are there a number behind them, which the host waits for.
	Report struct {
		Slot, To Sums
		N        int64
		Counter  Counter
		Number   int64
	}

	// Mean is cv_mean_args: RemoveMean and HorizontalMean: `parts` partial results of a box, or of each plane, the mean of the box, those of the
	// planes.
	Mean struct {
		Box        Box
		X          Out
		W          [3]In
		Integrated int64
		Partial    Sums
		Parts      int64
		Mean       Sums
		Out        Out
		Base       In    // what a plane's values are counted from; NULL: the first value of each plane
		Sums       int64 // whether the mean of each plane is to be its sum
	}

	// ModesCut is cv_modes_cut_args: Of a GPU that has some of the nodes of each system. What it has found, `count` numbers, and what all `ranks` have, one after
	// the other; low: the first node of all is fixed; least: as in kernels.Cut.
	ModesCut struct {
		Modes Modes
		Own   Out
		All   In
		Count int64
		Rank  int64
		Ranks int64
		Low   int64
		Least [6]float64
	}

	// Block is cv_block_args: Of device backends. A block of n elements along x, y and z, from one array to another, each with strides of its own.
	Block struct {
		To     Out
		From   In
		N      [3]int64
		ToSy   int64
		ToSz   int64
		FromSy int64
		FromSz int64
	}

	// Copies is cv_copies_args: Of device backends. Blocks of words of 4 bytes that a GPU copies at a time; where a bit of wide is set n counts four words along x. ends counts
	// elements of a block and of all before it. Where GPUs meet, size is how many they are, own is the number of this one, flags are its own and others those of each, itself
	// among them. The blocks are then messages to each of the others, and what stays, with so many elements and parts of each and of all before it; and in so many parts
	// comes what it takes from each. The host counts seconds at `clock`.
	Copies struct {
		Blocks   [36]Block
		Ends     [36]int64
		Count    int64
		Wide     int64
		Size     int64 // 0: none meet
		Own      int64
		Elements [16]int64
		Parts    [16]int64
		Takes    [16]int64
		Flags    Counter
		Others   [16]Counter
		Clock    Counter
	}
)
