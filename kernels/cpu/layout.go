package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	args "convect/kernels/call"
)

// The twins of package call are as large as the structs of args.h: an array of another length does not compile.
var (
	_ [C.sizeof_cv_box]struct{}               = [unsafe.Sizeof(args.Box{})]struct{}{}
	_ [C.sizeof_cv_mask]struct{}              = [unsafe.Sizeof(args.Mask{})]struct{}{}
	_ [C.sizeof_cv_elliptic]struct{}          = [unsafe.Sizeof(args.Elliptic{})]struct{}{}
	_ [C.sizeof_cv_sweep_args]struct{}        = [unsafe.Sizeof(args.Sweep{})]struct{}{}
	_ [C.sizeof_cv_line_args]struct{}         = [unsafe.Sizeof(args.Line{})]struct{}{}
	_ [C.sizeof_cv_smooth_args]struct{}       = [unsafe.Sizeof(args.BlockSmooth{})]struct{}{}
	_ [C.sizeof_cv_coarse_args]struct{}       = [unsafe.Sizeof(args.Coarse{})]struct{}{}
	_ [C.sizeof_cv_transfer_args]struct{}     = [unsafe.Sizeof(args.Transfer{})]struct{}{}
	_ [C.sizeof_cv_cells_args]struct{}        = [unsafe.Sizeof(args.Cells{})]struct{}{}
	_ [C.sizeof_cv_cycle_args]struct{}        = [unsafe.Sizeof(args.Cycle{})]struct{}{}
	_ [C.sizeof_cv_vector_args]struct{}       = [unsafe.Sizeof(args.Vector{})]struct{}{}
	_ [C.sizeof_cv_halo_args]struct{}         = [unsafe.Sizeof(args.Halo{})]struct{}{}
	_ [C.sizeof_cv_wall_args]struct{}         = [unsafe.Sizeof(args.Wall{})]struct{}{}
	_ [C.sizeof_cv_reduce_args]struct{}       = [unsafe.Sizeof(args.Reduce{})]struct{}{}
	_ [C.sizeof_cv_shift_args]struct{}        = [unsafe.Sizeof(args.Shift{})]struct{}{}
	_ [C.sizeof_cv_darcy_args]struct{}        = [unsafe.Sizeof(args.Darcy{})]struct{}{}
	_ [C.sizeof_cv_wallflux_args]struct{}     = [unsafe.Sizeof(args.WallFlux{})]struct{}{}
	_ [C.sizeof_cv_flow_args]struct{}         = [unsafe.Sizeof(args.Flow{})]struct{}{}
	_ [C.sizeof_cv_laplace_args]struct{}      = [unsafe.Sizeof(args.Laplace{})]struct{}{}
	_ [C.sizeof_cv_poisson_args]struct{}      = [unsafe.Sizeof(args.Poisson{})]struct{}{}
	_ [C.sizeof_cv_hierarchical_args]struct{} = [unsafe.Sizeof(args.Hierarchical{})]struct{}{}
	_ [C.sizeof_cv_pack_args]struct{}         = [unsafe.Sizeof(args.Pack{})]struct{}{}
	_ [C.sizeof_cv_even_args]struct{}         = [unsafe.Sizeof(args.Even{})]struct{}{}
	_ [C.sizeof_cv_gather_args]struct{}       = [unsafe.Sizeof(args.Gather{})]struct{}{}
)
