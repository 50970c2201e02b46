package call

// Types of members of the structs that kernels get. They are names for the generator: what C calls an address.
type (
	In       = uintptr // const void *
	Out      = uintptr // void *
	Sums     = uintptr // double *
	Single   = uintptr // float *
	SingleIn = uintptr // const float *
	Ints     = uintptr // const int32_t *
	IntsOut  = uintptr // int32_t *
	Counter  = uintptr // unsigned *
)

// Real is cv_real: the bits of a float64, or of a float32 and nothing above.
type Real uint64
