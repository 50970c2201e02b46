package kernels

//kernel:family Darcy holds the kernels of flow and heat transport.

// Faces: the normal Darcy velocity on the dual face between nodes i and i+1 of an axis is stored at node i of
// Q[axis]; a wall face lies at node -1 (low wall) or N-1 (high wall). Positive along the axis. At a periodic end
// node -1 is a halo copy of node N-1.

// BuoyancySourceArgs computes the integrated right side of the pressure equation A P = F,
//
//	F_n = -Σ_z-faces ± A_f k_f Ra θ_f - Σ_wall-faces ± A_f Q_f,
//
// with θ = T - TMean[k], θ_f the mean of both nodes of the face, A_f k_f = g_f h, ± the outward sign, and Q the
// prescribed wall velocities in the wall faces of Q (nil: closed). All nodes, fixed ones too, are computed.
// T and TMean: T needs one halo layer in z; TMean as HorizontalMean (element k, no halo), wrapped in z if
// PeriodicZ.
//
// With TwentySevenPoint the first sum is the part of b in the balance of trilinear elements (package text), T needs
// one halo layer along all axes.
//
//kernel:struct Darcy TMean=Mean
//kernel:cpu rows scratch=15 stream trilinear=trilinear_source
//kernel:check
type BuoyancySourceArgs struct {
	A        *Elliptic `kernel:"k=Z"`
	T        Buffer    `kernel:"read,halo=1"`
	TMean    Buffer    `kernel:"heights"`
	Rayleigh float64   `sample:"1"`
	Q        [3]Buffer `kernel:"faces,read,halo=1,uncounted,byhand"`
	Periodic [3]bool
	F        Buffer `kernel:"write"`
}

// DarcyFluxArgs computes the face velocities
//
//	Q_d = -k_f (P_(+) - P) / h            (d = x, y)
//	Q_z = -k_f ((P_(+) - P) / h - Ra θ_f)
//
// on all inner faces (and, at periodic ends, on the faces at node N-1; node -1 is left to Halo); k_f is the
// average of the cells around the edge, weighted by their part of the face (g_f h / A_f). Wall faces are left as
// they are. P and T need one halo layer.
//
// With TwentySevenPoint they are the sums of the edge fluxes of the cells around (package text), over A_f.
//
//kernel:struct Darcy TMean=Mean
//kernel:cpu rows scratch=15 stream trilinear=trilinear_darcy_flux
type DarcyFluxArgs struct {
	A        *Elliptic
	P, T     Buffer    `kernel:"read,halo=1"`
	TMean    Buffer    `kernel:"heights"`
	Rayleigh float64   `sample:"1"`
	Q        [3]Buffer `kernel:"faces,write"`
	Periodic [3]bool
}

// WallFluxArgs finds the velocity through walls of fixed pressure from the mass balance of their nodes.
// Share[s] is a wall array: the part (0..1) of the node's imbalance that leaves through side s (nil: not a
// pressure wall). For each node with a share the outflow -Σ_other-faces is computed with all shared wall faces at
// zero, and Q at the wall face = ± share * outflow / A_f. A wall face whose share is 0 keeps its Q, which counts in
// the balance. Q[1] may be nil on a flat box, here and below: y has no faces there.
//
//kernel:cpu rows
//kernel:check
type WallFluxArgs struct {
	Box   Box
	W     [3]Buffer `kernel:"axes"`
	Q     [3]Buffer `kernel:"faces,update,halo=1,uncounted"`
	Share [6]Buffer `kernel:"walls"`
}

// Scheme is a transport scheme.
type Scheme uint8

// Transport schemes: second-order central; TVD with van Leer's limiter; weighted essentially non-oscillatory of fifth order.
const (
	Central Scheme = iota
	TVD
	WENO5
)

// Halo returns the layers of T that a scheme reads at periodic ends.
func (s Scheme) Halo() int { return [...]int{1, 2, 3}[s] }

