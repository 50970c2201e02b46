package kernels

//kernel:family Dispersion holds what the flow does to the diffusion of what it carries.

// A flow of velocity u through pores spreads what it carries by the tensor
//
//	E(u) = α_T |u| I + (α_L - α_T) u u / |u|,   0 where u is,
//
// with the lengths α_L, Longitudinal, and α_T, Transverse. In a cell u is the mean of the four faces of each axis that touch it.

// DispersivityArgs raises the diffusivity of every cell by the speed of the flow there,
//
//	Out_c = K_c + Length |u_c|,
//
// with K_c = Cells_c, or the number K where Cells is nil, and reduces to Slot the largest Length |u_c|. Q needs one halo layer.
//
//kernel:cpu cells scratch=4
//kernel:cuda slabs
type DispersivityArgs struct {
	Box      Box `kernel:"cells"`
	Periodic [3]bool
	Q        [3]Buffer `kernel:"faces,read,halo=1"`
	K        float64
	Cells    Buffer  `kernel:"read,optional"`
	Length   float64 `sample:"1"`
	Out      Buffer  `kernel:"write,inplace=Cells"`
	Slot     int     `kernel:"largest"`
}

// Spreading is the form of the fluxes of DisperseArgs.
type Spreading uint8

// Forms of the fluxes by dispersion.
const (
	SpreadEdges     Spreading = iota // ∂T along an edge is its own difference
	SpreadTrilinear                  // it is that of trilinear elements
	SpreadLimited                    // as SpreadEdges, with limited slopes across
)

// DisperseArgs adds to Out what dispersion brings to every node, the sum of what flows along its edges. Along the edge in direction d of a cell of
// volume V flows, up the axis,
//
//	F = -V / (4 h_d) (E_dd D_d + Σ_(e≠d) E_de S_e),
//
// with E of the cell. D_d is the difference of T along the edge over h_d; in the form SpreadTrilinear it is that of trilinear elements, Σ M M δ / (h_d 36/4) of
// the cell's four edges (package text). S_e is the slope of T along e at the centre of the cell, the mean over its four edges. In the form
// SpreadLimited S_e belongs to the edge: of the four slopes above and below its two nodes it is
//
//	S = L(L(above, below), L(above', below')),   L(a, b) = 2 a b / (a + b) where a b > 0, else 0
//
// (Sharma & Hammett, J. Comput. Phys. 227, 123, 2007, with van Leer's mean): nothing flows across the slope of an extreme. A slope beyond a wall is 0.
//
// Slots: what dispersion carries along Axis times distance, Σ h F over the edges of Axis; and its dissipation, -Σ F δ over all edges, computed as -Σ T times
// what the node gains. T and Q need one halo layer. And the largest HeldLength |u_c| where there is Held, which becomes what Dispersivity makes of such
// numbers: HeldK_c + HeldLength |u_c|, HeldK_c = HeldCells_c or the number HeldK.
//
//kernel:cpu rows scratch=17
//kernel:check
//kernel:ranks edge=2
type DisperseArgs struct {
	Box                      Box
	H, RH                    [3]Buffer `kernel:"axes"`
	Q                        [3]Buffer `kernel:"faces,read,halo=1"`
	T                        Buffer    `kernel:"read,halo=1"`
	Longitudinal, Transverse float64   `sample:"1"`
	Form                     Spreading
	Axis                     int    `kernel:"axis" sample:"2"`
	Out                      Buffer `kernel:"update"`
	HeldK                    float64
	HeldCells                Buffer  `kernel:"read,optional"`
	HeldLength               float64 `sample:"1"`
	Held                     Buffer  `kernel:"write,optional"`
	Slot                     int     `kernel:"sum,sum,largest"`
}
