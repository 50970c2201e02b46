// Package ranks makes one device of several, each of which has some rows of y of every array: slabs of the grid.
//
// # Slabs
//
// A rank owns rows of each array of nodes and holds ghosts besides, copies of its neighbours' rows. It runs the kernels of a common device on the rows that it holds, as
// if those were the whole grid: what the outer ends, taken for walls, make wrong reaches so many rows as the kernel reads beyond a node, and never the rows that
// the rank owns. How many ghosts are right is known of every array, and they are fetched when a kernel needs more. On processors ranks compute and fetch no more
// ghosts than were read of the same result before, rounded up to an even number where they compute.
//
// Rows of y are shared out, and no others, because columns stay whole: lines along z, the hydrostatic column and open walls. Rows at which slabs begin are multiples
// of as many halvings as there are levels, so that slabs of coarse grids are halves of those of fine ones. Arrays of few rows or nodes, coarse levels and those of flat grids, are
// whole on every rank, and all ranks compute them. What cannot be computed on slabs is done on whole arrays that are gathered for it.
//
// # Sums
//
// A kernel that reduces counts the rows that the rank owns. Where devices tell the sums of rows (SumsRows) they are gathered and added in the order of the rows, so
// that every result is that of one rank to the bit, whatever their number; GPUs tell one sum of all their rows, and those are added in the order of the ranks.
//
// # GPUs
//
// Devices that are [kernels.Queuer]s run kernels later than they are told, each in memory of its own. Where they reach each other kernels meet (kernels.Meeting): a rank's device
// writes the blocks that others need into their memory. Where kernels cannot meet each device reads the blocks of others, and both wait by events; where devices do not reach each
// other the blocks pass through the host.
// [Device.Whole] has the kernels that GPUs have besides, and records kernels of all ranks, of each as a graph of its own where kernels meet, with what is said of ghosts before and after.
//
// # Ranks in other processes
//
// [New] makes a device of devices of this process. [Join] makes one whose other ranks are behind a [convect/kernels/link.Link]: each process has its own slab, and ghosts,
// coarse grids and sums of rows go over the link. All processes make the same calls in the same order, which [Lead] and [Follow] see to: the program runs on rank 0, whose
// device tells the others each kernel with its arguments, a few hundred bytes, before it runs it itself. So rank 0 alone has values of the host and decides, and
// nothing has to be agreed upon. What is done with values where they are, as writing them to files, is a task that every process does with the rows that it owns ([Device.Do]).
package ranks