// AdvectArgs computes the integrated heat gain by advection, Out_n = -Σ_faces ± A_f Q_f T_f.
//
// Central: T_f = (T + T_(+)) / 2. TVD: T_f = T_C + ψ(r)/2 (T_D - T_C) with upwind node C, downwind node D, the
// next node upwind U, r = (T_C - T_U)/(T_D - T_C), ψ(r) = (r+|r|)/(1+|r|) (van Leer 1974); where U would lie
// beyond a wall, ψ = 1; where T_D = T_C, T_f = T_C. On a wall face T_f is the node's T where fluid leaves and Inflow (wall array, nil: the
// node's T) where it enters. T needs Scheme.Halo() layers at periodic ends, Q one.
//
// WENO5: T_f = Σ_k w_k q_k / Σ_k w_k over the parabolas of three nodes that contain C, as if the nodes were means over
// equal cells,
//
//	q_0 = (2 T_UU - 7 T_U + 11 T_C)/6,   q_1 = (-T_U + 5 T_C + 2 T_D)/6,   q_2 = (2 T_C + 5 T_D - T_DD)/6,
//
// with the weights w_k = γ_k (1 + (τ/(β_k + 1e-6 S))²) of WENO-Z (Borges, Carmona, Costa & Don, J. Comput. Phys. 227, 3191, 2008),
// γ = (1, 6, 3)/10, τ = |β_0 - β_2|, S = β_0 + β_1 + β_2 (at least 1e-30), and the smoothness of Jiang & Shu (J. Comput. Phys. 126, 202, 1996)
//
//	β_0 = 13/12 (T_UU - 2 T_U + T_C)² + 1/4 (T_UU - 4 T_U + 3 T_C)²
//	β_1 = 13/12 (T_U - 2 T_C + T_D)²  + 1/4 (T_U - T_D)²
//	β_2 = 13/12 (T_C - 2 T_D + T_DD)² + 1/4 (3 T_C - 4 T_D + T_DD)².
//
// Where one of the five nodes lies beyond a wall T_f is that of TVD. The formula is that of equal widths; on graded
// axes, whose widths vary smoothly, it is of second order.
//
//kernel:also Strip Stream
type AdvectArgs struct {
	Box      Box
	W        [3]Buffer `kernel:"axes"`
	Q        [3]Buffer `kernel:"faces,read,halo=1"`
	T        Buffer    `kernel:"read,halo=Scheme"`
	Inflow   [6]Buffer `kernel:"walls"`
	Periodic [3]bool
	Scheme   Scheme
	Out      Buffer `kernel:"write"`
}

// NodeVelocityArgs computes the velocity component Axis on nodes: the mean of both faces, on a wall the wall
// face itself.
//
//kernel:cpu rows scratch=1 stream
//kernel:cuda nodes
type NodeVelocityArgs struct {
	Box      Box
	Q        Buffer `kernel:"read,halo=1"`
	Axis     int    `kernel:"axis" sample:"1"`
	Periodic bool
	Out      Buffer `kernel:"write"`
}

// NodeFluxArgs computes the component Axis of the flux of T on nodes, with the velocity u of NodeVelocity,
//
//	Out = u_d T - k_d ∂_d T - Transverse |u| ∂_d T - (Longitudinal - Transverse) u_d (u·∇T) / |u|,
//
// in which k ∂T and ∂T are linear between the two faces of the axis that are next to the node, or beyond them on a wall; on a face ∂T is the difference of
// its nodes over their distance and k the average of the cells around the edge, as in DarcyFlux, whatever the stencil of A. Q needs one halo layer, T one. Q[1] may be nil on a flat box.
//
//kernel:cpu rows scratch=11
//kernel:cuda nodes
type NodeFluxArgs struct {
	A                        *Elliptic `kernel:"k=Axis"`
	Axis                     int       `kernel:"axis" sample:"2"`
	Q                        [3]Buffer `kernel:"faces,read,halo=1"`
	T                        Buffer    `kernel:"read,halo=1"`
	Longitudinal, Transverse float64
	Periodic                 [3]bool
	Out                      Buffer `kernel:"write"`
}

// FlowStatisticsArgs reduces the face velocities to six slots from Slot on: Σ V |u|² (u as NodeVelocity), max |u|,
// max over nodes of Σ_d max(|Q_low|,|Q_high|)/w_d (the Courant rate, 1/time), max |Σ ± A Q| / V (divergence),
// Σ ± A Q (sum of all imbalances, integrated) and Σ |Σ ± A Q|.
//
//kernel:cpu rows scratch=6
//kernel:cuda slabs
type FlowStatisticsArgs struct {
	Box      Box
	W        [3]Buffer `kernel:"axes"`
	Q        [3]Buffer `kernel:"faces,read,halo=1"`
	Periodic [3]bool
	Slot     int `kernel:"sum,root,largest,largest,sum,sum"`
}

