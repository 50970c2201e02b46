package cuda

// sizes are numbers of nodes at which one kernel takes over from another that serves as well. They are zero but in tests, which set them so
// that small grids take several.
type sizes struct {
	leastSmall int // Apply in float32 takes the kernels of small grids from here on
	tinyFolded int // SolveCoarse folds where no axis has more
}
