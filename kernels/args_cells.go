package kernels

//kernel:family Cells compute the conductivity of cells.

// Cell arrays are laid out like nodes: cell (i,j,k) at node (i,j,k). The kernels of this file write or read the cells of
// the domain: along each axis as many as nodes at a periodic end, one less between walls, one where y is absent. What
// lies beyond walls is left as it is (zero, see Elliptic); periodic halos are left to Halo.

// MobilityArgs computes the mobility of every cell from the temperature,
//
//	Out_c = K_c f(T̄_c),   T̄_c the mean of T at the nodes of the cell (8, or 4 where y is absent),
//
// with K_c = Cells_c, or the number K where Cells is nil. f is interpolated linearly between the first Entries elements
// of Table: f(Low + n/PerUnit) = Table[n]. Beyond the table's ends f keeps their values. Entries is at least 2.
// T needs one halo layer at periodic ends.
//
//kernel:cpu cells scratch=1
//kernel:cuda nodes
type MobilityArgs struct {
	Box      Box `kernel:"cells"`
	Periodic [3]bool
	T        Buffer `kernel:"read,halo=1"`
	K        float64
	Cells    Buffer `kernel:"read,optional"`
	Table    Buffer `kernel:"read,len=Entries"`
	Entries  int    `kernel:"least=2" sample:"3"`
	Low      float64
	PerUnit  float64 `sample:"1"` // table entries per unit of T
	Out      Buffer  `kernel:"write,inplace"`
}

// TabulateArgs computes a function of two fields at every node,
//
//	Out = f(X, Y),   f(LowX + m/PerX, LowY + n/PerY) = Table[m + Columns n],
//
// interpolated linearly in both, by X first. Beyond the ends of the table, of Columns by Rows elements, f keeps their values. Columns and Rows are at
// least 2, and Entries is their product.
//
//kernel:cpu rows
//kernel:cuda nodes
//kernel:check
type TabulateArgs struct {
	Box        Box
	X          Buffer `kernel:"read"`
	Y          Buffer `kernel:"read"`
	Table      Buffer `kernel:"read,len=Entries"`
	Entries    int    `kernel:"least=4" sample:"4"`
	Columns    int    `kernel:"least=2" sample:"2"`
	Rows       int    `kernel:"least=2" sample:"2"`
	LowX, LowY float64
	PerX       float64 `sample:"1"` // columns per unit of X
	PerY       float64 `sample:"1"`
	Out        Buffer  `kernel:"write,inplace"`
}

// CoarsenCellsArgs computes the conductivity of coarse cells along Axis from that of their children c, harmonic along
// and arithmetic across the axis,
//
//	CoarseK_C = Σ_columns w / (Σ_(c in column) h_c/FineK_c) · Σ_c h_c / Σ_columns w,
//
// a column being the children in line with the axis, h_c their widths along it and w the product of its widths
// across it. With Arithmetic it is the mean of all children by volume, Σ V_c FineK_c / Σ V_c. Factor is 1 or 2 along
// each axis, or Between, where only parts of the children's widths may belong to the coarse cell (of F fine and C coarse cells what fine cell i has of
// J F/C to (J+1) F/C, in the index); H are the axis arrays of the fine widths (see Elliptic).
//
//kernel:cpu cells scratch=11
//kernel:cuda nodes
//kernel:check
//kernel:ranks byhand
type CoarsenCellsArgs struct {
	Coarse     Box `kernel:"cells" sample:"3, 2, 3"`
	Fine       Box `sample:"5, 3, 3"`
	Periodic   [3]bool
	Factor     [3]int    `sample:"[3]int{2, 2, 1}"`
	H          [3]Buffer `kernel:"axes,of=Fine"`
	Axis       int       `kernel:"axis"`
	Arithmetic bool
	FineK      Buffer `kernel:"read,of=Fine"`
	CoarseK    Buffer `kernel:"write"`
}

// CouplingArgs reduces the conductivity of cells along an axis to Slot: the largest K/h², and to Slot+1 the largest
// h²/K (infinite where a cell has K = 0), with h the widths along the axis and RH the axis array of 1/h.
//
//kernel:cpu cells scratch=1
//kernel:cuda slabs
type CouplingArgs struct {
	Box      Box `kernel:"cells"`
	Periodic [3]bool
	Axis     int    `kernel:"axis" sample:"1"`
	RH       Buffer `kernel:"along=Axis"`
	K        Buffer `kernel:"read"`
	Slot     int    `kernel:"largest,largest"`
}

// ConductanceArgs computes what the faces between nodes conduct with seven points: Out_d at node (i,j,k) is the conductance g to the next node along d,
//
//	(A u)_n = Σ_f g_f (u_n - u_other) + s m u_n,   g_f = 1/h_d Σ_c K_d h_p h_q / 4
//
// over the four cells c around the edge between both, with widths h_p and h_q across it; 0 to nodes beyond walls. A device that has it for an operator makes cycles
// faster where they are kept (Elliptic.Faces).
//
//kernel:optional Conductor Conducts(*Elliptic) cpu cuda
//kernel:cpu rows scratch=1
//kernel:ranks byhand
type ConductanceArgs struct {
	A   *Elliptic
	Out [3]Buffer `kernel:"faces,write"`
}
