// Package report holds what a benchmark found as data, and writes it as aligned text, JSON, Markdown and plots, and the
// reports of several benchmarks as one [Page] of HTML.
//
// A [Report] is a heading (what, where, when, with which command), the checks that were passed before anything was
// timed, tables, notes and plots. Every column says where its figures come from ([Origin]): measured in this run,
// counted (bytes, blocks, operations), a model (counts divided by the bandwidth measured in this run), or quoted from
// a paper. Text, JSON and Markdown are written from the same rows, and a page from reports that were read from their
// JSON, whose figures it keeps with all digits. [Report.Find] looks a figure up.
package report
