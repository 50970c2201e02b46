package call

// Structs of columns and of smoothers on tiles.
type (
	// Panel is cv_panel: A kernels.Panel; pointers to fields point at cell (0,0,0). order: 0 columns, 1 rows are contiguous.
	Panel struct {
		N, Stride       [3]int64
		Run, Row, Order int64
	}

	// Columns is cv_columns: A kernels.ColumnOperator; pointers to arrays over columns point at column (0,0).
	Columns struct {
		Panel                      Panel
		Mass, Vertical, Horizontal In
		Area, EdgeX, EdgeY         In
	}

	// Column is cv_column_args: The kernels of kernels.Columns: out is Y, Z, Out, CoarseF, U of ColumnProlong or the values of a matrix, f the
	// right side or the values of a matrix, stored the tridiagonal systems.
	Column struct {
		A                            Columns
		Coarse                       Panel
		Factor                       [2]int64
		Out, P, Q, R                 Out
		U, Z, F                      In
		Stored                       [3]Out
		Start, Column                IntsOut
		Alpha, Beta, Omega           float64
		Partial                      Sums
		Length, Width, Strip, Stream int64
	}

	// BlockSmooth is cv_smooth_args: HierarchicalSmooth: sweeps on tiles of rows, along y and z, with a margin of rows around each.
	BlockSmooth struct {
		Sweep    Sweep
		Omega    [32]float64
		Sweeps   int64
		Tile     [2]int64
		Margin   int64
		Periodic [3]int64
		Scratch  Out // GPU: two copies of a block for every thread block
	}
)
