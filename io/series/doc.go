// Package series writes the tables of a run and what is computed from them.
//
// # Files
//
// series.csv has one row a step, profiles.csv one row a height and output time, both in the units of the case. The first
// line names the columns, the second, which starts with #, gives their units. Numbers have 17 significant digits, so
// that they read back to the same bits; what is undefined is empty. summary.json holds the results of a run.
//
// # Contract
//
// Each row is handed to the system at once. [Writer.Sync] forces both tables to disk; it is called before a
// checkpoint is written, so that the rows up to a checkpoint are never lost. [Cut] removes the rows after the
// checkpoint that a run is resumed from, torn last lines included; the run makes them again with the same bits, but
// for wall_seconds.
//
// Others may remove, replace or cut a table while a run writes it. Each row is preceded by a look at the file: what is lost of it is
// put back into its place as far as the open file still has it, the rows that follow go behind, and Options.Notice is told. [Mend] does the
// same before a run is resumed. What would be lost by that is kept under the table's name with .old.
//
// # Time average
//
// [TimeAverage] takes the Nusselt number N(t) as linear between rows. With T the length of the window,
//
//	mean = 1/T ∫ N dt,   stderr² = 1/(b (b-1)) Σ_i (m_i - mean)²
//
// where m_i are the means over b = 16 batches of equal length T/b (batch means: Schmeiser, Oper. Res. 30, 1982). The
// error is right where N forgets itself within a batch, T/16; it is too small for slower oscillations.
package series
