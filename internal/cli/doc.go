// Package cli is the command line: commands, flags, and how a result becomes an
// exit code and one clear line.
//
// It owns the commands' names, help and flags. What a command does is an Actions
// function, given by internal/app.
//
// Invariants: results go to stdout, everything else to stderr; exit code 0 only
// when what was asked for was done; 2 for wrong usage.
package cli
