// Command generate writes what follows from the declarations of kernels, so that nobody writes it twice.
//
// A struct of package call (structs*.go) declares what a kernel of C gets: its C name is in its comment, and each member's type says how C
// sees it. From it follow the struct in C and the offsets of its members, which both compilers check.
//
// It runs in the folder of package kernels, as go generate does; with -check it changes nothing and fails where a file is not what it would write.
package main
