package cpu

// #include "cpu.h"
import "C"

import (
	"unsafe"

	"convect/kernels/call"
)

// The twins of package call are as large as the structs of args.h: an array of another length does not compile.
var (
	_ [C.sizeof_cv_box]struct{}               = [unsafe.Sizeof(call.Box{})]struct{}{}
	_ [C.sizeof_cv_mask]struct{}              = [unsafe.Sizeof(call.Mask{})]struct{}{}
	_ [C.sizeof_cv_elliptic]struct{}          = [unsafe.Sizeof(call.Elliptic{})]struct{}{}
	_ [C.sizeof_cv_sweep_args]struct{}        = [unsafe.Sizeof(call.Sweep{})]struct{}{}
	_ [C.sizeof_cv_line_args]struct{}         = [unsafe.Sizeof(call.Line{})]struct{}{}
	_ [C.sizeof_cv_smooth_args]struct{}       = [unsafe.Sizeof(call.BlockSmooth{})]struct{}{}
	_ [C.sizeof_cv_coarse_args]struct{}       = [unsafe.Sizeof(call.Coarse{})]struct{}{}
	_ [C.sizeof_cv_transfer_args]struct{}     = [unsafe.Sizeof(call.Transfer{})]struct{}{}
	_ [C.sizeof_cv_cells_args]struct{}        = [unsafe.Sizeof(call.Cells{})]struct{}{}
	_ [C.sizeof_cv_cycle_args]struct{}        = [unsafe.Sizeof(call.Cycle{})]struct{}{}
	_ [C.sizeof_cv_vector_args]struct{}       = [unsafe.Sizeof(call.Vector{})]struct{}{}
	_ [C.sizeof_cv_halo_args]struct{}         = [unsafe.Sizeof(call.Halo{})]struct{}{}
	_ [C.sizeof_cv_wall_args]struct{}         = [unsafe.Sizeof(call.Wall{})]struct{}{}
	_ [C.sizeof_cv_reduce_args]struct{}       = [unsafe.Sizeof(call.Reduce{})]struct{}{}
	_ [C.sizeof_cv_shift_args]struct{}        = [unsafe.Sizeof(call.Shift{})]struct{}{}
	_ [C.sizeof_cv_darcy_args]struct{}        = [unsafe.Sizeof(call.Darcy{})]struct{}{}
	_ [C.sizeof_cv_wallflux_args]struct{}     = [unsafe.Sizeof(call.WallFlux{})]struct{}{}
	_ [C.sizeof_cv_flow_args]struct{}         = [unsafe.Sizeof(call.Flow{})]struct{}{}
	_ [C.sizeof_cv_panel]struct{}             = [unsafe.Sizeof(call.Panel{})]struct{}{}
	_ [C.sizeof_cv_columns]struct{}           = [unsafe.Sizeof(call.Columns{})]struct{}{}
	_ [C.sizeof_cv_column_args]struct{}       = [unsafe.Sizeof(call.Column{})]struct{}{}
	_ [C.sizeof_cv_laplace_args]struct{}      = [unsafe.Sizeof(call.Laplace{})]struct{}{}
	_ [C.sizeof_cv_poisson_args]struct{}      = [unsafe.Sizeof(call.Poisson{})]struct{}{}
	_ [C.sizeof_cv_hierarchical_args]struct{} = [unsafe.Sizeof(call.Hierarchical{})]struct{}{}
	_ [C.sizeof_cv_cube_args]struct{}         = [unsafe.Sizeof(call.Cube{})]struct{}{}
	_ [C.sizeof_cv_pack_args]struct{}         = [unsafe.Sizeof(call.Pack{})]struct{}{}
	_ [C.sizeof_cv_even_args]struct{}         = [unsafe.Sizeof(call.Even{})]struct{}{}
	_ [C.sizeof_cv_gather_args]struct{}       = [unsafe.Sizeof(call.Gather{})]struct{}{}
	_ [C.sizeof_cv_mean_args]struct{}         = [unsafe.Sizeof(call.Mean{})]struct{}{}
	_ [C.sizeof_cv_spectral_args]struct{}     = [unsafe.Sizeof(call.Spectral{})]struct{}{}
	_ [C.sizeof_cv_even_sweep_args]struct{}   = [unsafe.Sizeof(call.EvenSweep{})]struct{}{}
	_ [C.sizeof_cv_cells_pass_args]struct{}   = [unsafe.Sizeof(call.CellsPass{})]struct{}{}
	_ [C.sizeof_cv_survey_args]struct{}       = [unsafe.Sizeof(call.Survey{})]struct{}{}
	_ [C.sizeof_cv_closed_args]struct{}       = [unsafe.Sizeof(call.Closed{})]struct{}{}
	_ [C.sizeof_cv_step_args]struct{}         = [unsafe.Sizeof(call.Step{})]struct{}{}

	_ [C.sizeof_cv_closed_trilinear_args]struct{} = [unsafe.Sizeof(call.ClosedTrilinear{})]struct{}{}
)
