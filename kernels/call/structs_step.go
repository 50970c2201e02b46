package call

// Structs of flow and transport.
type (
	// Darcy is cv_darcy_args: BuoyancySource, DarcyFlux, HeatFlux and Dissipation; f is the output of BuoyancySource.
	Darcy struct {
		A            Elliptic
		P, T, Mean   In
		Rayleigh     float64
		Q            [3]Out
		Periodic     [3]int64
		F            Out
		Axis, Scheme int64
		Partial      Sums
		Stream       int64
	}

	// AdvectMeasured is cv_advect_measured_args: AdvectMeasured: Advect, and the diffusivity and the axis of its sums.
	AdvectMeasured struct {
		Flow    Advect
		H, RH   [3]In
		K       [3]float64
		Axis    int64
		Partial Sums // of its sums
	}

	// Closed is cv_closed_args: AdvectMeasured of a flow through no wall: the velocities are those of DarcyFlux with p, mean, rayleigh, these constant
	// conductivities and driver for T, which may be advect_measured.flow.t; those of advect_measured.flow.q are not read.
	Closed struct {
		AdvectMeasured  AdvectMeasured
		P, Driver, Mean In
		Rayleigh        float64
		Conductivity    [3]float64
	}

	// Step is cv_step_args: Predict, Conserve and ConserveMeasured: g is X of Conserve, and t of ConserveMeasured; t_older is never NULL on a GPU.
	Step struct {
		A                           Elliptic
		T                           In
		TPrev                       In
		TOlder                      In
		N                           In
		NPrev                       In
		Source, U                   In
		G, F, R                     Out
		Single                      Single   // of Predict, NULL: none
		E                           SingleIn // U over scale, of Finish
		Omega, Bend, A0, A2, E1, E2 float64
		Scale                       float64  // of Single and E
		Partial                     Sums     // two arrays of Predict, one of Finish; NULL: no norms
		Fixed                       [6]int64 // GPU: the sides that the mask fixes, where those are all that it does
	}
)
