// Command servicesctl starts and ends the real servers for tests: `make services`
// and `make services-down`.
//
// It owns the command line. It does not own how servers are run, which is package
// services'.
//
// Invariants: standard output holds the variables that tests read, and nothing
// else; it ends only what it started.
package main
