// Package live serves the page on which a run is seen and steered, and the page of a folder of runs.
//
// # Contract
//
// What a page shows of the past it reads from the files of the run directory: rows of series.csv, snapshots, the log. So the page of a run under way,
// of one that was killed, and of one that another process makes are the same. What is present, the fields of the last step and what steers, goes through a
// [Hook], an observer of the run: it does what viewers ask for between two steps, on the goroutine of the run. Where nobody asks it reads one
// number a step. Fields for viewers take at most [viewPart] of the time of a run: where they take long they come less often. A run that is watched, or paused and resumed, has the bits of one
// that is not.
//
// # Guards
//
// Every request needs the token of the server: once in the address, which leaves a cookie (HttpOnly, SameSite=Strict), or as a bearer. Requests whose Host is
// a name that is not this machine's are refused (421), and so are POSTs from other sites (403). Pages load nothing from
// elsewhere and run no script that is not part of this program.
//
// # Addresses
//
// All paths on a page are relative, so that it works behind the prefix of a proxy. Where a proxy holds back events, the page asks for rows instead.
package live
