// Package column reads columns of numbers from a table of text that a user made.
//
// # Format
//
// The first line that is neither blank nor a comment names the columns; each line after it is a row with as many values. Lines that begin
// with # are comments. Values are separated by semicolons if the line of names holds one, else by commas, else by tabs,
// else by white space; names and values may be quoted ("like this"). A byte order mark and the ends of lines of any system are understood. Numbers are
// decimal with a point. Columns that nobody asks for may hold anything.
//
// # Contract
//
// [Read] trusts nothing: it opens regular files alone, so that no FIFO or device can hang it, holds no more than the columns asked for and one
// line, and refuses what is too large, what is not text, a missing or second column of a name, rows of another length, and what is no finite number. Each
// fault of a file is an [*Error] that names its line.
package column
