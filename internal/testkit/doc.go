// Package testkit is what tests of several packages share.
//
// It owns how a test finds the real servers of `make services`, how long it waits for
// what is to come, and which port it gives a server that cannot choose one. It has no
// production code.
package testkit
