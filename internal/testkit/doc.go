// Package testkit is what tests of several packages share.
//
// It owns how a test finds the real servers of `make services`. It has no
// production code.
package testkit
