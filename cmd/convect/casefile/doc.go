// Package casefile turns a case file into the parameters of a simulation.
//
// # Contract
//
// A case file is YAML with the keys of docs/case-file.md. It is decoded strictly: an unknown key, a wrong type, a
// number that is not finite or makes no sense, and combinations that cannot be are errors, all of which are collected
// and each of which names file, line, column, key, what is wrong and what is accepted ([Error]). An override
// "key=value" replaces a value before anything is checked; errors then name the override.
//
// [Parse] and [Load] decode: they are cheap whatever the file says. [Case.Build] then evaluates fields on the grid,
// reads the files that the case names and checks the values.
//
// # Units
//
// With physics.dimensional every value of the case is in SI units; here, once, all of them are divided by the scales
// of [convect/physics.Scales]. Expressions are evaluated in the units of the case.
package casefile
