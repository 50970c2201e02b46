// Command generate writes what follows from the declarations of kernels, so that nobody writes it twice.
//
// # Declarations
//
// A kernel is declared by the struct of its arguments in package kernels, in a file args_*.go that names its family:
//
//	//kernel:family Cells compute the conductivity of cells.   the interface of the file's kernels; a comment once is enough
//	//kernel:methods Restrict Prolong     the kernels that take these arguments, if not the one of the struct's name
//	//kernel:optional Corrector Corrects(*Elliptic) cuda    not every device has the kernel: the interface of those that do, what they are asked before
//	                                      and of what (*Elliptic, Box or the arguments), and the folders of the devices, in which the compiler checks it
//	//kernel:better DirectSolver SolvesDirectly(*Elliptic) cuda    every device has it, and some have a better one
//
// Where fields have a tag `kernel:"..."`, the struct in C and Go, the check, a sample for the conformance suite and the bytes of benchmarks are
// written too:
//
//	read, write, update      what happens to a buffer; an array of nodes has one of them
//	halo=1, halo=Scheme      the layers around the nodes that are read, 0 if not said
//	optional                 it may be nil
//	inplace, inplace=F       it may be any of the inputs, or this one
//	uncounted                benchmarks do not count it: it is touched at surfaces only
//	lost                     what it holds afterwards is of no use, or not said
//	byhand                   package call checks it by hand, after //kernel:check
//	of=Fine                  it is laid out by that box, not by the first one
//	axes, along=Axis         axis arrays; that of one axis
//	walls, side=Side         wall arrays, nil where there is none; that of one side
//	heights, len=Entries     a value for each z node; so many values
//	faces                    an array for each axis; none along y where that is absent
//	cells, flat              of the box: cells are counted, not nodes; y must be absent
//	axis, least=2            what a number must be
//	k=Z, k=Axis, mass        of an operator: the coefficients that benchmarks count, where not all are read
//	sum, largest, root       of Slot: how partial results go to it and those after it
//
// An argument of a type of numbers of this package, as Scheme, is checked by the method of package call of that name in lower case, scheme.
//
// The tag `sample:"..."` is the value in a sample; of a box, its nodes. The lines
//
//	//kernel:cpu rows scratch=1 stream    rows, cells or lines (of a side) that are shared out, with rows of scratch memory, and streamed;
//	                                      with trilinear=NAME another kernel for 27 points
//	//kernel:cuda nodes                   a thread for each node, or slabs or lines (of a side)
//	//kernel:ranks whole                  on whole arrays that are gathered, or edge=2, with so many rows wrong at the ends of slabs, or byhand;
//	                                      points=7: of an optional one, with 7 points alone
//	//kernel:also Strip Stream            numbers that a method by hand sets
//	//kernel:struct Sweep Y=Out Work=-     it gets this struct with other kernels, Y as its Out, and no Work
//	//kernel:struct -                      its struct, check and sample are by hand
//	//kernel:check                        package call completes the check by hand: checkAdvect
//
// give it methods that check and run; without them its methods are by hand. The kernel in C is the function, and that in CUDA the KERNEL, of the
// name in C: node_velocity for NodeVelocity.
//
// What not every device has is written so too: its interface, type Optional of package kernels, which asks a device and passes on what it is told, and the
// methods of ranks of GPUs, or of all ranks where cpu is among the devices. Devices that wrap another embed Optional.
//
// A struct of package call (structs*.go) declares what other kernels get: its C name is in its comment, and each member's type says how C sees it.
// Both compilers check the offset of every member.
//
// It runs in the folder of package kernels, as go generate does; with -check it changes nothing and fails where a file is not what it would write.
package main