// HeatFluxArgs reduces to Slot the heat carried along Axis times distance,
//
//	Σ_faces(axis) A_f h (Q_f T_f - k_f (T_(+) - T)/h)
//
// over all inner faces (each periodic face once), T_f as in AdvectArgs. A holds the diffusivity. Divided by the
// domain's volume it is the mean heat flux. T needs Scheme.Halo() layers at periodic ends. With TwentySevenPoint the
// conducted part is that of trilinear elements; T then needs one halo layer along all axes.
//
//kernel:struct Darcy
//kernel:cpu rows scratch=15 trilinear=trilinear_heat_flux
//kernel:check
type HeatFluxArgs struct {
	A        *Elliptic `kernel:"k=Axis"`
	Axis     int       `kernel:"axis" sample:"2"`
	Q        Buffer    `kernel:"read,halo=1,byhand"`
	T        Buffer    `kernel:"read,halo=Scheme"`
	Periodic [3]bool
	Scheme   Scheme
	Slot     int `kernel:"sum"`
}

// DissipationArgs reduces to Slot the thermal dissipation Σ_faces g_f (T_(+) - T)² over all faces of A, each
// once; with TwentySevenPoint Σ_cells Σ_d c_d Σ δ M M δ, that is T·A T without mass.
//
//kernel:struct Darcy
//kernel:cpu rows scratch=15 trilinear=trilinear_dissipation
type DissipationArgs struct {
	A        *Elliptic
	T        Buffer `kernel:"read,halo=1"`
	Periodic [3]bool
	Slot     int `kernel:"sum"`
}

// Offsets of the sums of AdvectMeasured from its slot: those of FlowStatistics, and what follows.
const (
	MeasuredFlow        = 0
	MeasuredGain        = 6 // Σ Out
	MeasuredContent     = 7 // Σ m T, m the nodal mass of A, or the dual volume
	MeasuredHeatFlux    = 8 // as HeatFlux
	MeasuredDissipation = 9 // as Dissipation
	MeasuredSlots       = 10
)

// AdvectMeasuredArgs does what Advect does and reduces to MeasuredSlots slots from Slot on, in as few passes as the device can, what a
// step is judged by: the six sums of FlowStatistics, the sum of Out, Σ m T, HeatFlux along Axis and Dissipation. A holds the
// diffusivity; its mass scale and its mask are not used. T needs the halo of Advect and one layer along all axes. With Enclosed false the
// last slot is left as it is.
//
// With Flow.A set the velocities are those of Flow, whose Q and Periodic are those of Advect, whose T is what drives it, and whose walls let nothing
// pass: wall faces of Q are zero. They are computed first, as by DarcyFlux and, along periodic axes, Halo; a device that computes them on its way
// (see FlowComputer), for each scalar anew, at less cost than to store and to read them, leaves Q as it is. After the call Q is one or the other.
//
//kernel:better FlowComputer ComputesFlow(AdvectMeasuredArgs) cuda
type AdvectMeasuredArgs struct {
	AdvectArgs
	A        *Elliptic
	Axis     int
	Enclosed bool
	Slot     int
	Flow     DarcyFluxArgs
}

// PredictArgs begins a step of the temperature with the extrapolated temperature G and the residual F of the heat equation there,
//
//	G = T + Omega (T - TPrev) + Bend (TPrev - TOlder), at fixed nodes what Walls set,
//	F = E1 N + E2 NPrev + Source - s m (A0 (G - T) - A2 (T - TPrev)) - K G
//
// at all nodes, with s m the mass of A and K the rest of A without its mask. Equal temperatures cancel exactly. Walls set X = G, in
// their order (those without Where set nothing), and nothing but the nodes that A.Mask fixes. TOlder (nil: Bend counts for nothing) and
// Source may be nil. T, TPrev and TOlder need one halo layer at periodic ends. Work is a field whose values are lost.
//
// With Norms, Σ (G - T)² and Σ F² over free nodes go to Slot and Slot+1; with OnlyChange what is in Slot+1 is not said. Single is nil, or where F is float64 and the device PredictsSingle of A,
// gets Inverse mask F rounded to float32.
//
//kernel:better SinglePredictor PredictsSingle(*Elliptic) cuda
//kernel:struct Step Bend=- Walls=- Periodic=- Work=- Norms=- OnlyChange=- Inverse=-
//kernel:check
type PredictArgs struct {
	A                           *Elliptic
	T, TPrev                    Buffer `kernel:"read,halo=1"`
	TOlder                      Buffer `kernel:"read,halo=1,optional"`
	N, NPrev                    Buffer `kernel:"read"`
	Source                      Buffer `kernel:"read,optional"`
	Omega, Bend, A0, A2, E1, E2 float64
	Walls                       [6]SetWallArgs
	Periodic                    [3]bool
	G, F                        Buffer `kernel:"write"`
	Work                        Buffer `kernel:"write,lost,uncounted"`
	Norms                       bool   `sample:"true"`
	OnlyChange                  bool
	Slot                        int     `kernel:"sum,sum"`
	Single                      Buffer  `kernel:"write,optional,byhand"`
	Inverse                     float64 // of Single
}

