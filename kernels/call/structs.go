package call

// The twins of the structs of args.h: same members, same order, 8 bytes each. Addresses are those of the backend.
type (
	// Box is cv_box.
	Box struct {
		N      [3]int64
		Sy, Sz int64
	}

	// Mask is cv_mask.
	Mask struct {
		Index, Table uintptr
		Stride       int64
	}

	// Elliptic is cv_elliptic.
	Elliptic struct {
		Box       Box
		Points    int64
		H, RH, W  [3]uintptr
		K         [3]float64
		Cells     [3]uintptr
		MassScale float64
		Mass      uintptr
		Mask      Mask
	}

	// Sweep is cv_sweep_args.
	Sweep struct {
		A             Elliptic
		Out, U, F     uintptr
		Omega         float64
		Colour        int64
		Strip, Stream int64
		Single        int64
		Scale         float64
	}

	// Line is cv_line_args.
	Line struct {
		Sweep    Sweep
		Periodic int64
		Tile     int64
		Scratch  uintptr
	}

	// BlockSmooth is cv_smooth_args.
	BlockSmooth struct {
		Sweep    Sweep
		Omega    [32]float64
		Sweeps   int64
		Tile     [2]int64
		Margin   int64
		Periodic [3]int64
		Scratch  uintptr
	}

	// Coarse is cv_coarse_args.
	Coarse struct {
		A         Elliptic
		U, F      uintptr
		Singular  int64
		Periodic  [3]int64
		Tolerance float64
		Scratch   uintptr
	}

	// Transfer is cv_transfer_args.
	Transfer struct {
		Fine, Coarse   Box
		Factor         [3]int64
		FineX, CoarseX uintptr
		Mask           Mask
		Periodic       [3]int64
	}

	// Cells is cv_cells_args.
	Cells struct {
		Box, Fine              Box
		Cells, Factor          [3]int64
		Axis, Arithmetic       int64
		H                      [3]uintptr
		T, K, Table            uintptr
		Constant, Low, PerUnit float64
		Entries                int64
		Out                    uintptr
		Partial                uintptr
	}

	// Cycle is cv_cycle_args.
	Cycle struct {
		A             Elliptic
		Out, U, F     uintptr
		Omega         [4]float64
		Sweeps        int64
		Periodic      [3]int64
		Coarse        Box
		Factor        [3]int64
		CoarseX       uintptr
		CoarseMask    Mask
		Strips, Slabs int64
		Stream        int64
	}

	// Vector is cv_vector_args.
	Vector struct {
		Len       int64
		Out       uintptr
		X         [4]uintptr
		C         [4]float64
		Terms     int64
		Stream    int64
		Single    [4]int64
		SingleOut int64
	}

	// Halo is cv_halo_args.
	Halo struct {
		Box   Box
		X     uintptr
		Width [3]int64
	}

	// Wall is cv_wall_args.
	Wall struct {
		Box          Box
		X            uintptr
		Side         int64
		Where, Value uintptr
		Partial      uintptr
	}

	// Reduce is cv_reduce_args.
	Reduce struct {
		Box     Box
		Kind    int64
		X, Y    uintptr
		W       [3]uintptr
		Mask    Mask
		Partial uintptr
		Slot    uintptr
		Counter uintptr
		Value   float64
	}

	// Shift is cv_shift_args.
	Shift struct {
		Box        Box
		X          uintptr
		W          [3]uintptr
		Shift      float64
		Integrated int64
	}

	// Darcy is cv_darcy_args.
	Darcy struct {
		A            Elliptic
		P, T, Mean   uintptr
		Rayleigh     float64
		Q            [3]uintptr
		Periodic     [3]int64
		F            uintptr
		Axis, Scheme int64
		Partial      uintptr
		Stream       int64
	}

	// WallFlux is cv_wallflux_args.
	WallFlux struct {
		Box   Box
		W, Q  [3]uintptr
		Share [6]uintptr
	}

	// Flow is cv_flow_args.
	Flow struct {
		Box           Box
		W, Q          [3]uintptr
		T             uintptr
		Inflow        [6]uintptr
		Periodic      [3]int64
		Scheme, Axis  int64
		Out           uintptr
		Partial       uintptr
		Rows          int64
		Strip, Stream int64
		Centre        [3]int64
		Part          [3]float64
	}

	// Survey is cv_survey_args.
	Survey struct {
		Flow  Flow
		H, RH [3]uintptr
		K     [3]float64
		Axis  int64
	}

	// Closed is cv_closed_args.
	Closed struct {
		Survey       Survey
		P, Mean      uintptr
		Rayleigh     float64
		Conductivity [3]float64
	}

	// Step is cv_step_args.
	Step struct {
		A                                     Elliptic
		T, TPrev, TOlder, N, NPrev, Source, U uintptr
		G, F, R                               uintptr
		Single, E                             uintptr
		Omega, Bend, A0, A2, E1, E2           float64
		Scale                                 float64
		Partial                               uintptr
		Fixed                                 [6]int64
	}

	// Panel is cv_panel.
	Panel struct {
		N, Stride       [3]int64
		Run, Row, Order int64
	}

	// Columns is cv_columns.
	Columns struct {
		Panel                      Panel
		Mass, Vertical, Horizontal uintptr
		Area, EdgeX, EdgeY         uintptr
	}

	// Column is cv_column_args.
	Column struct {
		A                            Columns
		Coarse                       Panel
		Factor                       [2]int64
		Out, P, Q, R                 uintptr
		U, Z, F                      uintptr
		Stored                       [3]uintptr
		Start, Column                uintptr
		Alpha, Beta, Omega           float64
		Partial                      uintptr
		Length, Width, Strip, Stream int64
	}

	// Laplace is cv_laplace_args.
	Laplace struct {
		Box          Box
		Out, U, Work uintptr
		Tile         [3]int64
		Stream       int64
	}

	// Poisson is cv_poisson_args.
	Poisson struct {
		Box                  Box
		Out, U, F            uintptr
		Layout, Tile, Blocks int64
	}

	// Hierarchical is cv_hierarchical_args.
	Hierarchical struct {
		Box                     Box
		Out, U, F, Scratch      uintptr
		Lines                   int64
		Tile, Room, Blocks      [2]int64
		Overlap, Sweeps, Stream int64
	}

	// Cube is cv_cube_args.
	Cube struct {
		Box                     Box
		Out, U, F, Scratch      uintptr
		Tile, Room, Blocks      [3]int64
		Overlap, Sweeps, Stream int64
	}

	// Pack is cv_pack_args.
	Pack struct {
		Box           Box
		Field, Packed uintptr
		Single        int64
	}

	// Even is cv_even_args.
	Even struct {
		Fine, Coarse          Box
		Out, U, F, CoarseX    uintptr
		C                     [3]float64
		Mass, Volume          float64
		Omega                 [2]float64
		Fixed, CoarseFixed    [6]int64
		Periodic              [3]int64
		Columns, Rows, Planes int64
	}

	// Spectral is cv_spectral_args.
	Spectral struct {
		Box          Box
		Points       int64
		U, F         uintptr
		C            [3]float64
		Mass, Volume float64
		Table        [3]uintptr
		Periodic     [3]int64
		Mean         float64
		Scratch      uintptr
		Part         [2]int64
		Rows         int64
		First        [3]int64
	}
	// Real is cv_real: the bits of a float64, or of a float32 and nothing above.
	Real uint64
	// Trilinear is cv_trilinear_args.
	Trilinear struct {
		Even    Even
		Single  [18]float32
		Numbers [18]float64
	}

	// EvenSweep is cv_even_sweep_args.
	EvenSweep struct {
		Box                   Box
		Out, U, F, Cells      uintptr
		X, Y, Z, Mass         Real
		OwnBeside             Real
		FarX, FarBeside, FarY Real
		Near, Far             [3]Real
		Balance, Source       [6]Real
		SourceScale           Real
		Open                  [6]int64
		Vectors, Groups       int64
	}

	// Correct is cv_correct_args.
	Correct struct {
		Sweep         EvenSweep
		E, Corrected  uintptr
		Scale, Volume float64
		Partial       uintptr
	}

	// CellsPass is cv_cells_pass_args.
	CellsPass struct {
		Fine, Coarse           Box
		Out, U, F              uintptr
		Cells                  [3]uintptr
		CoarseX                uintptr
		X, Y, Z, First, Second Real
		Fixed, CoarseFixed     [6]int64
		Lanes, Rows, Planes    int64
	}

	// ClosedTrilinear is cv_closed_trilinear_args.
	ClosedTrilinear struct {
		Closed               Closed
		Across, Turn, Beside [2]Real
		Lift                 [4]Real
		Lost                 [7]Real
		Q                    [3]uintptr
	}

	// Gather is cv_gather_args.
	Gather struct {
		Partial, Slot    uintptr
		N, Maximum, Root int64
	}

	// Mean is cv_mean_args.
	Mean struct {
		Box        Box
		X          uintptr
		W          [3]uintptr
		Integrated int64
		Partial    uintptr
		Parts      int64
		Mean, Out  uintptr
	}
)
