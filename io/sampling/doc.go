// Package sampling writes what a case asks to be measured beside its snapshots: values at points (probes), fields on planes and lines (slices), and means over
// time and space with fluctuations about them (averages).
//
// # Files
//
// A probe is a table, probes/NAME.csv, which package series keeps; [Probes] has its values. A slice is a folder slices/NAME, an average a folder averages/NAME,
// with snapshots and a sidecar as those of package snapshot; the axes that a slice or an average has not got are of one point.
//
// # Values
//
// Between nodes values are linear along each axis, so that on nodes they are those of the snapshots. A mean over time is
//
//	⟨a⟩ = 1/(t₂ - t₁) Σ_n Δt_n (a_n-1 + a_n)/2
//
// over the steps n of a window, on whose ends steps end; over an axis nodes count by their dual widths. The fluctuation is the root of
// ⟨(a - ⟨a⟩)²⟩, over the same steps and axes. Both are kept as means and sums of squared deviations from them, so that neither loses digits
// (Chan, Golub & LeVeque, Am. Stat. 37, 1983).
//
// # Contract
//
// The sums of averages are in the checkpoint ([Averages.Sums]): a run that goes on has the bits of one that was never stopped.
package sampling