// ConserveArgs ends a step whose increment U was solved for: one more sweep with the mass alone, by which what the fluxes of U carry is
// what the nodes gain,
//
//	X = X + (U + mask R / (s m)),   R = F - (A without its mask) U.
//
// U needs one halo layer at periodic ends; it is kept, or ends as what X gains. R is lost but at fixed nodes.
//
//kernel:struct Step X=G
//kernel:check
type ConserveArgs struct {
	A *Elliptic
	X Buffer `kernel:"update"`
	U Buffer `kernel:"read,halo=1,lost"`
	F Buffer `kernel:"read"`
	R Buffer `kernel:"write,inplace=F,lost,uncounted"`
}

// ConserveMeasuredArgs is Conserve of the increment U = Scale E into another field, which tells what U leaves:
//
//	Out = X + (U + mask R / (s m)),   R = F - (A without its mask) U,   Σ R² over free nodes to Slot.
//
// E is float32, zero at fixed nodes, and needs one halo layer at periodic ends. R is written at fixed nodes alone. Out may be X and nothing else.
//
//kernel:optional MeasuredConserver ConservesMeasured(*Elliptic) cuda
//kernel:struct -
type ConserveMeasuredArgs struct {
	A     *Elliptic
	Out   Buffer `kernel:"write,inplace=X"`
	X     Buffer `kernel:"read"`
	E     Buffer `kernel:"read,halo=1"`
	F     Buffer `kernel:"read"`
	R     Buffer `kernel:"write,lost,uncounted"`
	Scale float64
	Slot  int `kernel:"sum"`
}

// WallSumArgs reduces to Slot Σ Weight_n X_n over the nodes of one side; Weight is a wall array.
//
//kernel:cpu lines scratch=1
//kernel:cuda lines
type WallSumArgs struct {
	Box    Box
	X      Buffer `kernel:"read,uncounted"`
	Side   Side   `sample:"kernels.Back"`
	Weight Buffer `kernel:"side=Side"`
	Slot   int    `kernel:"sum"`
}

// WallThroughArgs reduces to Slot and Slot+1 what flows in through a side, and what the flow carries in with it, over its nodes,
//
//	Σ Weight_n q_n,   Σ Weight_n q_n T_f,
//
// with q_n the velocity into the domain on the node's wall face, of Q, the velocity along the axis of the side: at node -1 of a low wall, N-1 of a high one.
// T_f is as in AdvectArgs: the node's T where fluid leaves and Inflow (wall array, nil: the node's T) where it enters. Weight is a wall array.
//
//kernel:cpu lines scratch=2
//kernel:cuda lines
type WallThroughArgs struct {
	Box    Box
	Q      Buffer `kernel:"read,halo=1,uncounted"`
	T      Buffer `kernel:"read,uncounted"`
	Side   Side   `sample:"kernels.Front"`
	Inflow Buffer `kernel:"side=Side,optional"`
	Weight Buffer `kernel:"side=Side"`
	Slot   int    `kernel:"sum,sum"`
}

// StreamfunctionArgs computes, on a flat box, ψ with u_x = -∂ψ/∂z and u_z = ∂ψ/∂x at the corners of the dual
// volumes: ψ = 0 in the low corner, first along the bottom from the wall face Q_z[k=-1], then up from Q_x.
// Out (box layout) holds the nodal values, the mean of the dual corners around the node (of the domain: two on
// a wall, one in a corner). Slots: max |ψ| over nodes in Slot, ψ at the centre in Slot+1, interpolated linearly: the
// centre lies Part of the way from node Centre to the next, along x and along z.
//
//kernel:check
//kernel:ranks whole
type StreamfunctionArgs struct {
	Box      Box        `kernel:"flat"`
	W        [3]Buffer  `kernel:"axes"`
	Q        [3]Buffer  `kernel:"faces,read,halo=1"`
	Out      Buffer     `kernel:"write"`
	Centre   [3]int     // a node
	Part     [3]float64 // 0 to 1, 0 where there is no next node
	Slot     int        `kernel:"largest,sum"`
	Periodic [3]bool
}
