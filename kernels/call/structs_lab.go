package call

// Structs of smoothers on tiles.
type (
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
